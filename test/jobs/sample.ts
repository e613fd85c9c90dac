import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { loadConfig } from '../../cli/load_config.ts';
import { digests } from '../../pipelines/views/status.ts';
import type { Config } from '../../schema/config.ts';
import type { TableDigest } from '../../store/journal/table_digest.ts';
import { VICTORIA } from '../countries.ts';
import type { TestDatabase } from '../database.ts';
import { publishedSample } from '../published_sample.ts';

/** A small sample country on disk, and what a refresh by one process makes of it. */
export interface Sample {
  dir: string;
  /** Its configuration file, and what that says. */
  file: string;
  config: Config;
  /** Refreshed by one process. */
  published: TestDatabase;
  /** Digests of what that serves. */
  expected: TableDigest[];
  remove(): Promise<void>;
}

export async function makeSample(): Promise<Sample> {
  const { database: published, dir } = await publishedSample(VICTORIA);
  const { datasets } = (await loadConfig({ config: join(dir, 'config.yaml') }, {})).config;
  const file = join(dir, 'small.yaml');
  await writeFile(file, JSON.stringify({ workers: 1, datasets }));
  const { config } = await loadConfig({ config: file }, {});
  const expected = await digestsOf(published.url);
  return {
    dir,
    file,
    config,
    published,
    expected,
    async remove() {
      await published.drop();
      await rm(dir, { recursive: true, force: true });
    },
  };
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
