import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../pipelines/report/run_event.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';
import { publishedSample } from '../../published_sample.ts';
import { digestOf, refreshSample } from '../sample_run.ts';

const QUICK = ['batch_rows=60', 'retry.backoff_ms=20'];

describe('faults inside a run', () => {
  let dir: string;
  let whole: string;
  /** The tables, and nothing in them; and a database in which all is loaded and nothing computed. */
  let empty: TestDatabase;
  let loaded: TestDatabase;
  let database: TestDatabase;
  let cell: number;

  beforeAll(async () => {
    const { database: undisturbed, ...sample } = await publishedSample();
    ({ dir } = sample);
    whole = await digestOf(undisturbed);
    // A cell with neighbours of its own, in the middle of the list.
    const cells = await undisturbed.query<{ cell: number }>(
      `SELECT cell FROM asset.address_home WHERE cell > 0 GROUP BY cell ORDER BY count(*) DESC LIMIT 1`,
    );
    cell = cells[0]!.cell;
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
  ): Promise<void> => {
    await database.query('CREATE SEQUENCE public.tries');
    await database.query(`CREATE FUNCTION public.fault() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF NEW.cell = ${cell} ${times === null ? '' : `AND nextval('public.tries') <= ${times}`} THEN ${statement} END IF;
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

  it('sets a partition aside that fails each time, does the rest, and publishes nothing', async () => {
    await fault(`RAISE EXCEPTION 'poison';`, null);
    const events: RunEvent[] = [];
    const report = await refreshSample(database, dir, QUICK, { onEvent: (event) => events.push(event) });
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
    expect(report.error!.message).toContain(`address_home cell ${cell}`);
    const stages = Object.fromEntries(report.stages.map((stage) => [stage.stage, stage]));
    expect(stages.address_home!.partitions_run).toBeGreaterThan(5);
    expect(stages.serve_property!.partitions_run).toBeGreaterThan(5);
    // What reads from the partition waits; what does not is done.
    expect(stages.serve_property!.partitions_blocked).toBeGreaterThanOrEqual(1);
    expect(stages.parcel_form!.partitions_blocked).toBe(0);
    const [publications] = await database.query('SELECT count(*)::int AS n FROM control.publication');
    expect(publications).toEqual({ n: 0 });

    await database.query('DROP TRIGGER fault ON asset.address_home');
    const after = await refreshSample(database, dir, QUICK);
    expect(after.state).toBe('published');
    const ran = Object.fromEntries(after.stages.map((stage) => [stage.stage, stage.partitions_run]));
    expect(ran.address_home).toBe(1);
    expect(ran.parcel_form).toBe(0);
    expect(await digestOf(database)).toBe(whole);
  });

  it('does not try again what is wrong for good, and gives up where everything is', async () => {
    await fault(`RAISE EXCEPTION 'always';`, null);
    await database.query(`CREATE OR REPLACE FUNCTION public.fault() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'always'; END $$`);
    const report = await refreshSample(database, dir, [
      ...QUICK,
      'retry.attempts=1',
      'retry.set_aside_max=3',
    ]);
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
