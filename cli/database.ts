import { resolve } from 'node:path';
import type { Config } from '../schema/config.ts';
import { startEmbedded } from '../store/embedded/server.ts';

/** Folder of the embedded server's cluster. */
export const clusterDir = (config: Config): string => resolve(config.data_dir, 'postgres');

/** Runs `work` with the URL of the database: the configured one, or the embedded server for as long as it is needed. */
export async function withDatabase<T>(config: Config, work: (url: string) => Promise<T>): Promise<T> {
  if (config.database.url !== null) return work(config.database.url);
  const server = await startEmbedded({ dataDir: clusterDir(config) });
  try {
    return await work(server.connectionString);
  } finally {
    await server.release();
  }
}
