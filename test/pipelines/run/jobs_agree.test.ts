import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { disagreementsIn } from '../../contract/shared_facts.ts';
import { WHOLE } from '../../countries.ts';
import { type PublishedSample, publishedSample } from '../../published_sample.ts';
import { changeCadastre, deliverListings } from '../night_deliveries.ts';
import { digestOf, OPEN_GATES, refreshSample } from '../sample_run.ts';

/** The refresh of a named job, as jobs/refresh_job.ts requests it. */
const JOB = { eventsOnly: true };

describe('after a job that reads market events only', () => {
  let sample: PublishedSample;
  const run = (set: readonly string[] = [], options = {}) =>
    refreshSample(sample.database, sample.dir, [...OPEN_GATES, ...set], options);
  const served = () =>
    sample.database.query<{ gnaf_pid: string; prediction_date: string; reason: string | null }>(
      'SELECT gnaf_pid, prediction_date::text, reason FROM serving.property_avm',
    );
  const agree = async (step = 3) => {
    const { found, compared } = await disagreementsIn(sample.database.url, step);
    expect(compared).toBeGreaterThan(5000);
    expect(found).toEqual([]);
  };

  beforeAll(async () => {
    sample = await publishedSample(WHOLE);
  });

  afterAll(async () => {
    await sample.database.drop();
    await rm(sample.dir, { recursive: true, force: true });
  });

  it('every table that depends on events is published, and a new cadastre waits for the full refresh', async () => {
    await deliverListings(sample.dir, 40);
    await changeCadastre(join(sample.dir, 'cadastre/vic'), 'vic', 20);
    const job = await run([], JOB);
    expect(job.state).toBe('published');
    const changed = job.tables.filter((each) => each.inserted + each.updated > 0).map(({ table }) => table);
    expect(changed).toEqual(expect.arrayContaining(['property_avm', 'property_finder', 'property_basics']));
    expect(changed).not.toContain('parcel_shape');
    expect(job.datasets.map(({ dataset }) => dataset)).not.toContain('cadastre_vic');
    await agree();
    const full = await run();
    expect(full.tables.find(({ table }) => table === 'parcel_shape')!.updated).toBeGreaterThan(0);
    await agree();
    expect((await run([], JOB)).state).toBe('unchanged');
  });

  it('a home that an event takes out of the evidence has no estimate of that month anywhere', async () => {
    const valued = (await served()).filter(({ reason }) => reason === null);
    await deliverListings(sample.dir, 15, '2026-06-30', 7);
    expect((await run([], JOB)).state).toBe('published');
    const now = new Map((await served()).map((row) => [row.gnaf_pid, row]));
    const gone = valued.filter(({ gnaf_pid, prediction_date }) => {
      const row = now.get(gnaf_pid)!;
      return row.reason === 'outside_evidence' && row.prediction_date === prediction_date;
    });
    expect(gone.length).toBeGreaterThan(3);
    await agree(1);
  });

  it('nothing is mixed: while a refresh is refused, jobs are refused too, until a later one passes', async () => {
    const before = await digestOf(sample.database);
    await changeCadastre(join(sample.dir, 'cadastre/vic'), 'vic', 15);
    const strict = ['gates.tables.parcel_shape.rows_min=100000000'];
    expect((await run(strict)).state).toBe('refused');
    await deliverListings(sample.dir, 35);
    const job = await run(strict, JOB);
    expect(job.state).toBe('refused');
    expect(job.audit.filter(({ status }) => status === 'fail').map(({ check }) => check)).toEqual([
      'rows:parcel_shape',
    ]);
    expect(await digestOf(sample.database)).toBe(before);
    await agree();
    expect((await run([], JOB)).state).toBe('published');
    await agree();
    expect((await run()).state).toBe('unchanged');
  });
});
