import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { loadConfig } from '../../cli/load_config.ts';
import { digests } from '../../pipelines/inspect/status.ts';
import { silent } from '../../pipelines/report/progress.ts';
import type { RunReport } from '../../pipelines/report/report.ts';
import { type RefreshOptions, refresh } from '../../pipelines/run/refresh.ts';
import { writeSampleConfig } from '../../sample/config.ts';
import { generateSampleCountry } from '../../sample/generate.ts';
import { openPool } from '../../store/database.ts';
import type { TestDatabase } from '../database.ts';

/** Settings with which no gate against the last publication refuses. */
export const OPEN_GATES: readonly string[] = [
  'rows_change',
  'null_share_rise',
  'median_shift',
  'coverage_drop',
].map((gate) => `gates.${gate}_max=1000`);

/** Datasets that the addresses, parcels, regions and zones come from: enough for tests of the engine, and quick to load. */
const CORE = /^(gnaf|asgs|cadastre_\w+|zoning_\w+)$/;

/** Writes a sample country with its configuration: of its core datasets, or of all of them. */
export async function makeSample(
  dir: string,
  properties: number,
  seed: number,
  datasets: 'core' | 'all' = 'core',
): Promise<void> {
  await generateSampleCountry({ properties, seed, out: dir });
  await writeSampleConfig(dir, { properties, seed });
  if (datasets === 'all') return;
  const path = join(dir, 'config.yaml');
  const config = parse(await readFile(path, 'utf8')) as { datasets: Record<string, unknown> };
  const core = Object.entries(config.datasets).filter(([name]) => CORE.test(name));
  await writeFile(path, stringify({ ...config, datasets: Object.fromEntries(core) }));
}

/**
 * Refreshes a database from the configuration of a sample country, with one worker thread unless `set` says otherwise: starting a
 * thread costs more than a sample's computations.
 */
export async function refreshSample(
  database: TestDatabase,
  dir: string,
  set: readonly string[] = [],
  options: Partial<RefreshOptions> = {},
): Promise<RunReport> {
  const { config, base } = await loadConfig(
    { config: join(dir, 'config.yaml'), set: [`database.url=${database.url}`, 'workers=1', ...set] },
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
