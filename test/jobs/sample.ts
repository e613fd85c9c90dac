import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { loadConfig } from '../../cli/load_config.ts';
import { digests } from '../../pipelines/inspect/status.ts';
import { writeSampleConfig } from '../../sample/config.ts';
import { generateSampleCountry } from '../../sample/generate.ts';
import type { Config } from '../../schema/config.ts';
import type { TableDigest } from '../../store/table_digest.ts';

/** What is read of the sample country: enough for every stage to have something to do. */
const DATASETS: readonly string[] = ['gnaf', 'asgs', 'cadastre_vic', 'zoning_vic'];

/** A small sample country on disk. */
export interface Sample {
  dir: string;
  /** Its configuration file, and what that says. */
  file: string;
  config: Config;
  remove(): Promise<void>;
}

export async function makeSample(): Promise<Sample> {
  const dir = await mkdtemp(join(tmpdir(), 'jobs-sample-'));
  const made = { properties: 200, seed: 5 };
  await generateSampleCountry({ ...made, out: dir });
  await writeSampleConfig(dir, made);
  const all = (await loadConfig({ config: join(dir, 'config.yaml') }, {})).config.datasets;
  const datasets = Object.fromEntries(DATASETS.map((name) => [name, all[name]]));
  const file = join(dir, 'small.yaml');
  await writeFile(file, JSON.stringify({ workers: 1, datasets }));
  const { config } = await loadConfig({ config: file }, {});
  return { dir, file, config, remove: () => rm(dir, { recursive: true, force: true }) };
}

/** Digest of every serving table of a database. */
export async function digestsOf(url: string): Promise<TableDigest[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await digests(client);
  } finally {
    await client.end();
  }
}

/** Waits until `found` gives something. */
export async function until<T>(
  what: string,
  found: () => T | undefined | false | Promise<T | undefined | false>,
  limitMs = 30_000,
): Promise<T> {
  const end = Date.now() + limitMs;
  for (;;) {
    const result = await found();
    if (result !== undefined && result !== false) return result;
    if (Date.now() > end) throw new Error(`waited ${limitMs} ms for ${what}`);
    await sleep(20);
  }
}
