import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../cli/load_config.ts';
import { ingest } from '../../../pipelines/ingest/ingest.ts';
import { planDatasets } from '../../../pipelines/ingest/plan_datasets.ts';
import { type Progress, silent } from '../../../pipelines/report/progress.ts';
import type { RunReport } from '../../../pipelines/report/report.ts';
import { inThreads } from '../../../pipelines/tasks/executor.ts';
import { Workers } from '../../../pipelines/tasks/workers.ts';
import { preview } from '../../../pipelines/views/preview.ts';
import { status } from '../../../pipelines/views/status.ts';
import { openPool } from '../../../store/database.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';
import { publishedSample } from '../../published_sample.ts';
import { copySample, cut, editBytes, editTable, editVertices, gnafZip, remove, setField } from '../damage.ts';
import { digestOf, OPEN_GATES, refreshSample } from '../sample_run.ts';

type Damage = (dir: string) => Promise<unknown>;

const VIC = (dir: string, extension: string): string => join(dir, `cadastre/vic/PARCEL_VIEW.${extension}`);
const ZONE = (dir: string, extension: string): string => join(dir, `planning/vic/PLAN_ZONE.${extension}`);
const table = (name: string): string => `G-NAF/G-NAF NOVEMBER 2025/Standard/${name}_psv.psv`;

/** Damage that stops the run: what, the code, and what the message must name. */
const FATAL: readonly (readonly [string, Damage, string, RegExp])[] = [
  ['a missing file', async (dir) => remove(await gnafZip(dir)), 'missing_file', /gnaf\/\*\.zip/],
  ['a missing folder', (dir) => remove(join(dir, 'cadastre/vic')), 'missing_file', /cadastre\/vic\/\*\.shp/],
  ['a truncated zip', async (dir) => cut(await gnafZip(dir), 0.7), 'bad_archive', /g-naf_nov25.*\.zip/],
  [
    'a table that is not there',
    (dir) => editTable(dir, 'VIC_STREET_LOCALITY', () => null),
    'gnaf_missing_table',
    /VIC.*STREET_LOCALITY/,
  ],
  [
    'a .dbf with a wrong header',
    (dir) =>
      editBytes(
        VIC(dir, 'dbf'),
        (bytes) => void bytes.write('PARCEL_XXX', bytes.indexOf('PARCEL_PFI'), 'latin1'),
      ),
    'missing_column',
    /PARCEL_VIEW.*PARCEL_PFI/i,
  ],
  ['a missing .dbf', (dir) => remove(VIC(dir, 'dbf')), 'missing_dbf', /PARCEL_VIEW\.shp/],
  ['no .prj', (dir) => remove(VIC(dir, 'prj')), 'missing_crs', /PARCEL_VIEW\.shp/],
  [
    'an unknown CRS',
    (dir) =>
      writeFile(
        ZONE(dir, 'prj'),
        'GEOGCS["GCS_Clarke_1858",DATUM["D_Clarke",SPHEROID["Clarke_1858",6378293.645,294.26]],PRIMEM["Greenwich",0],UNIT["Degree",0.0174532925199433]]',
      ),
    'unknown_crs',
    /PLAN_ZONE/,
  ],
];

/** Damages one line of ADDRESS_DETAIL of the ACT (the header is line 1). */
const address =
  (edit: (lines: string[]) => string[]): Damage =>
  (dir) =>
    editTable(dir, 'ACT_ADDRESS_DETAIL', edit);
const geocode =
  (edit: (lines: string[]) => string[]): Damage =>
  (dir) =>
    editTable(dir, 'ACT_ADDRESS_DEFAULT_GEOCODE', edit);
/** Damages one parcel of Victoria. */
const parcel =
  (feature: number, edit: (points: [number, number][]) => [number, number][]): Damage =>
  (dir) =>
    editVertices(VIC(dir, 'shp'), feature, edit);

const DETAIL = table('ACT_ADDRESS_DETAIL');
const GEOCODE = table('ACT_ADDRESS_DEFAULT_GEOCODE');
const PARCEL = 'PARCEL_VIEW.shp';

/** Damage that sets rows aside: what, code, file and place of the reject. All of it is done to one sample country. */
const REJECTED: readonly (readonly [string, Damage, string, string, string])[] = [
  [
    'a locality that is not there',
    address(setField(10, 'LOCALITY_PID', 'loc404')),
    'unknown_locality',
    DETAIL,
    'line 10',
  ],
  ['a duplicate PID', address((lines) => lines.with(12, lines[11]!)), 'duplicate_key', DETAIL, 'line 13'],
  [
    'an address outside Australia',
    geocode(setField(4, 'LATITUDE', '51.5')),
    'outside_australia',
    GEOCODE,
    'line 4',
  ],
  [
    'a zero-area parcel',
    parcel(14, (points) => points.map(() => points[0]!)),
    'zero_area',
    PARCEL,
    'feature 14',
  ],
  [
    'a parcel outside Australia',
    parcel(15, (points) => points.map(([x, y]) => [x - 140, y])),
    'outside_australia',
    PARCEL,
    'feature 15',
  ],
  [
    'a parcel with a coordinate that is none',
    parcel(16, (points) => points.with(1, [Number.NaN, 1])),
    'bad_coordinate',
    PARCEL,
    'feature 16',
  ],
  [
    'a duplicate parcel',
    (dir) =>
      editBytes(
        VIC(dir, 'dbf'),
        (bytes) => void bytes.write('200000017', bytes.indexOf('200000018'), 'latin1'),
      ),
    'duplicate_key',
    PARCEL,
    'feature 18',
  ],
];

/** Every row of every input and of every stage is accounted for. */
function expectBalanced(report: RunReport): void {
  const sum = (drops: Record<string, number>): number => Object.values(drops).reduce((a, b) => a + b, 0);
  for (const { dataset, accounts } of report.datasets) {
    for (const { file, rows_in, records, rejects, drops } of accounts)
      expect(records + rejects + sum(drops), `${dataset} ${file}`).toBe(rows_in);
  }
  for (const { stage, account } of report.stages)
    expect(account.out + account.rejects + sum(account.drops), stage).toBe(account.in);
}

describe('bad input', () => {
  let parent: string;
  let sample: string;
  let database: TestDatabase;
  // Several rows of small tables are damaged at once.
  const quick = ['workers=1', ...OPEN_GATES, 'gates.rejects_share_max=1'];
  const damaged = async (damage: Damage): Promise<RunReport> => {
    const dir = await copySample(sample, parent);
    await damage(dir);
    return refreshSample(database, dir, quick);
  };

  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'bad-input-'));
    ({ database, dir: sample } = await publishedSample());
  });

  afterAll(async () => {
    await database?.drop();
    await rm(sample, { recursive: true, force: true });
    await rm(parent, { recursive: true, force: true });
  });

  it.each(FATAL)('keeps what was loaded on %s, and names it', async (_, damage, code, named) => {
    const before = await digestOf(database);
    const report = await damaged(damage);
    expect([report.state, report.error]).toEqual(['unchanged', null]);
    const kept = report.datasets.filter(({ action }) => action === 'kept');
    expect(kept).toHaveLength(1);
    expect(kept[0]!.reason).toMatch(new RegExp(`^(${code}): `));
    expect(kept[0]!.reason).toMatch(named);
    expect(await digestOf(database)).toBe(before);
    expect(await database.query(`SELECT 1 FROM control.load WHERE state <> 'active'`)).toEqual([]);
  });

  it('fails on a damaged or fully rejected first delivery, and names the cause', async () => {
    const empty = await createDatabase();
    try {
      const dir = await copySample(sample, parent);
      await cut(await gnafZip(dir), 0.7);
      const report = await refreshSample(empty, dir, quick);
      expect([report.state, report.error?.code]).toEqual(['failed', 'bad_archive']);
      const rejected = await copySample(sample, parent);
      const crs = await refreshSample(empty, rejected, [...quick, 'datasets.zoning_vic.crs=EPSG:7855']);
      expect([crs.state, crs.error?.code, crs.datasets]).toEqual(['failed', 'all_rejected', []]);
      expect(crs.error?.message).toMatch(
        /every row was rejected \(\d+ outside_australia\), for example .+ feature 1: /,
      );
    } finally {
      await empty.drop();
    }
  });

  it('says in the plan and the status what is kept, and serves the rest of the night', async () => {
    const dir = await copySample(sample, parent);
    await cut(VIC(dir, 'dbf'), 0.5);
    await editTable(dir, 'NT_ADDRESS_DETAIL', (lines) => lines.slice(0, -1));
    const { config, base } = await loadConfig(
      { config: join(dir, 'config.yaml'), set: [`database.url=${database.url}`] },
      {},
    );
    const pool = openPool(database.url, 1);
    const client = await pool.connect();
    try {
      await remove(VIC(dir, 'prj'));
      await remove(VIC(dir, 'shp'));
      const plan = await preview(client, config, base);
      expect(plan.datasets.filter(({ action }) => action === 'kept')).toMatchObject([
        { dataset: 'cadastre_vic', reason: expect.stringContaining('missing_file: ') },
      ]);
      const report = await refreshSample(database, dir, quick);
      expect([report.state, report.error]).toEqual(['published', null]);
      const said = (await status(client)).datasets.find(({ dataset }) => dataset === 'cadastre_vic');
      expect(said?.kept).toContain('missing_file: ');
    } finally {
      client.release();
      await pool.end();
    }
    expect((await refreshSample(database, sample, quick)).state).toBe('published');
  });

  describe('in single rows', () => {
    let report: RunReport;

    beforeAll(async () => {
      report = await damaged(async (dir) => {
        for (const [, damage] of REJECTED) await damage(dir);
        // A bow tie: two corners of a lot change places.
        await parcel(19, (points) => points.with(1, points[2]!).with(2, points[1]!))(dir);
      });
    });
    afterAll(async () => {
      expect((await refreshSample(database, sample, quick)).state).toBe('published');
    });

    it('lets the rest through', () => {
      expect(report.error).toBeNull();
      expect(report.state).toBe('published');
      expectBalanced(report);
    });

    it.each(REJECTED)('sets aside %s', async (_, __, code, file, at) => {
      const rejects = await database.query<{ message: string }>(
        `SELECT r.message FROM control.reject r JOIN control.load l USING (load_id)
         WHERE l.state = 'active' AND r.code = $1 AND r.file = $2 AND r.at = $3`,
        [code, file, at],
      );
      expect(rejects).toHaveLength(1);
      expect(rejects[0]!.message.length).toBeGreaterThan(5);
    });

    it('repairs a self-intersecting parcel by a rule with a name', async () => {
      const [repaired] = await database.query(
        `SELECT p.repaired FROM record.parcel p JOIN control.load l USING (load_id)
         WHERE l.dataset = 'cadastre_vic' AND p.source_no = 19`,
      );
      expect(repaired).toEqual({ repaired: 'self_intersection_split' });
    });
  });

  it('refuses one PID in the tables of two states, and what was published stays', async () => {
    const before = await digestOf(database);
    let line = '';
    const report = await damaged(async (dir) => {
      await editTable(dir, 'ACT_ADDRESS_DETAIL', (lines) => {
        line = lines[2]!;
        return lines;
      });
      const foreign = (lines: string[]): string[] => {
        const own = lines[3]!.split('|');
        return lines.with(3, [line.split('|')[0], ...own.slice(1)].join('|'));
      };
      await editTable(dir, 'NSW_ADDRESS_DETAIL', foreign);
    });
    const kept = report.datasets.filter(({ action }) => action === 'kept');
    expect([report.state, kept.map(({ dataset }) => dataset)]).toEqual(['unchanged', ['gnaf']]);
    expect(kept[0]!.reason).toContain(line.split('|')[0]);
    expect(await digestOf(database)).toBe(before);
  });

  it.each([
    ['grows', (path: string) => appendFile(path, 'x')],
    ['disappears', (path: string) => remove(path)],
  ])('fails where a file %s while it is read', async (_, change) => {
    const before = await digestOf(database);
    const loads = await database.query('SELECT load_id FROM control.load ORDER BY 1');
    const dir = await copySample(sample, parent);
    // Something to load, so that there is a while.
    await editTable(dir, 'NT_ADDRESS_DETAIL', (lines) => lines.slice(0, -1));
    const zip = await gnafZip(dir);
    let changed: Promise<unknown> | undefined;
    const meddling: Progress = {
      start: (name) => ({
        done: () => {
          if (name === 'load gnaf') changed ??= change(zip);
        },
        rows: () => undefined,
        end: () => undefined,
      }),
    };
    const report = await refreshSample(database, dir, [...quick, 'gates.rows_change_max=0'], {
      progress: meddling,
    });
    await changed;
    expect(report.error?.code).toBe('file_changed');
    expect(report.error?.message).toContain(zip);
    expect(await digestOf(database)).toBe(before);
    const left = await database.query(`SELECT load_id FROM control.load WHERE dataset = 'gnaf' ORDER BY 1`);
    expect(loads).toEqual(expect.arrayContaining(left));
  });

  it('fails where a file changes after it was hashed and before it is read', async () => {
    const dir = await copySample(sample, parent);
    await editTable(dir, 'NT_ADDRESS_DETAIL', (lines) => lines.slice(0, -1));
    const zip = await gnafZip(dir);
    const other = await copySample(sample, parent);
    await editTable(other, 'NT_ADDRESS_DETAIL', (lines) => lines.slice(0, -3));
    const bytes = await readFile(await gnafZip(other));
    const { config, base } = await loadConfig({ config: join(dir, 'config.yaml'), set: quick }, {});
    const pool = openPool(database.url, 1);
    const client = await pool.connect();
    const workers = new Workers(1, { url: database.url, config, session: 'test' });
    try {
      const plans = await planDatasets(client, config, base, false);
      await writeFile(zip, bytes);
      const [run] = await database.query<{ run_id: number }>('SELECT max(run_id) AS run_id FROM control.run');
      await expect(
        ingest(
          client,
          plans.filter((plan) => plan.dataset === 'gnaf'),
          {
            executor: inThreads(workers),
            exclusively: pLimit(1),
            runId: run!.run_id,
            progress: silent,
            retry: config.retry,
            onEvent: () => undefined,
          },
        ),
      ).rejects.toMatchObject({ code: 'file_changed' });
    } finally {
      await workers.close();
      client.release();
      await pool.end();
    }
  });

  it('serves what it served before once the input is whole again', async () => {
    const fresh = await createDatabase();
    try {
      expect((await refreshSample(database, sample, quick)).error).toBeNull();
      await refreshSample(fresh, sample, quick);
      expect(await digestOf(database)).toBe(await digestOf(fresh));
    } finally {
      await fresh.drop();
    }
  });
});
