import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../cli/load_config.ts';
import { type BackfillPlan, type BackfillSelection, planBackfill } from '../../../pipelines/run/backfill.ts';
import type { Config } from '../../../schema/config.ts';
import { openPool } from '../../../store/database.ts';
import type { TestDatabase } from '../../database.ts';
import { publishedSample } from '../../published_sample.ts';
import { digestOf, refreshSample } from '../sample_run.ts';

const PID = 'GAVIC900000001';
/** The partitions that wait to be computed again. */
const FORCED = `SELECT FROM control.partition WHERE fingerprint -> 'inputs' ? 'backfill'`;

describe('a backfill', () => {
  let dir: string;
  let database: TestDatabase;
  let config: Config;
  let whole: string;

  const withClient = async <T>(read: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
    const pool = openPool(database.url, 1);
    const client = await pool.connect();
    try {
      return await read(client);
    } finally {
      client.release();
      await pool.end();
    }
  };
  const plan = (selection: BackfillSelection): Promise<BackfillPlan> =>
    withClient((client) => planBackfill(client, config, selection));
  const cells = async (selection: BackfillSelection): Promise<Record<string, number[]>> =>
    Object.fromEntries((await plan(selection)).map((each) => [each.stage, each.cells]));
  const run = (backfill: BackfillSelection, set: string[] = []) =>
    refreshSample(database, dir, ['batch_rows=60', 'retry.backoff_ms=1', ...set], {
      backfill,
      command: 'backfill',
    });
  const computedIn = (id: number) =>
    database.query<{ stage: string; cell: number; reason: string }>(
      'SELECT stage, cell, reason FROM control.partition WHERE run_id = $1 ORDER BY stage, cell',
      [id],
    );

  beforeAll(async () => {
    ({ database, dir } = await publishedSample());
    ({ config } = await loadConfig({ config: join(dir, 'config.yaml') }, {}));
    whole = await digestOf(database);
  });

  afterAll(async () => {
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it('selects by place, by address and by release', async () => {
    const all = (await cells({ stage: 'serve_property' })).serve_property!;
    const vic = (await cells({ stage: 'serve_property', state: 'VIC' })).serve_property!;
    expect(vic.length).toBeGreaterThan(0);
    expect(vic.length).toBeLessThan(all.length);
    const [home] = await database.query<{
      cell: number;
      sa3: string;
      sa3_name: string;
      sal_name: string;
      lga: string;
    }>('SELECT cell, sa3, sa3_name, sal_name, lga FROM asset.address_home WHERE gnaf_pid = $1', [PID]);
    const by = async (selection: Omit<BackfillSelection, 'stage'>) =>
      (await cells({ stage: 'serve_property', ...selection })).serve_property!;
    expect(await by({ gnaf: [PID] })).toEqual([home!.cell]);
    for (const selection of [
      { sa3: home!.sa3 },
      { sa3: home!.sa3_name.toUpperCase() },
      { sal: home!.sal_name },
      { lga: home!.lga },
    ]) {
      expect(await by(selection), JSON.stringify(selection)).toContain(home!.cell);
    }
    // The sample country has places of one name in several states.
    expect(await by({ sa3: home!.sa3_name })).toEqual(expect.arrayContaining(await by({ sa3: home!.sa3 })));
    expect(await by({ state: 'VIC', gnaf: [PID] })).toEqual([home!.cell]);
    expect(await by({ sinceRelease: 'gnaf=NOVEMBER 2025' })).toEqual(all);
    expect(await by({ limit: 2 })).toHaveLength(2);
    expect((await cells({ stage: 'serve_suburb', state: 'VIC' })).serve_suburb).toEqual([-1]);
  });

  it('refuses a selection that means nothing', async () => {
    for (const selection of [
      { sa3: 'NOWHERE' },
      { state: 'VI' },
      { gnaf: ['GAXXX'] },
      { sinceRelease: 'MAY 1970' },
      { state: 'VIC', gnaf: ['GAXXX'] },
    ]) {
      await expect(plan({ stage: 'serve_property', ...selection })).rejects.toMatchObject({
        code: 'config_invalid',
      });
    }
    await expect(plan({ stage: 'serve_propety' })).rejects.toThrow(/Did you mean serve_property\?/);
  });

  it('computes again what is selected and all that depends on it, and nothing else', async () => {
    const selection = { stage: 'address_home', gnaf: [PID] };
    const expected = await plan(selection);
    expect(expected.map((each) => each.stage)).toContain('serve_property');
    const report = await run(selection);
    expect(report).toMatchObject({ state: 'unchanged', error: null });
    const computed = (await computedIn(report.run_id)).filter(({ reason }) => reason.includes('backfill'));
    expect(computed.map(({ stage, cell }) => `${stage} ${cell}`).sort()).toEqual(
      expected.flatMap(({ stage, cells: of }) => of.map((cell) => `${stage} ${cell}`)).sort(),
    );
    expect(report.datasets.every((dataset) => dataset.action === 'unchanged')).toBe(true);
    expect(await digestOf(database)).toBe(whole);
    expect(await database.query(FORCED)).toEqual([]);
  });

  it('publishes what differs, with the same audit', async () => {
    await database.query(`UPDATE asset.address_home SET parcel_area_sqm = 1 WHERE gnaf_pid = $1`, [PID]);
    const refused = await run({ stage: 'serve_property', gnaf: [PID] }, [
      'gates.tables.property.rows_min=100000',
    ]);
    expect(refused.state).toBe('refused');
    // The independent audit sees the wrong area; without it, it is published.
    const caught = await refreshSample(database, dir);
    expect(caught.state).toBe('refused');
    expect(caught.audit.filter(({ status }) => status === 'fail').map(({ check }) => check)).toEqual([
      'independent:property',
    ]);
    const wrong = await refreshSample(database, dir, ['audit.sample=0']);
    expect(wrong.tables.find((table) => table.table === 'property')).toMatchObject({ updated: 1 });
    const right = await run({ stage: 'address_home', gnaf: [PID] });
    expect(right.state).toBe('published');
    const [publication] = await database.query(
      'SELECT kind FROM control.publication ORDER BY publication_id DESC LIMIT 1',
    );
    expect(publication).toEqual({ kind: 'backfill' });
    expect(await digestOf(database)).toBe(whole);
  });

  it('resumes where it was interrupted, and a refresh does so too', async () => {
    const selection = { stage: 'address_home', state: 'VIC' };
    const asked = await plan(selection);
    const last = asked.find((each) => each.stage === 'serve_property')!.cells.at(-1)!;
    await database.query(`CREATE FUNCTION public.fault() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN IF NEW.stage = 'serve_property' AND NEW.cell = ${last} THEN RAISE EXCEPTION 'poison'; END IF; RETURN NEW; END $$`);
    const poison = () =>
      // Its rows are those that are there, and not written again.
      database.query(
        'CREATE TRIGGER fault BEFORE INSERT ON control.partition FOR EACH ROW EXECUTE FUNCTION public.fault()',
      );
    await poison();
    const failed = await run(selection);
    expect(failed.error?.code).toBe('partition_failed');
    const left = await database.query(FORCED);
    expect(left.length).toBeGreaterThan(0);
    await database.query('DROP TRIGGER fault ON control.partition');
    const resumed = await run(selection);
    expect(resumed.notes[0]).toBe(`Backfill of address_home resumed: ${left.length} partitions were left.`);
    const again = await computedIn(resumed.run_id);
    expect(again.filter(({ reason }) => reason.includes('backfill'))).toHaveLength(left.length);
    expect(await database.query(FORCED)).toEqual([]);
    await poison();
    expect((await run(selection)).error?.code).toBe('partition_failed');
    await database.query('DROP TRIGGER fault ON control.partition');
    const refreshed = await refreshSample(database, dir);
    expect(refreshed.error).toBeNull();
    expect(await database.query(FORCED)).toEqual([]);
    expect(await digestOf(database)).toBe(whole);
  });

  it('covers all partitions in turn if it is repeated with a limit', async () => {
    const all = (await cells({ stage: 'serve_property_zoning' })).serve_property_zoning!;
    const done = new Set<number>();
    for (let i = 0; i < 3; i++) {
      const report = await run({ stage: 'serve_property_zoning', limit: Math.ceil(all.length / 3) });
      expect(report.error).toBeNull();
      for (const { stage, cell } of await computedIn(report.run_id))
        if (stage === 'serve_property_zoning') done.add(cell);
    }
    expect([...done].sort((a, b) => a - b)).toEqual(all);
  });
});
