import { join } from 'node:path';
import { loadConfig } from '../../cli/load_config.ts';
import { silent } from '../../pipelines/progress.ts';
import { type RefreshOptions, refresh } from '../../pipelines/refresh.ts';
import type { RunReport } from '../../pipelines/report.ts';
import { digests } from '../../pipelines/status.ts';
import { writeSampleConfig } from '../../sample/config.ts';
import { generateSampleCountry } from '../../sample/generate.ts';
import { openPool } from '../../store/database.ts';
import type { TestDatabase } from '../database.ts';

/** Writes a sample country with its configuration. */
export async function makeSample(dir: string, properties: number, seed: number): Promise<void> {
  await generateSampleCountry({ properties, seed, out: dir });
  await writeSampleConfig(dir, { properties, seed });
}

/** Refreshes a database from the configuration of a sample country. */
export async function refreshSample(
  database: TestDatabase,
  dir: string,
  set: string[] = [],
  options: Partial<RefreshOptions> = {},
): Promise<RunReport> {
  const { config, base } = await loadConfig(
    { config: join(dir, 'config.yaml'), set: [`database.url=${database.url}`, ...set] },
    {},
  );
  return refresh({ url: database.url, config, base, progress: silent, command: 'test', ...options });
}

/** The digest of what a database serves, as one text. */
export async function digestOf(database: TestDatabase): Promise<string> {
  const pool = openPool(database.url, 1);
  const client = await pool.connect();
  try {
    return (await digests(client)).map((line) => `${line.table} ${line.rows} ${line.digest}`).join('\n');
  } finally {
    client.release();
    await pool.end();
  }
}
