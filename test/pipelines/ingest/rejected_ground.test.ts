import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { ask } from '../../../contract/answers/ask.ts';
import { RISK_OPERATIONS } from '../../../contract/property/risks.ts';
import type { RunReport } from '../../../pipelines/report/report.ts';
import { openServing } from '../../../store/read/serving.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';
import { publishedSample } from '../../published_sample.ts';
import { digestOf, OPEN_GATES, refreshSample } from '../sample_run.ts';

type Ring = [number, number][];

const square = (lon: number, lat: number, d = 0.0001): Ring => [
  [lon - d, lat - d],
  [lon + d, lat - d],
  [lon + d, lat + d],
  [lon - d, lat + d],
  [lon - d, lat - d],
];
/** A ring that encloses nothing: it is rejected, and its place is known. */
const flat = (lon: number, lat: number): Ring => [
  [lon - 0.0001, lat],
  [lon + 0.0001, lat],
  [lon, lat],
  [lon - 0.0001, lat],
];
const feature = (ring: Ring | null, i: number): object => ({
  type: 'Feature',
  properties: { id: i },
  geometry:
    ring === null ? { type: 'Polygon', coordinates: 'none' } : { type: 'Polygon', coordinates: [ring] },
});

describe('ground of a hazard layer that could not be read', () => {
  let database: TestDatabase;
  let dir: string;
  /** Two homes of Victoria that are far apart, each with a place of its own. */
  let near: { pid: string; lon: number; lat: number };
  let far: { pid: string; lon: number; lat: number };
  const erosion = RISK_OPERATIONS.find(({ subpath }) => subpath === 'risks/erosion')!;

  const write = (features: object[], more: object = {}) =>
    writeFile(join(dir, 'erosion.geojson'), JSON.stringify({ type: 'FeatureCollection', ...more, features }));
  const refresh = (of = database): Promise<RunReport> =>
    refreshSample(of, dir, [...OPEN_GATES, 'hazards.radius_m=100']);
  const answers = async (): Promise<unknown[]> => {
    const db = openServing(database.url);
    try {
      const both = await Promise.all([near, far].map(({ pid }) => ask(erosion, db, pid)));
      return both.map((each) => ('no_data' in each ? each.no_data : 'found'));
    } finally {
      await db.destroy();
    }
  };
  const others = (): object[] =>
    Array.from({ length: 40 }, (_, i) => feature(square(142 + i * 0.01, -36), i));

  beforeAll(async () => {
    ({ database, dir } = await publishedSample());
    const homes = await database.query<{ pid: string; lon: number; lat: number }>(
      `SELECT gnaf_pid AS pid, lon, lat FROM serving.property
       WHERE state = 'VIC' AND (parcel_id IS NOT NULL OR is_parcel_position) ORDER BY lon, gnaf_pid`,
    );
    [near, far] = [homes[0]!, homes.at(-1)!];
    expect(far.lon - near.lon).toBeGreaterThan(0.003);
    const path = join(dir, 'config.yaml');
    const config = parse(await readFile(path, 'utf8')) as { datasets: Record<string, object> };
    config.datasets.erosion_vic = {
      adapter: 'hazards',
      path: 'erosion.geojson',
      licence: 'CC-BY-4.0',
      crs: 'EPSG:7844',
      options: {
        state: 'VIC',
        layer: 'erosion',
        coverage: 'state',
        field_map: { label: 'Erosion', feature_id: 'id', severity: {} },
      },
    };
    await writeFile(path, stringify(config));
  });
  afterAll(async () => {
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it('is not assessed near a rejected feature, and assessed elsewhere', async () => {
    await write(others());
    expect((await refresh()).error).toBeNull();
    expect(await answers()).toEqual(['none_found', 'none_found']);
    await write([...others(), feature(flat(near.lon, near.lat), 99)]);
    expect((await refresh()).error).toBeNull();
    expect(await answers()).toEqual(['not_covered', 'none_found']);
    // What was rejected is delivered again as it should be.
    await write([...others(), feature(square(near.lon, near.lat), 99)]);
    expect((await refresh()).error).toBeNull();
    expect(await answers()).toEqual(['found', 'none_found']);
  });

  it('is everything that the dataset covers where a rejected row could be anywhere, or the file says that it lacks features', async () => {
    await write([...others(), feature(null, 99)]);
    expect((await refresh()).error).toBeNull();
    expect(await answers()).toEqual(['not_covered', 'not_covered']);
    for (const more of [
      { exceededTransferLimit: true },
      { properties: { exceededTransferLimit: true } },
      { numberMatched: 41, numberReturned: 40 },
    ]) {
      await write(others(), more);
      const report = await refresh();
      expect(report.error).toBeNull();
      expect(await answers(), JSON.stringify(more)).toEqual(['not_covered', 'not_covered']);
      expect(JSON.stringify(report.datasets)).toContain('is incomplete');
      await write(others());
      expect((await refresh()).error).toBeNull();
      expect(await answers()).toEqual(['none_found', 'none_found']);
    }
  });

  it('gives the same tables when it is computed again from nothing', async () => {
    await write([...others(), feature(flat(near.lon, near.lat), 99)]);
    expect((await refresh()).error).toBeNull();
    const rebuilt = await createDatabase();
    expect((await refresh(rebuilt)).error).toBeNull();
    const tables = (text: string): string[] =>
      text.split('\n').filter((line) => /^(property_coverage|search_area|property_risk) /.test(line));
    expect(tables(await digestOf(database))).toEqual(tables(await digestOf(rebuilt)));
    await rebuilt.drop();
  });

  it('keeps the last load of a dataset if most rows of the new delivery are rejected', async () => {
    await write(others());
    expect((await refresh()).error).toBeNull();
    await write([
      ...others().slice(0, 5),
      ...Array.from({ length: 20 }, (_, i) => feature(flat(143, -36), 100 + i)),
    ]);
    const report = await refresh();
    expect(report.datasets.find(({ dataset }) => dataset === 'erosion_vic')).toMatchObject({
      action: 'kept',
    });
    expect(await answers()).toEqual(['none_found', 'none_found']);
  });
});
