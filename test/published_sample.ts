import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import { type Country, SMALL } from './countries.ts';
import { copyOf, createDatabase, type TestDatabase } from './database.ts';
import { loadSample, makeSample, refreshSample } from './pipelines/sample_run.ts';

/** A published sample country: a database and a folder of release files that are the test's own. */
export interface PublishedSample {
  database: TestDatabase;
  dir: string;
}

const nameOf = ({ properties, seed, datasets, has_history = false }: Country): string =>
  `${properties}_${seed}_${datasets}${has_history ? '_history' : ''}`;

/** Does `work` with a connection to the server while no other test file makes something under that name. */
async function alone<T>(name: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: inject('serverUrl') });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock(hashtext($1))', [name]);
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The folder of a country, of which others are copied; written when it is first asked for. */
const keptFolder = (country: Country): Promise<string> =>
  alone(`folder_${nameOf(country)}`, async () => {
    const kept = join(inject('samplesDir'), nameOf(country));
    if (existsSync(kept)) return kept;
    await mkdir(kept, { recursive: true });
    await makeSample(kept, country);
    return kept;
  });

/** A copy of a database of the country, which `fill` fills when it is first asked for. */
const copyOfKept = (
  kind: 'published' | 'loaded',
  country: Country,
  fill: (database: TestDatabase, folder: string) => Promise<void>,
): Promise<TestDatabase> =>
  alone(`${kind}_${nameOf(country)}`, async (client) => {
    const name = `${kind}_${nameOf(country)}`;
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (found.rowCount === 0) {
      const made = await createDatabase();
      await fill(made, await keptFolder(country));
      await made.keepAs(name);
    }
    return copyOf(inject('serverUrl'), name);
  });

/** Made once in a test run and copied from then on: publishing it takes seconds of CPU, a copy a fraction of one. */
export async function publishedSample(country: Country = SMALL): Promise<PublishedSample> {
  const database = await copyOfKept('published', country, async (made, folder) => {
    const { error } = await refreshSample(made, folder);
    if (error) throw new Error(error.message);
  });
  return { database, dir: await sampleFolder(country) };
}

/** The release files of a country, which are the test's own. */
export async function sampleFolder(country: Country = SMALL): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'sample-'));
  await cp(await keptFolder(country), dir, { recursive: true, preserveTimestamps: true });
  return dir;
}

/**
 * A database in which the datasets of a country are loaded and nothing is computed. A refresh of it computes everything from nothing, as
 * in an empty one, and reads what differs from the country: half of the CPU time.
 */
export const loadedDatabase = (country: Country = SMALL): Promise<TestDatabase> =>
  copyOfKept('loaded', country, loadSample);
