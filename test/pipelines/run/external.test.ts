import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../../database.ts';
import { sampleFolder } from '../../published_sample.ts';
import { refreshInChild } from '../child_run.ts';
import { copySample, editTable } from '../damage.ts';
import { digestOf, refreshSample } from '../sample_run.ts';

const SERVER = process.env.TEST_EXTERNAL_DATABASE_URL;
if (!SERVER) {
  console.warn(
    'SKIPPED: external PostgreSQL. Set TEST_EXTERNAL_DATABASE_URL, or source tools/scripts/ci_postgres.sh.',
  );
}

describe.skipIf(!SERVER)('an external PostgreSQL server', () => {
  let parent: string;
  let sample: string;
  let embedded: TestDatabase;
  let external: TestDatabase;

  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'external-'));
    sample = await sampleFolder();
    embedded = await createDatabase();
    external = await createDatabase(SERVER);
  });

  afterAll(async () => {
    await embedded?.drop();
    await external?.drop();
    for (const folder of [parent, sample]) await rm(folder, { recursive: true, force: true });
  });

  it('serves what the embedded one serves, by DATABASE_URL alone', async () => {
    const versions = await Promise.all(
      [embedded, external].map(
        async (each) =>
          (await each.query<{ v: string }>(`SELECT current_setting('server_version') AS v`))[0]!.v,
      ),
    );
    console.log(`embedded PostgreSQL ${versions[0]}, external PostgreSQL ${versions[1]}`);
    expect((await refreshSample(embedded, sample)).state).toBe('published');
    const run = refreshInChild(external.url, sample);
    expect((await run.ended).code, run.output()).toBe(0);
    expect(await digestOf(external)).toBe(await digestOf(embedded));
  });

  it('serves the same after a change, and says that nothing changed after none', async () => {
    const changed = await copySample(sample, parent);
    await editTable(changed, 'QLD_ADDRESS_DETAIL', (lines) => lines.filter((_, i) => i % 9 !== 4));
    const before = await digestOf(external);
    for (const database of [embedded, external]) {
      expect((await refreshSample(database, changed)).state).toBe('published');
      expect((await refreshSample(database, changed)).state).toBe('unchanged');
    }
    expect(await digestOf(external)).toBe(await digestOf(embedded));
    expect(await digestOf(external)).not.toBe(before);
  });
});
