import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../pipelines/report/run_event.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';
import { publishedSample } from '../../published_sample.ts';
import { digestOf, refreshSample } from '../sample_run.ts';

const byStage = (a: { stage: string }, b: { stage: string }): number => (a.stage < b.stage ? -1 : 1);

const QUICK = ['batch_rows=60', 'retry.backoff_ms=20'];

describe('faults inside a run', () => {
  let dir: string;
  let whole: string;
  /** The tables, and nothing in them; and a database in which all is loaded and nothing computed. */
  let empty: TestDatabase;
  let loaded: TestDatabase;
  let database: TestDatabase;
  let cell: number;
  let neighbour: number;
  /** Number of partitions of the stage that fails. */
  let cells: number;

  beforeAll(async () => {
    const { database: undisturbed, ...sample } = await publishedSample();
    ({ dir } = sample);
    whole = await digestOf(undisturbed);
    // A cell with neighbours of its own, in the middle of the list.
    const largest = await undisturbed.query<{ cell: number }>(
      `SELECT cell FROM asset.address_home WHERE cell > 0 GROUP BY cell ORDER BY count(*) DESC, cell LIMIT 2`,
    );
    [cell, neighbour] = largest.map((row) => row.cell) as [number, number];
    const recorded = await undisturbed.query(`SELECT 1 FROM control.partition WHERE stage = 'address_home'`);
    cells = recorded.length;
    await undisturbed.drop();
    empty = await createDatabase();
    // The run before the fault makes the tables; its data are of another folder's configuration.
    const { error } = await refreshSample(empty, dir, ['datasets.gnaf.path=missing']);
    expect(error?.code).toBe('missing_file');
    loaded = await empty.copy();
    await loaded.query(
      'CREATE TRIGGER fault BEFORE INSERT ON control.partition EXECUTE FUNCTION suppress_redundant_updates_trigger()',
    );
    expect((await refreshSample(loaded, dir, ['retry.set_aside_max=0'])).state).toBe('failed');
    await loaded.query('DROP TRIGGER fault ON control.partition');
    expect(await loaded.query('SELECT 1 FROM control.partition')).toEqual([]);
  });

  beforeEach(async () => {
    database = await loaded.copy();
    return () => database.drop();
  });

  afterAll(async () => {
    await empty?.drop();
    await loaded?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  /** Makes writing rows of the cell fail, `times` times or always. */
  const fault = async (
    statement: string,
    times: number | null,
    table = 'asset.address_home',
    condition = `NEW.cell = ${cell}`,
  ): Promise<void> => {
    await database.query('CREATE SEQUENCE public.tries');
    await database.query(`CREATE FUNCTION public.fault() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF ${condition} ${times === null ? '' : `AND nextval('public.tries') <= ${times}`} THEN ${statement} END IF;
        RETURN NEW;
      END $$`);
    await database.query(
      `CREATE TRIGGER fault BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION public.fault()`,
    );
  };

  it.each([
    ['a serialisation failure', `RAISE EXCEPTION 'try again' USING ERRCODE = '40001';`],
    ['a connection of a worker that is cut', 'PERFORM pg_terminate_backend(pg_backend_pid());'],
  ])('tries a batch again after %s', async (_, statement) => {
    await fault(statement, 2);
    const events: RunEvent[] = [];
    const report = await refreshSample(database, dir, QUICK, { onEvent: (event) => events.push(event) });
    expect(report.error).toBeNull();
    expect(report.state).toBe('published');
    const retries = events.filter((event) => event.event === 'retrying');
    expect(retries.map(({ attempt, wait_ms }) => [attempt, wait_ms])).toEqual([
      [1, 20],
      [2, 40],
    ]);
    expect(retries[0]!.cells).toContain(cell);
    expect(await digestOf(database)).toBe(whole);
  });

  it('names a partition that fails each time, starts no further stage, and publishes nothing', async () => {
    await fault(`RAISE EXCEPTION 'poison';`, null);
    const report = await refreshSample(database, dir, QUICK);
    expect(report).toMatchObject({ state: 'failed', publication: null, error: { code: 'partition_failed' } });
    expect(report.set_aside).toEqual([
      {
        stage: 'address_home',
        partition: `cell ${cell}`,
        attempts: 3,
        code: 'postgres_or_system_P0001',
        message: expect.stringContaining('poison'),
      },
    ]);
    expect(report.error!.message).toContain(`1 partition could not be computed: address_home cell ${cell}.`);
    expect(report.error!.message).toContain('It was tried 3 times and failed with postgres_or_system_P0001');
    const stages = Object.fromEntries(report.stages.map((stage) => [stage.stage, stage.partitions_run]));
    expect(stages.parcel_form).toBeGreaterThan(5);
    expect(stages).not.toHaveProperty('serve_property');
    const recorded = await database.query(
      `SELECT stage, count(*)::int AS n FROM control.partition GROUP BY stage ORDER BY stage`,
    );
    const ran = Object.entries(stages).filter(([, partitions]) => partitions > 0);
    expect(recorded).toEqual(ran.map(([stage, n]) => ({ stage, n })).sort(byStage));
    const [publications] = await database.query('SELECT count(*)::int AS n FROM control.publication');
    expect(publications).toEqual({ n: 0 });

    await database.query('DROP TRIGGER fault ON asset.address_home');
    const after = await refreshSample(database, dir, QUICK);
    expect(after.state).toBe('published');
    const ranAfter = Object.fromEntries(after.stages.map((stage) => [stage.stage, stage.partitions_run]));
    expect(ranAfter.address_home).toBe(cells - stages.address_home!);
    expect(ranAfter.parcel_form).toBe(0);
    expect(await digestOf(database)).toBe(whole);
  });

  it('names all failed partitions of a batch, and records the others', async () => {
    await fault(
      `RAISE EXCEPTION 'poison';`,
      null,
      'asset.address_home',
      `NEW.cell IN (${cell}, ${neighbour})`,
    );
    const report = await refreshSample(database, dir, ['retry.attempts=1']);
    const partitions = [cell, neighbour].sort((a, b) => a - b).map((each) => `cell ${each}`);
    expect(report.set_aside.map(({ partition }) => partition)).toEqual(partitions);
    expect(report.error!.message).toContain(
      `2 partitions could not be computed: ${partitions.map((each) => `address_home ${each}`).join(', ')}.`,
    );
    expect(report.stages.find(({ stage }) => stage === 'address_home')!.partitions_run).toBe(cells - 2);
    await database.query('DROP TRIGGER fault ON asset.address_home');
    expect((await refreshSample(database, dir)).state).toBe('published');
    expect(await digestOf(database)).toBe(whole);
  });

  it('finishes the batch that runs when a partition fails, and starts no other', async () => {
    // The partition fails once another one has begun, which then takes a while.
    await fault(
      `WHILE NOT (SELECT is_called FROM public.tries) LOOP PERFORM pg_sleep(0.01); END LOOP;
       RAISE EXCEPTION 'poison';`,
      null,
    );
    await database.query(`CREATE FUNCTION public.slow() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF NEW.cell <> ${cell} AND nextval('public.tries') < 50 THEN PERFORM pg_sleep(0.02); END IF;
        RETURN NEW;
      END $$`);
    await database.query(
      'CREATE TRIGGER slow BEFORE INSERT ON asset.address_home FOR EACH ROW EXECUTE FUNCTION public.slow()',
    );
    const report = await refreshSample(database, dir, ['batch_rows=1', 'retry.attempts=1', 'workers=2']);
    expect(report.error).toMatchObject({ code: 'partition_failed' });
    expect(report.set_aside).toMatchObject([{ partition: `cell ${cell}`, attempts: 1 }]);
    expect(report.stages.find(({ stage }) => stage === 'address_home')!.partitions_run).toBe(1);
    const homes = await database.query('SELECT DISTINCT cell FROM asset.address_home');
    expect(homes).toHaveLength(1);
  });

  it('does not retry permanent failures, and ends at once if more partitions of a batch fail than are allowed', async () => {
    await fault(`RAISE EXCEPTION 'always';`, null);
    await database.query(`CREATE OR REPLACE FUNCTION public.fault() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'always'; END $$`);
    const report = await refreshSample(database, dir, ['retry.attempts=1', 'retry.set_aside_max=3']);
    expect(report.error).toMatchObject({ code: 'partition_failed' });
    expect(report.set_aside).toHaveLength(4);
    expect(report.error!.message).toContain('More than 3 partitions failed');
  });

  it('reads a dataset again after a connection that is cut', async () => {
    await database.drop();
    database = await empty.copy();
    await database.query(`CREATE SEQUENCE public.tries`);
    await database.query(`CREATE FUNCTION public.cut() RETURNS event_trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF EXISTS (SELECT 1 FROM pg_event_trigger_ddl_commands() WHERE object_identity ~ 'record.zone_piece_l')
          AND nextval('public.tries') = 1 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;
      END $$`);
    await database.query(
      `CREATE EVENT TRIGGER cut ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION public.cut()`,
    );
    const events: RunEvent[] = [];
    const report = await refreshSample(database, dir, QUICK, { onEvent: (event) => events.push(event) });
    expect(report.error).toBeNull();
    expect(events.filter((event) => event.event === 'retrying')).toMatchObject([
      { subject: expect.stringMatching(/^zoning_/) },
    ]);
    expect(await digestOf(database)).toBe(whole);
  });
});
