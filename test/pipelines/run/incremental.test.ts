import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunReport } from '../../../pipelines/report/report.ts';
import { seededRandom } from '../../../sample/random.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';
import { publishedSample } from '../../published_sample.ts';
import { editDbf, editRows, editZip } from '../edit_release.ts';
import { type Nights, nightsOf } from '../nights.ts';
import { digestOf, OPEN_GATES, refreshSample } from '../sample_run.ts';

/** Random nights one after the other; EDIT_NIGHTS makes it more. */
const NIGHTS = Number(process.env.EDIT_NIGHTS ?? 1);
/** A rebuild by one worker in small batches, and by four in batches of any size: the rows are the same whoever computes them. */
const SMALL_BATCHES = ['workers=1', 'batch_rows=37'];
const FOUR_WORKERS = ['workers=4', 'batch_rows=1000000'];

const COUNTRY = [700, 5] as const;
const GNAF = 'gnaf/g-naf_nov25_allstates_gda2020_psv_1020.zip';

/** Some addresses get another number, some retire, some vanish; some points move, a few of them far away. */
async function editAddresses(dir: string, seed: number, share: number): Promise<void> {
  const { next } = seededRandom(seed, 'edits');
  await editZip(join(dir, GNAF), /_ADDRESS_DETAIL_psv\.psv$/, (text) =>
    editRows(text, (row, columns) => {
      if (next() >= share) return row;
      const kind = next();
      if (kind < 0.2) return null;
      if (kind < 0.4) row[columns.indexOf('CONFIDENCE')] = '-1';
      else row[columns.indexOf('NUMBER_FIRST')] = String(1 + Math.floor(next() * 500));
      return row;
    }),
  );
  await editZip(join(dir, GNAF), /_ADDRESS_DEFAULT_GEOCODE_psv\.psv$/, (text) =>
    editRows(text, (row, columns) => {
      if (next() >= share || row[columns.indexOf('LONGITUDE')] === '') return row;
      const far = next() < 0.3 ? 0.2 : 0.0003;
      row[columns.indexOf('LONGITUDE')] = (Number(row[columns.indexOf('LONGITUDE')]) + far).toFixed(8);
      return row;
    }),
  );
}

const stagesRun = (report: RunReport): Record<string, number> =>
  Object.fromEntries(
    report.stages.map((stage) => [stage.stage, stage.partitions_run + stage.partitions_removed]),
  );

describe('refreshing what changed', () => {
  let original: string;
  let dir: string;
  let database: TestDatabase;
  let nights: Nights;

  beforeAll(async () => {
    ({ database, dir: original } = await publishedSample(...COUNTRY));
    dir = `${original}-edited`;
    await cp(original, dir, { recursive: true });
    nights = nightsOf(COUNTRY, database, dir);
  });

  afterAll(async () => {
    await nights?.drop();
    await database?.drop();
    await rm(original, { recursive: true, force: true });
    await rm(dir, { recursive: true, force: true });
  });

  it('writes nothing the second time', async () => {
    const before = await digestOf(database);
    const report = await refreshSample(database, dir);
    expect(report.state).toBe('unchanged');
    expect(Object.values(stagesRun(report)).every((n) => n === 0)).toBe(true);
    expect(await digestOf(database)).toBe(before);
  });

  it('recomputes one cell for one changed address', async () => {
    let edited = '';
    await editZip(join(dir, GNAF), /VIC_ADDRESS_DETAIL_psv\.psv$/, (text) =>
      editRows(text, (row, columns) => {
        const plain =
          row[columns.indexOf('ALIAS_PRINCIPAL')] === 'P' && row[columns.indexOf('CONFIDENCE')] !== '-1';
        if (edited !== '' || row.length < 35 || !plain) return row;
        edited = row[0]!;
        row[columns.indexOf('BUILDING_NAME')] = 'NEW NAME HOUSE';
        return row;
      }),
    );
    const report = await refreshSample(database, dir);
    expect(report.error).toBeNull();
    // The finder shows the address line too.
    expect(report.tables.filter((t) => t.inserted + t.updated + t.deleted > 0)).toEqual([
      expect.objectContaining({ table: 'property', inserted: 0, updated: 1, deleted: 0 }),
      expect.objectContaining({ table: 'property_finder', inserted: 0, updated: 1, deleted: 0 }),
    ]);
    const run = stagesRun(report);
    expect(run.serve_property).toBe(1);
    // The neighbours of this address are computed again, and no others; so are the suburbs, and their rows are the same.
    expect([run.serve_property_neighbour, run.serve_suburb]).toEqual([1, 1]);
    expect(
      report.stages.find(({ stage }) => stage === 'serve_property_neighbour')?.rows_written,
    ).toBeLessThan(20);
    const changes = await database.query(
      `SELECT change, key, before, after FROM control.change WHERE table_name = 'property'`,
    );
    expect(changes).toHaveLength(1);
    expect(changes[0]).toMatchObject({
      change: 'update',
      key: edited,
      after: { building_name: 'NEW NAME HOUSE' },
    });
    expect(await digestOf(database)).toBe(await nights.rebuilt(SMALL_BATCHES, await createDatabase()));
  });

  it('measures one address alone whose point moves, and what is made of it', async () => {
    await editZip(join(dir, GNAF), /VIC_ADDRESS_DEFAULT_GEOCODE_psv\.psv$/, (text) => {
      let isMoved = false;
      return editRows(text, (row, columns) => {
        const at = columns.indexOf('LONGITUDE');
        if (isMoved || !row[at]) return row;
        isMoved = true;
        row[at] = (Number(row[at]) + 1e-6).toFixed(8);
        return row;
      });
    });
    const report = await refreshSample(database, dir);
    expect(report.error).toBeNull();
    const stages = ['profile', 'zoning', 'overlay', 'proximity', 'risk', 'finder'].map(
      (name) => report.stages.find(({ stage }) => stage === `serve_property_${name}`)!,
    );
    for (const { stage, partitions_run, reasons } of stages) {
      expect([stage, partitions_run]).toEqual([stage, 1]);
      expect(Object.keys(reasons)[0], stage).toMatch(/, by key$/);
    }
    expect(stages[0]!.rows_written).toBe(1);
    expect(await digestOf(database)).toBe(await nights.rebuilt(FOUR_WORKERS, await createDatabase()));
  });

  const seeds = Array.from({ length: NIGHTS }, (_, night) => 11 + night);
  it.each(seeds)('equals a rebuild after random edits, deletes and moves (seed %i)', async (seed) => {
    await editAddresses(dir, seed, 0.05);
    await editDbf(join(dir, 'planning/vic/PLAN_ZONE.dbf'), seed % 3, 'ZONE_CODE', `NRZ${seed}`);
    await editDbf(join(dir, 'cadastre/vic/PARCEL_VIEW.dbf'), seed * 3, 'PARCEL_STA', 'P').catch(() =>
      editDbf(join(dir, 'cadastre/vic/PARCEL_VIEW.dbf'), seed * 3, 'PARCEL_STATUS'.slice(0, 10), 'P'),
    );
    const report = await refreshSample(database, dir, OPEN_GATES);
    expect(report.error).toBeNull();
    expect(report.state).toBe('published');
    await nights.over();
  });

  it('equals a rebuild after a dataset is taken out, and after it comes back', async () => {
    const config = join(dir, 'config.yaml');
    const whole = await readFile(config, 'utf8');
    const before = await digestOf(database);
    await writeFile(config, whole.replace(/ {2}cadastre_qld:[\s\S]*?(?= {2}cadastre_sa:)/, ''));
    const without = await refreshSample(database, dir, OPEN_GATES);
    expect(without.error).toBeNull();
    expect(without.datasets.find((d) => d.dataset === 'cadastre_qld')?.action).toBe('removed');
    await nights.over();
    await writeFile(config, whole);
    await refreshSample(database, dir, OPEN_GATES);
    expect(await digestOf(database)).toBe(before);
  });

  it('equals a rebuild after a parameter changes', async () => {
    const set = ['neighbours.tolerance_m=0.05', 'neighbours.min_shared_m=0.4', 'parcel.nearest_m=1'];
    // A stage that is skipped leaves its table as it is, with what reads from it; the next run makes up for it.
    const neighbours = () =>
      database.query(
        'SELECT md5(string_agg(n::text, $1 ORDER BY n::text)) FROM serving.property_neighbour n',
        [''],
      );
    const before = await neighbours();
    const skipped = await refreshSample(database, dir, set, { skip: ['serve_property_neighbour'] });
    expect([skipped.error, stagesRun(skipped).serve_property_neighbour]).toEqual([null, undefined]);
    expect(skipped.notes.join()).toMatch(/Not computed; .*: serve_property_neighbour, serve_sandbox_sample/);
    expect(await neighbours()).toEqual(before);
    const report = await refreshSample(database, dir, set);
    expect(stagesRun(report).serve_parcel_shape).toBe(0);
    expect(stagesRun(report).serve_property_neighbour).toBeGreaterThan(0);
    expect(stagesRun(report).serve_property_neighbour).toBeGreaterThan(0);
    expect(await digestOf(database)).toBe(await nights.rebuilt(set));
    await refreshSample(database, dir);
  });

  it('refuses a publication that loses too many rows, and takes it when told to', async () => {
    const before = await digestOf(database);
    await editAddresses(dir, 99, 0.9);
    // What changed is not looked at where its dataset is skipped, or another one alone is named.
    for (const selectors of [{ skip: ['gnaf'] }, { only: ['asgs', 'zoning_vic'] }]) {
      const report = await refreshSample(database, dir, [], selectors);
      expect([report.state, report.datasets.some(({ dataset }) => dataset === 'gnaf')]).toEqual([
        'unchanged',
        false,
      ]);
      expect(report.notes.join()).toMatch(/Not checked, and in service as last loaded: .*gnaf/);
    }
    const refused = await refreshSample(database, dir, ['gates.rows_change_max=0.05']);
    expect(refused.state).toBe('refused');
    const failed = refused.audit.filter((check) => check.status === 'fail').map((check) => check.check);
    expect(failed).toContain('rows:property');
    expect(await digestOf(database)).toBe(before);
    // The next run has nothing to compute and refuses again, for the same reason.
    const again = await refreshSample(database, dir, ['gates.rows_change_max=0.05']);
    expect(again.state).toBe('refused');
    expect(Object.values(stagesRun(again)).every((n) => n === 0)).toBe(true);
    const accepted = { gates: failed, reason: 'the publisher withdrew them' };
    const taken = await refreshSample(database, dir, ['gates.rows_change_max=0.05'], { accepted });
    expect(taken.state).toBe('published');
    expect(taken.audit.find((check) => check.check === 'rows:property')).toMatchObject({
      status: 'accepted',
    });
    await nights.over();
    await nights.compared();
  });
});
