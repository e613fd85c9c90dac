import { cp, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import { copyOf, createDatabase, type TestDatabase } from './database.ts';
import { makeSample, refreshSample } from './pipelines/sample_run.ts';

/** A published sample country: a database and a folder of release files that are the test's own. */
export interface PublishedSample {
  database: TestDatabase;
  dir: string;
}

/** Made once in a test run and copied from then on: publishing it takes seconds of CPU, a copy a fraction of one. */
export async function publishedSample(
  properties: number,
  seed: number,
  datasets: 'core' | 'all' = 'core',
): Promise<PublishedSample> {
  const server = inject('serverUrl');
  const name = `sample_${properties}_${seed}_${datasets}`;
  const kept = join(inject('samplesDir'), name);
  const admin = new pg.Client({ connectionString: server });
  admin.on('error', () => undefined);
  await admin.connect();
  try {
    // Another test file may be making it.
    await admin.query('SELECT pg_advisory_lock(hashtext($1))', [name]);
    const found = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (found.rowCount === 0) {
      await mkdir(kept, { recursive: true });
      await makeSample(kept, properties, seed, datasets);
      const made = await createDatabase(server);
      const { error } = await refreshSample(made, kept);
      if (error) throw new Error(error.message);
      await made.keepAs(name);
    }
    const dir = await mkdtemp(join(tmpdir(), 'sample-'));
    await cp(kept, dir, { recursive: true, preserveTimestamps: true });
    return { database: await copyOf(server, name), dir };
  } finally {
    await admin.end();
  }
}
