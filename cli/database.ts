import { resolve } from 'node:path';
import type { Config } from '../schema/config.ts';
import type { EtlError } from '../schema/errors.ts';
import { startEmbedded } from '../store/embedded/server.ts';
import { watchServer } from '../store/system/server_watch.ts';
import { EXIT } from './exit.ts';
import { say } from './print.ts';

/** Folder of the embedded server's cluster. */
export const clusterDir = (config: Config): string => resolve(config.data_dir, 'postgres');

/** How long a command that only looks waits for a server that says nothing, in seconds; one that works waits as long as a lease. */
export const LOOK_PATIENCE_S = 9;

/** Works while somebody watches whether the server answers: a frozen one is named within seconds and not waited for without end. */
async function whileWatched<T>(
  url: string,
  patience_s: number,
  work: (url: string) => Promise<T>,
): Promise<T> {
  let endWith: (error: EtlError) => void = () => undefined;
  const given = new Promise<never>((_, reject) => {
    endWith = reject;
  });
  given.catch(() => undefined);
  const end = (error: EtlError): void => {
    endWith(error);
    process.exitCode = EXIT.failed;
    // What hangs on the server would keep the process alive after the error was said.
    setTimeout(() => process.exit(), 1500).unref();
  };
  const unwatch = watchServer(url, { tell: (message) => say(`warning: ${message}`), patience_s, end });
  try {
    return await Promise.race([work(url), given]);
  } finally {
    await unwatch();
  }
}

/**
 * Runs `work` with the URL of the database: the configured one, or the embedded server for as long as it is needed. `patienceS`: how
 * long it waits for a server that says nothing.
 */
export async function withDatabase<T>(
  config: Config,
  work: (url: string) => Promise<T>,
  patienceS: number = LOOK_PATIENCE_S,
): Promise<T> {
  if (config.database.url !== null) return whileWatched(config.database.url, patienceS, work);
  const server = await startEmbedded({ dataDir: clusterDir(config) });
  try {
    return await whileWatched(server.connectionString, patienceS, work);
  } finally {
    await server.release();
  }
}
