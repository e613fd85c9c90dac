import { rm } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { loadConfig } from '../../cli/load_config.ts';
import { type OpsServer, startOps } from '../../ops/server.ts';
import type { PublishedSample } from '../published_sample.ts';
import { CHROMIUM, launch } from './browser.ts';

/** A console of a sample country, and a browser where the machine has Chromium. */
export interface ConsoleScene extends PublishedSample {
  server: OpsServer;
  browser: Browser;
  /** Closes all and removes the country. */
  close(): Promise<void>;
}

/** Starts the console of a published country with further settings. */
export async function openConsole(
  { database, dir }: PublishedSample,
  set: readonly string[] = [],
): Promise<ConsoleScene> {
  const { config } = await loadConfig({ config: `${dir}/config.yaml`, set: ['ops.port=0', ...set] }, {});
  const server = await startOps(database.url, config);
  const browser = CHROMIUM === undefined ? undefined : await launch();
  return {
    database,
    dir,
    server,
    // Tests that need it are skipped where there is none.
    browser: browser!,
    async close() {
      await browser?.close();
      await server.close();
      await database.drop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
