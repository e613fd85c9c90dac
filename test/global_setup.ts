import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { startEmbedded } from '../store/embedded/server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** URL of the server that all tests share; each test makes a database of its own on it. */
    serverUrl: string;
    /** Folder of the sample countries that tests share (published_sample.ts). */
    samplesDir: string;
  }
}

/** Nothing of this server is wanted after a crash of the machine, so that it need not wait for the disk. */
async function withoutFlushing(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const setting of ['fsync', 'full_page_writes', 'synchronous_commit'])
    await client.query(`ALTER SYSTEM SET ${setting} = off`);
  await client.query('SELECT pg_reload_conf()');
  await client.end();
}

/** Starts one embedded server for the whole test run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'pipeline-test-'));
  project.provide('samplesDir', join(dataDir, 'samples'));
  const server = await startEmbedded({ dataDir: join(dataDir, 'postgres') });
  await withoutFlushing(server.connectionString);
  project.provide('serverUrl', server.connectionString);
  return async () => {
    await server.release();
    await rm(dataDir, { recursive: true, force: true });
  };
}
