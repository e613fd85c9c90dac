import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import type { RunReport } from '../../../pipelines/report/report.ts';
import { seededRandom } from '../../../sample/random.ts';
import { cellOf, cellsOfBbox, expandBbox } from '../../../schema/grid.ts';
import type { TestDatabase } from '../../database.ts';
import { publishedSample } from '../../published_sample.ts';
import { editShapefile, type PolygonFeature } from '../edit_shapefile.ts';
import { type Nights, nightsOf } from '../nights.ts';
import { digestOf, refreshSample } from '../sample_run.ts';

const partitions = (report: RunReport, name: string): { run: number; unchanged: number } => {
  const stage = report.stages.find((one) => one.stage === name)!;
  return { run: stage.partitions_run + stage.partitions_removed, unchanged: stage.partitions_unchanged };
};
const reasonsOf = (report: RunReport, name: string): string =>
  Object.keys(report.stages.find(({ stage }) => stage === name)!.reasons).join('; ');
/** What the books say of the partitions of stages. */
const accountsOf = (of: TestDatabase) =>
  of.query(
    'SELECT stage, cell, rows, account, output_digest::text FROM control.partition WHERE stage = ANY ($1) ORDER BY stage, cell',
    [OF_PARCELS],
  );
const ANY_CHANGE = ['gates.rows_change_max=10', 'gates.null_share_rise_max=1'];

/** A feature with its shape moved by so many units of its CRS. */
const shifted = (feature: PolygonFeature, x: number, y: number): PolygonFeature => {
  const ring = (points: number[][]): number[][] => points.map(([px, py]) => [px! + x, py! + y]);
  const { geometry } = feature;
  if (geometry === null) return feature;
  if (geometry.type === 'Polygon')
    return { ...feature, geometry: { ...geometry, coordinates: geometry.coordinates.map(ring) } };
  return {
    ...feature,
    geometry: { ...geometry, coordinates: geometry.coordinates.map((part) => part.map(ring)) },
  };
};

const COUNTRY = [900, 6, 'all'] as const;

/** Stages of parcels and of the homes on them. */
const OF_PARCELS = [
  'serve_parcel_shape',
  'parcel_form',
  'serve_property_neighbour',
  'serve_property_zoning',
  'serve_property_overlay',
  'serve_property_risk',
  'valuation_home',
];

describe('hazards and places that change', () => {
  let dir: string;
  let database: TestDatabase;
  let nights: Nights;

  beforeAll(async () => {
    ({ database, dir } = await publishedSample(...COUNTRY));
    nights = nightsOf(COUNTRY, database, dir);
  });

  afterAll(async () => {
    await nights?.drop();
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it('recompute the cells that see a new supermarket, and equal a rebuild', async () => {
    const [at] = await database.query<{ lon: number; lat: number }>(
      `SELECT lon, lat FROM serving.property WHERE state = 'NSW' AND lon IS NOT NULL ORDER BY gnaf_pid LIMIT 1`,
    );
    const folder = join(dir, 'places/osm');
    const file = join(folder, (await readdir(folder)).sort()[0]!);
    const collection = JSON.parse(await readFile(file, 'utf8')) as { features: unknown[] };
    collection.features.push({
      type: 'Feature',
      id: 'node/990000001',
      properties: { '@id': 'node/990000001', shop: 'supermarket', name: 'Corner Fresh' },
      geometry: { type: 'Point', coordinates: [at!.lon + 0.0001, at!.lat] },
    });
    await writeFile(file, JSON.stringify(collection));
    const report = await refreshSample(database, dir);
    expect(report.error).toBeNull();
    const changed = cellOf(at!.lon + 0.0001, at!.lat);
    const { run, unchanged } = partitions(report, 'serve_property_proximity');
    const box = expandBbox([at!.lon, at!.lat, at!.lon, at!.lat], 5000);
    expect(run).toBeGreaterThan(0);
    expect(run, `around cell ${changed}`).toBeLessThanOrEqual(cellsOfBbox(box).length + 16);
    expect(unchanged).toBeGreaterThan(run);
    expect(partitions(report, 'serve_property_risk').run).toBe(0);
    const [row] = await database.query<{ supermarket_m: number }>(
      `SELECT min(supermarket_m) AS supermarket_m FROM serving.property_proximity`,
    );
    expect(row!.supermarket_m).toBeLessThan(15);
    await nights.over();
  });

  it('of a cadastre concern the homes of the parcels that are others and of those around, and no others', async () => {
    const { next } = seededRandom(3, 'cadastre');
    const file = join(dir, 'cadastre/vic/PARCEL_VIEW.shp');
    for (let night = 0; night < 3; night++) {
      const done = { moved: 0, gone: 0, doubled: 0, renamed: 0 };
      await editShapefile(file, (feature) => {
        if (feature === null || feature.geometry === null || next() >= 0.04)
          return feature === null ? [] : [feature];
        const kind = Math.floor(next() * 4);
        const id = feature.properties.PARCEL_PFI as string;
        const other = { ...feature.properties, PARCEL_PFI: `9${night}${id.slice(2)}` };
        if (kind === 0) {
          done.moved++;
          return [shifted(feature, 3e-6, -2e-6)];
        }
        if (kind === 1) {
          done.gone++;
          return [];
        }
        if (kind === 2) {
          done.doubled++;
          return [feature, { ...shifted(feature, 2e-5, 0), properties: other }];
        }
        done.renamed++;
        return [{ ...feature, properties: other }];
      });
      for (const [kind, n] of Object.entries(done)) expect(n, kind).toBeGreaterThan(0);
      const report = await refreshSample(database, dir, ANY_CHANGE);
      expect(report.error).toBeNull();
      for (const stage of OF_PARCELS) expect(reasonsOf(report, stage), stage).toMatch(/, by key/);
    }
    await nights.over();
    await nights.compared();
    expect(await accountsOf(database)).toEqual(await accountsOf(nights.last));
  });

  it('recompute the cells within the radius of a layer that goes, and come back with it', async () => {
    const before = await digestOf(database);
    const path = join(dir, 'config.yaml');
    const whole = await readFile(path, 'utf8');
    const config = parse(whole) as { datasets: Record<string, unknown> };
    expect(Object.keys(config.datasets)).toContain('flood_nsw');
    delete config.datasets.flood_nsw;
    await writeFile(path, stringify(config));
    const without = await refreshSample(database, dir, ANY_CHANGE);
    expect(without.error).toBeNull();
    const { run, unchanged } = partitions(without, 'serve_property_risk');
    expect(run).toBeGreaterThan(0);
    expect(unchanged).toBeGreaterThan(run);
    expect(partitions(without, 'serve_property_neighbour').run).toBe(0);
    const left = await database.query(
      `SELECT 1 FROM serving.property_risk WHERE layer = 'flood' AND state = 'NSW' LIMIT 1`,
    );
    expect(left).toEqual([]);
    await writeFile(path, whole);
    expect((await refreshSample(database, dir, ANY_CHANGE)).error).toBeNull();
    expect(await digestOf(database)).toBe(before);
  });

  it('change nothing when they are delivered again as they were', async () => {
    const report = await refreshSample(database, dir, [], { rehash: true });
    expect(report.state).toBe('unchanged');
    expect(report.stages.every((stage) => stage.partitions_run === 0)).toBe(true);
  });
});
