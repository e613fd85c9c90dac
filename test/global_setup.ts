import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startEmbedded } from '../store/embedded/server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** URL of the server that all tests share; each test makes a database of its own on it. */
    serverUrl: string;
  }
}

/** Starts one embedded server for the whole test run, or uses TEST_DATABASE_URL. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const external = process.env.TEST_DATABASE_URL;
  if (external) {
    project.provide('serverUrl', external);
    return async () => undefined;
  }
  const dataDir = await mkdtemp(join(tmpdir(), 'pipeline-test-'));
  const server = await startEmbedded({ dataDir: join(dataDir, 'postgres') });
  project.provide('serverUrl', server.connectionString);
  return async () => {
    await server.release();
    await rm(dataDir, { recursive: true, force: true });
  };
}
