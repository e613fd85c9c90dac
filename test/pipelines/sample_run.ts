import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { loadConfig } from '../../cli/load_config.ts';
import { type Progress, silent } from '../../pipelines/report/progress.ts';
import type { RunReport } from '../../pipelines/report/report.ts';
import { publishCandidate } from '../../pipelines/run/publish_candidate.ts';
import { type RefreshOptions, refresh } from '../../pipelines/run/refresh.ts';
import { digests } from '../../pipelines/views/status.ts';
import { openPool } from '../../store/database.ts';
import { writeSampleConfig } from '../../tools/sample/config.ts';
import { generateSampleCountry } from '../../tools/sample/generate.ts';
import type { Country, SampleDatasets } from '../countries.ts';
import type { TestDatabase } from '../database.ts';
import { writeHistory } from './sale_history.ts';

/** Settings with which no gate against the last publication refuses. */
export const OPEN_GATES: readonly string[] = [
  'rows_change',
  'null_share_rise',
  'median_shift',
  'coverage_drop',
].map((gate) => `gates.${gate}_max=1000`);

const NAMED: Readonly<Record<SampleDatasets, RegExp>> = {
  /** Addresses, regions, and the parcels and zones of one state: enough for every stage of the engine to have something to do. */
  victoria: /^(gnaf|asgs|cadastre_vic|zoning_vic)$/,
  /** What the addresses, parcels, regions and zones of every state come from. */
  core: /^(gnaf|asgs|cadastre_\w+|zoning_\w+)$/,
  all: /./,
};

/** Writes a sample country with its configuration. */
export async function makeSample(
  dir: string,
  { properties, seed, datasets, has_history = false }: Country,
): Promise<void> {
  await generateSampleCountry({ properties, seed, out: dir });
  await writeSampleConfig(dir, { properties, seed });
  if (has_history) await writeHistory(dir);
  if (datasets === 'all') return;
  const path = join(dir, 'config.yaml');
  const config = parse(await readFile(path, 'utf8')) as { datasets: Record<string, unknown> };
  const named = Object.entries(config.datasets).filter(([name]) => NAMED[datasets].test(name));
  await writeFile(path, stringify({ ...config, datasets: Object.fromEntries(named) }));
}

async function sampleRun(database: TestDatabase, dir: string, set: readonly string[]) {
  const { config, base } = await loadConfig(
    {
      config: join(dir, 'config.yaml'),
      set: [`database.url=${database.url}`, 'workers=1', 'audit.sample=20', ...set],
    },
    {},
  );
  return { url: database.url, config, base };
}

/**
 * Refreshes a database from the configuration of a sample country, with one worker thread unless `set` says otherwise: starting a
 * thread costs more than a sample's computations. The independent audit takes few properties, for the same reason.
 */
export async function refreshSample(
  database: TestDatabase,
  dir: string,
  set: readonly string[] = [],
  options: Partial<RefreshOptions> = {},
): Promise<RunReport> {
  return refresh({ ...(await sampleRun(database, dir, set)), progress: silent, command: 'test', ...options });
}

/** Publishes what a refused or held run of a sample country computed, and accepts these gates. */
export async function acceptSample(
  database: TestDatabase,
  dir: string,
  gates: readonly string[],
  set: readonly string[] = [],
): Promise<RunReport> {
  const options = await sampleRun(database, dir, set);
  return publishCandidate({ ...options, accepted: { gates, reason: 'test' } });
}

/** Loads the datasets of a sample country and computes nothing: the run fails as its first stage begins. */
export async function loadSample(database: TestDatabase, dir: string): Promise<void> {
  const progress: Progress = {
    start(name) {
      if (name.startsWith('stage ')) throw new Error('everything is loaded');
      return silent.start(name, 0);
    },
  };
  const { error } = await refreshSample(database, dir, [], { progress });
  if (error?.message !== 'everything is loaded') throw new Error(error?.message ?? 'the run went on');
  const computed = await database.query('SELECT 1 FROM control.partition');
  if (computed.length > 0) throw new Error('something is computed');
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
