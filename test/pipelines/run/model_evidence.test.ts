import { spawn } from 'node:child_process';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunReport } from '../../../pipelines/report/report.ts';
import type { RefreshOptions } from '../../../pipelines/run/refresh.ts';
import { WHOLE } from '../../countries.ts';
import type { TestDatabase } from '../../database.ts';
import { loadedDatabase, publishedSample } from '../../published_sample.ts';
import { editRows, editZip } from '../edit_release.ts';
import { editShapefile, type PolygonFeature } from '../edit_shapefile.ts';
import { digestOf, OPEN_GATES, refreshSample } from '../sample_run.ts';

const CLI = fileURLToPath(new URL('../../../cli/start.mjs', import.meta.url));

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

describe('the models of a month', () => {
  let dir: string;
  let evidence: string;
  let database: TestDatabase;
  /** Digest of a database made anew whose models are made from the sales as they are. */
  let retrained: string;
  const open: TestDatabase[] = [];

  const refreshed = async (
    of: TestDatabase = database,
    options: Partial<RefreshOptions> = {},
  ): Promise<RunReport> => {
    const report = await refreshSample(of, dir, OPEN_GATES, options);
    expect(report.error).toBeNull();
    return report;
  };
  const anew = async (options: Partial<RefreshOptions> = {}): Promise<string> => {
    const fresh = await loadedDatabase(WHOLE);
    open.push(fresh);
    await refreshed(fresh, options);
    return digestOf(fresh);
  };
  /** Runs a command; gives its exit code and what it said. */
  const run = async (...args: string[]): Promise<{ code: number | null; out: string; err: string }> => {
    const config = ['-c', join(dir, 'config.yaml'), '--set', `database.url=${database.url}`, '--json'];
    const child = spawn(process.execPath, [CLI, ...args, ...config]);
    let [out, err] = ['', ''];
    child.stdout.on('data', (data) => (out += data));
    child.stderr.on('data', (data) => (err += data));
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { code, out, err };
  };
  const models = () =>
    database.query<{ kind: string; state: string; model_id: string }>(
      'SELECT kind, state, model_id FROM asset.avm_choice ORDER BY kind, state',
    );
  const deliver = async (name: string, date: string): Promise<void> => {
    const [home] = await database.query<{ gnaf_pid: string }>(
      `SELECT gnaf_pid FROM serving.property WHERE state = 'QLD' ORDER BY gnaf_pid LIMIT 1`,
    );
    await mkdir(join(dir, 'listings'), { recursive: true });
    await writeFile(
      join(dir, `listings/${name}.csv`),
      `source,source_id,event_type,channel,event_date,gnaf_pid,state,price\n${name},1,sold,sale,${date},${home!.gnaf_pid},QLD,812000\n`,
    );
  };

  beforeAll(async () => {
    ({ database, dir } = await publishedSample(WHOLE));
    evidence = join(dir, 'out/model_evidence.csv');
    open.push(database);
  });

  afterAll(async () => {
    for (const one of open) await one.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it('survive a new cadastre, a deleted address and a sale that is reported late', async () => {
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
    await deliver('late', '2026-05-01');
    const report = await refreshed();
    expect(report.state).toBe('published');
    expect(ran(report, 'valuation_home')).toBeGreaterThan(0);
    for (const stage of ['model_evidence', 'avm_model', 'avm_pooled_model', 'avm_choice'])
      expect(ran(report, stage), stage).toBe(0);
    expect(await models()).toEqual(before);
    // The sale that is told late is a comparable at once.
    const late = await database.query(
      `SELECT (SELECT count(*)::int FROM asset.valuation_sale v WHERE v.event_id LIKE 'listings|late|%') AS sales,
         (SELECT count(*)::int FROM asset.model_evidence v WHERE v.event_id LIKE 'listings|late|%') AS trained_on,
         (SELECT count(*) > 0 FROM serving.property_comparable c JOIN serving.sale s ON s.gnaf_pid = ANY (c.sale_pids) AND s.date - DATE '1970-01-01' = ANY (c.sale_days)
          WHERE s.event_id LIKE 'listings|late|%') AS shown`,
    );
    expect(late).toEqual([{ sales: 1, trained_on: 0, shown: true }]);
    // Values change of homes in Victoria alone, and one row goes.
    const [others] = await database.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM control.change LEFT JOIN serving.property ON gnaf_pid = key
       WHERE publication_id = $1 AND table_name = 'property_avm' AND state IS DISTINCT FROM 'VIC'`,
      [report.publication],
    );
    expect(others!.n).toBe(1);
  });

  it('are reproduced in an empty database from the exported evidence', async () => {
    const { code, out, err } = await run('export', '--evidence', evidence);
    expect(code, err).toBe(0);
    const [{ n: rows }] = (await database.query('SELECT count(*)::int AS n FROM asset.model_evidence')) as [
      { n: number },
    ];
    expect(JSON.parse(out)).toEqual({ file: evidence, rows });
    expect(await anew({ evidence })).toBe(await digestOf(database));
    retrained = await anew();
    expect(retrained).not.toBe(await digestOf(database));
  });

  it('do not overwrite an existing file on export', async () => {
    const { code, out } = await run('export', '--evidence', evidence);
    expect(code).not.toBe(0);
    expect(out).toContain('output_not_ours');
  });

  it.each([
    ['has other columns', 'kind,price\nsale,1\n', 'other columns'],
    ['is empty', '', 'empty'],
  ])('are not made from a file that %s', async (_, text, said) => {
    const file = join(dir, 'out/bad.csv');
    await writeFile(file, text);
    const before = await digestOf(database);
    const report = await refreshSample(database, dir, OPEN_GATES, { evidence: file });
    expect(report.error).toMatchObject({ code: 'bad_evidence', message: expect.stringContaining(said) });
    expect(await digestOf(database)).toBe(before);
  });

  it('use the current sales if an operator requests a retraining', async () => {
    const before = await models();
    const report = await refreshed(database, { retrain: true });
    expect(report.state).toBe('published');
    expect(await models()).not.toEqual(before);
    expect(await digestOf(database)).toBe(retrained);
  });

  it('change with the month, and ignore given evidence of another month', async () => {
    await deliver('july', '2026-07-05');
    const before = await models();
    const report = await refreshed(database, { evidence });
    expect(ran(report, 'model_evidence')).toBeGreaterThan(0);
    expect(report.notes.join()).toContain(
      'The given evidence is dated 2026-06-01, but this run values as of 2026-07-01',
    );
    expect(await models()).not.toEqual(before);
    expect(await database.query('SELECT DISTINCT as_of::text AS as_of FROM asset.model_evidence')).toEqual([
      { as_of: '2026-07-01' },
    ]);
    expect(await digestOf(database)).toBe(await anew());
  });
});
