import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import proj4 from 'proj4';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fingerprintOf } from '../../../pipelines/ingest/plan_datasets.ts';
import type { DatasetConfig } from '../../../sources/adapter.ts';
import { openFeatureFile } from '../../../sources/formats/vector/feature_file.ts';
import { hazardsAdapter } from '../../../sources/hazards/adapter.ts';
import { findFeatureFiles } from '../../../sources/release/feature_release.ts';
import { gda94ToGda2020 } from '../../../transforms/geo/datum.ts';
import { ntv2Shift } from '../../../transforms/geo/ntv2.ts';
import { ntv2File, type TestGrid } from './ntv2_grid.ts';

/** The shift of the country, 1.8 m to the north-east, with a distortion that grows to some 0.3 m. */
const PARENT: TestGrid = {
  west: 144,
  south: -39,
  east: 147,
  north: -36,
  step: 0.5,
  shift: (lon, lat) => [0.046 + 0.003 * Math.sin(3 * lon), -0.028 + 0.004 * Math.cos(2 * lat + lon)],
};
const INNER: TestGrid = {
  ...PARENT,
  west: 145,
  south: -38,
  east: 145.5,
  north: -37.5,
  step: 0.125,
  shift: (lon, lat) => [0.05 + 0.001 * (lon - 145), -0.03 + 0.002 * (lat + 38)],
};
const POINTS = Array.from({ length: 200 }, (_, i) => [
  144.01 + ((i * 0.6180339) % 1) * 2.97,
  -38.99 + ((i * 0.7548777) % 1) * 2.97,
]) as [number, number][];
const moved = (bytes: Uint8Array, [lon, lat]: readonly [number, number]): [number, number] => {
  const coords = Float64Array.of(lon, lat);
  ntv2Shift(bytes, 'test.gsb', gda94ToGda2020)(coords);
  return [coords[0]!, coords[1]!];
};
/** Difference in metres, about. */
const metres = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Math.hypot((a[0]! - b[0]!) * 88_000, (a[1]! - b[1]!) * 111_000);

describe('a datum grid', () => {
  it('moves points as proj4 does by the same file, in either byte order', () => {
    for (const isLittle of [true, false]) {
      const bytes = ntv2File([PARENT], 'GDA2020', isLittle);
      proj4.nadgrid(`grid ${isLittle}`.replace(' ', '_'), new Uint8Array(bytes).buffer);
      const there = proj4(
        `+proj=longlat +ellps=GRS80 +nadgrids=grid_${isLittle} +no_defs`,
        '+proj=longlat +ellps=GRS80 +towgs84=0,0,0 +no_defs',
      );
      for (const point of POINTS)
        expect(metres(moved(bytes, point), there.forward(point))).toBeLessThan(1e-4);
    }
  });

  it('counts the finer grid first, and the national parameters outside', () => {
    const bytes = ntv2File([PARENT, INNER]);
    const [lon, lat] = moved(bytes, [145.2, -37.8]);
    expect(lat + 37.8).toBeCloseTo((0.05 + 0.001 * 0.2) / 3600, 9);
    expect(lon - 145.2).toBeCloseTo((0.03 - 0.002 * 0.2) / 3600, 9);
    const outside = Float64Array.of(151.2, -33.87);
    gda94ToGda2020(outside);
    expect(moved(bytes, [151.2, -33.87])).toEqual([...outside]);
    // Within the parent, grid and parameters differ by the distortion alone.
    const national = Float64Array.of(144.6, -36.4);
    gda94ToGda2020(national);
    expect(metres(moved(bytes, [144.6, -36.4]), national)).toBeLessThan(1);
  });

  it('is refused if it is damaged or leads elsewhere', () => {
    const whole = ntv2File([PARENT]);
    for (const [bytes, why] of [
      [whole.subarray(0, 300), 'too short'],
      [whole.subarray(0, 800), 'ends before its last node'],
      [ntv2File([PARENT], 'WGS84'), 'leads from GDA94 to WGS84'],
      [Buffer.alloc(1000, 'x'), 'header'],
    ] as const)
      expect(() => ntv2Shift(bytes, 'test.gsb', gda94ToGda2020)).toThrow(why);
  });
});

describe('a layer on GDA94', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'grid-'));
    await writeFile(join(folder, 'test.gsb'), ntv2File([PARENT]));
    const point = { type: 'Point', coordinates: [144.6, -36.4] };
    await writeFile(
      join(folder, 'layer.geojson'),
      JSON.stringify({
        type: 'FeatureCollection',
        features: [{ type: 'Feature', properties: { id: 1 }, geometry: point }],
      }),
    );
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const dataset = (grid: string | null, crs = 'EPSG:4283'): DatasetConfig => ({
    id: 'layer',
    files: [{ path: join(folder, 'layer.geojson'), bytes: 1, sha256: 'a' }],
    release: null,
    crs,
    options: {},
    ...(grid === null ? {} : { datum_grid: { path: join(folder, 'test.gsb'), bytes: 1, sha256: grid } }),
  });
  const pointOf = async (config: DatasetConfig): Promise<number[]> => {
    const { found } = await findFeatureFiles(config, null);
    const file = await openFeatureFile(found[0]!.source);
    for await (const batch of file.batches()) {
      const shape = batch.shape(0);
      if (shape.kind === 'point') return [...shape.geometry.coords];
    }
    return [];
  };

  it('is moved by the grid, one on GDA2020 is not', async () => {
    const expected = moved(ntv2File([PARENT]), [144.6, -36.4]);
    expect(await pointOf(dataset('b'))).toEqual(expected);
    const national = Float64Array.of(144.6, -36.4);
    gda94ToGda2020(national);
    expect(await pointOf(dataset(null))).toEqual([...national]);
    expect(await pointOf(dataset('b', 'EPSG:7844'))).toEqual([144.6, -36.4]);
  });

  it('is read again with another grid, and as before without one', () => {
    const prints = [null, 'b', 'c'].map((grid) => fingerprintOf(hazardsAdapter, dataset(grid)));
    expect(new Set(prints).size).toBe(3);
  });
});
