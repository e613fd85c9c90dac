import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../../database.ts';
import { sampleFolder } from '../../published_sample.ts';
import { HANG_MS } from '../../waiting.ts';
import { copySample, editTable } from '../damage.ts';
import { digestOf, OPEN_GATES, refreshSample } from '../sample_run.ts';

/** Nights of the test; GROWTH_NIGHTS makes it a soak. */
const NIGHTS = Number(process.env.GROWTH_NIGHTS ?? 4);
/** What the tables may take more than those of a fresh database with the same content. */
const GROWTH_MAX = 1.3;

/** Megabytes that the process may hold more after the last night than after the first: a worker runs for months. */
const HELD_MAX_MB = 16;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
/** Megabytes of objects that the process still holds. */
const heldMb = (): number => {
  collect();
  return process.memoryUsage().heapUsed / 2 ** 20;
};

let parent: string;
let sample: string;
let database: TestDatabase;
let fresh: TestDatabase;
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'growth-'));
  sample = await sampleFolder();
  [database, fresh] = [await createDatabase(), await createDatabase()];
});
afterAll(async () => {
  for (const each of [database, fresh]) await each.drop();
  for (const folder of [parent, sample]) await rm(folder, { recursive: true, force: true });
});

/** Bytes of all tables with their indexes; the journal apart, which a fresh database has not. */
const bytesOf = async (of: TestDatabase): Promise<number> =>
  (
    await of.query<{ bytes: number }>(
      `SELECT sum(pg_total_relation_size(c.oid))::float8 AS bytes FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname IN ('record', 'asset', 'staged', 'serving', 'control') AND c.relkind = 'r'
         AND n.nspname || '.' || c.relname NOT IN ('control.change', 'control.run', 'control.publication')`,
    )
  )[0]!.bytes;

it(
  'keeps a database the size of a fresh one, and says in the report what it took',
  async () => {
    const quick = ['workers=1', ...OPEN_GATES];
    expect((await refreshSample(database, sample, quick)).state).toBe('published');
    let vacuumed = 0;
    let last = sample;
    let held = 0;
    for (let night = 1; night <= NIGHTS; night++) {
      last = await copySample(sample, parent);
      // Other addresses go each night, so that rows of all tables change and come back.
      for (const state of ['VIC', 'NSW', 'TAS'])
        await editTable(last, `${state}_ADDRESS_DETAIL`, (lines) =>
          lines.filter((_, i) => i === 0 || i % 25 !== night % 25),
        );
      const report = await refreshSample(database, last, quick);
      expect([report.state, report.error]).toEqual(['published', null]);
      expect(report.vacuum?.seconds).toBeGreaterThan(0);
      vacuumed += report.vacuum!.tables;
      if (night < NIGHTS) await rm(last, { recursive: true, force: true });
      if (night === 1) held = heldMb();
    }
    expect(vacuumed).toBeGreaterThan(0);
    const more = heldMb() - held;
    expect((await refreshSample(fresh, last, quick)).state).toBe('published');
    expect(await digestOf(database)).toBe(await digestOf(fresh));
    const growth = (await bytesOf(database)) / (await bytesOf(fresh));
    const dead = await database.query<{ share: number }>(
      `SELECT sum(n_dead_tup)::float8 / sum(n_live_tup) AS share FROM pg_stat_user_tables
     WHERE schemaname IN ('record', 'asset', 'staged', 'serving', 'control')`,
    );
    console.info(
      `${NIGHTS} nights: ${growth.toFixed(2)} times a fresh one, ${(dead[0]!.share * 100).toFixed(1)} % dead, ${more.toFixed(1)} MB more held`,
    );
    expect(more).toBeLessThan(HELD_MAX_MB);
    expect(growth).toBeLessThan(GROWTH_MAX);
    expect(dead[0]!.share).toBeLessThan(0.3);
  },
  NIGHTS * HANG_MS,
);
