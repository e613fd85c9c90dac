import { spawn } from 'node:child_process';
import { appendFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunReport } from '../../../pipelines/report/report.ts';
import { valuationSaleStage } from '../../../pipelines/stages/valuation_sale.ts';
import type { TestDatabase } from '../../database.ts';
import { loadedDatabase, publishedSample } from '../../published_sample.ts';
import { editRows, editZip } from '../edit_release.ts';
import { editShapefile, type PolygonFeature } from '../edit_shapefile.ts';
import { digestOf, OPEN_GATES, refreshSample } from '../sample_run.ts';

const CLI = fileURLToPath(new URL('../../../cli/start.mjs', import.meta.url));
const COUNTRY = [900, 6, 'all'] as const;
const DATASET = `
  evidence:
    adapter: evidence
    path: evidence/*.csv
    licence: generated
`;

/** The same parcel with nine tenths of its width and depth. */
function shrunk(feature: PolygonFeature): PolygonFeature {
  if (feature.geometry?.type !== 'Polygon' || feature.geometry.coordinates.length !== 1) return feature;
  const ring = feature.geometry.coordinates[0] as [number, number][];
  const [x0, y0] = ring[0]!;
  const coordinates = [ring.map(([x, y]) => [x0 + (x - x0) * 0.9, y0 + (y - y0) * 0.9])];
  return { ...feature, geometry: { type: 'Polygon', coordinates } };
}

const ran = (report: RunReport, stage: string): number =>
  report.stages.find((each) => each.stage === stage)!.partitions_run;

describe('evidence without a sale or rent that is loaded', () => {
  it('values nothing: there is no day of valuation', () => {
    const none = { event: [], record: [], property: [], home: [], day: [] };
    const written = [{ kind: 'sale', state: 'VIC', gnaf_pid: 'GAVIC1', event_id: '1', date: '2026-05-02' }];
    const emitted: unknown[] = [];
    const { account } = valuationSaleStage.compute(
      { ...none, written, written_day: [{ as_of: '2026-06-01' }] },
      { cell: 1, params: {}, resource: undefined, emit: (row) => emitted.push(row) },
    );
    expect(emitted).toEqual([]);
    expect(account).toEqual({ in: 0, out: 0, drops: {} });
  });
});

describe('evidence that was written down', () => {
  let dir: string;
  let database: TestDatabase;
  const open: TestDatabase[] = [];

  const refreshed = async (of: TestDatabase = database): Promise<RunReport> => {
    const report = await refreshSample(of, dir, OPEN_GATES);
    expect(report.error).toBeNull();
    return report;
  };
  /** Runs `pipeline evidence`; gives its exit code and what it said. */
  const write = async (): Promise<{ code: number | null; out: string; err: string }> => {
    const args = ['evidence', '--json', '--out', join(dir, 'evidence'), '-c', join(dir, 'config.yaml')];
    const child = spawn(process.execPath, [CLI, ...args, '--set', `database.url=${database.url}`]);
    let [out, err] = ['', ''];
    child.stdout.on('data', (data) => (out += data));
    child.stderr.on('data', (data) => (err += data));
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { code, out, err };
  };
  const models = () =>
    database.query<{ kind: string; region: string; model_id: string }>(
      `SELECT kind, region, model_id FROM asset.avm_model UNION ALL SELECT kind, region, model_id FROM asset.avm_pooled_model
       ORDER BY kind, region`,
    );
  beforeAll(async () => {
    ({ database, dir } = await publishedSample(...COUNTRY));
    open.push(database);
  });

  afterAll(async () => {
    for (const one of open) await one.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it('is what the valuation was made from: loading it changes nothing', async () => {
    const before = await digestOf(database);
    const { code, out, err } = await write();
    expect(code, err).toBe(0);
    const said = JSON.parse(out.trim().split('\n').at(-1)!) as Record<string, unknown>;
    const [{ n: sales }] = (await database.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM asset.valuation_sale WHERE kind = 'sale'`,
    )) as [{ n: number }];
    expect(sales).toBeGreaterThan(200);
    expect(said).toMatchObject({ as_of: '2026-06-01', sales });
    await appendFile(join(dir, 'config.yaml'), DATASET);
    const report = await refreshed();
    expect(report.state).toBe('unchanged');
    expect(ran(report, 'valuation_sale')).toBeGreaterThan(0);
    expect(ran(report, 'avm_pooled_model')).toBe(0);
    expect(ran(report, 'serve_property_comparable')).toBe(0);
    expect(await digestOf(database)).toBe(before);
  });

  it('is not written over', async () => {
    const { code, out } = await write();
    expect(code).toBe(2);
    expect(out).toContain('output_not_ours');
  });

  it('keeps the models through another cadastre, an address that is gone and a sale that is told late', async () => {
    await refreshed();
    const before = await models();
    expect(before.length).toBeGreaterThan(0);
    const folder = join(dir, 'cadastre/vic');
    const file = (await readdir(folder)).find((each) => each.endsWith('.shp'))!;
    await editShapefile(join(folder, file), (feature) => (feature === null ? [] : [shrunk(feature)]));
    const [gone] = await database.query<{ gnaf_pid: string }>(
      `SELECT gnaf_pid FROM asset.valuation_sale WHERE kind = 'sale' AND state = 'NSW' ORDER BY gnaf_pid LIMIT 1`,
    );
    const zip = (await readdir(join(dir, 'gnaf'))).find((each) => each.endsWith('.zip'))!;
    await editZip(join(dir, 'gnaf', zip), /NSW_ADDRESS_(DETAIL|DEFAULT_GEOCODE)_psv/, (text) =>
      editRows(text, (row) => (row.includes(gone!.gnaf_pid) ? null : row)),
    );
    const [home] = await database.query<{ gnaf_pid: string }>(
      `SELECT gnaf_pid FROM serving.property WHERE state = 'QLD' ORDER BY gnaf_pid LIMIT 1`,
    );
    await mkdir(join(dir, 'listings'), { recursive: true });
    await writeFile(
      join(dir, 'listings/late.csv'),
      `source,source_id,event_type,channel,event_date,gnaf_pid,state,price\nlate,1,sold,sale,2026-05-01,${home!.gnaf_pid},QLD,812000\n`,
    );
    await writeFile(
      join(dir, 'listings/july.csv'),
      `source,source_id,event_type,channel,event_date,gnaf_pid,state,price\nlate,2,sold,sale,2026-07-05,${home!.gnaf_pid},QLD,815000\n`,
    );
    const report = await refreshed();
    expect(report.state).toBe('published');
    expect(report.notes.join()).toMatch(/valued as of 2026-06-01.* latest sale or rent is of 2026-07-05/);
    expect(ran(report, 'valuation_home')).toBeGreaterThan(0);
    const trained = report.stages.filter(({ stage }) => /^avm_(pooled_)?model$/.test(stage));
    expect(trained.map(({ reasons }) => reasons)).toEqual([{}, {}]);
    expect(await models()).toEqual(before);
    const late = await database.query(
      `SELECT (SELECT count(*)::int FROM serving.sale s WHERE s.event_id LIKE 'listings|late|%') AS served,
         (SELECT count(*)::int FROM asset.valuation_sale v WHERE v.event_id LIKE 'listings|late|%') AS evidence`,
    );
    expect(late).toEqual([{ served: 2, evidence: 0 }]);
    const changed = report.tables.find(({ table }) => table === 'property_avm')!;
    expect(changed.updated).toBeGreaterThan(0);
    // Values change of homes in Victoria alone, and one row goes.
    const [others] = await database.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM control.change WHERE publication_id = $1 AND table_name = 'property_avm'
         AND coalesce(after, before) ->> 'state' <> 'VIC'`,
      [report.publication],
    );
    expect(others!.n).toBe(1);
  });

  it('gives the same rows to a database that is made anew', async () => {
    const fresh = await loadedDatabase(...COUNTRY);
    open.push(fresh);
    await refreshed(fresh);
    expect(await digestOf(fresh)).toBe(await digestOf(database));
  });

  it('stays as it was loaded where every row of a newer file is rejected', async () => {
    const before = await digestOf(database);
    const path = join(dir, 'evidence/evidence_2026-06-15.csv');
    const text = await readFile(join(dir, 'evidence/evidence_2026-06-01.csv'), 'utf8');
    await writeFile(path, text.replaceAll(/,(sale|rent),/g, ',gift,'));
    const report = await refreshed();
    expect(report.datasets.find(({ dataset }) => dataset === 'evidence')).toMatchObject({ action: 'kept' });
    expect(await digestOf(database)).toBe(before);
    await rm(path);
  });

  it('describes homes as they are now when it is written again', async () => {
    const before = await models();
    const { code, err } = await write();
    expect(code, err).toBe(0);
    expect((await readdir(join(dir, 'evidence'))).sort()).toEqual([
      'evidence_2026-06-01.csv',
      'evidence_2026-07-01.csv',
    ]);
    const report = await refreshed();
    expect(report.audit?.filter(({ status }) => status !== 'pass')).toEqual([]);
    expect(report.state).toBe('published');
    expect(report.notes.join()).not.toMatch(/valued as of/);
    expect(await models()).not.toEqual(before);
    const late = await database.query(
      "SELECT 1 FROM asset.valuation_sale WHERE event_id LIKE 'listings|late|%'",
    );
    expect(late).toHaveLength(1);
  });
});
