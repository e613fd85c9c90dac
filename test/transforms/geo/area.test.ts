import { readFileSync } from 'node:fs';
import { area as turfArea } from '@turf/turf';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import geodesic from 'geographiclib-geodesic';
import { describe, expect, it } from 'vitest';
import { geodesicAreaSqm } from '../../../transforms/geo/area.ts';
import { toGeoJson } from '../../../transforms/geo/geometry.ts';
import { haveYarra, readYarraParcels } from '../property/yarra_parcels.ts';
import { multiPolygon } from '../shapes.ts';
import { starRing } from './random_shapes.ts';

const grs80 = new geodesic.Geodesic.Geodesic(6378137, 1 / 298.257222101);
const LATITUDES = [-12, -27, -34, -38, -43];

/** Reference area of a ring whose edges are geodesics. */
function referenceArea(ring: readonly (readonly [number, number])[]): number {
  const polygon = grs80.Polygon(false);
  for (const [lon, lat] of ring.slice(0, -1)) polygon.AddPoint(lat, lon);
  return Math.abs(polygon.Compute(false, true).area!);
}

describe.each(LATITUDES)('geodesicAreaSqm at latitude %i', (lat) => {
  it.each([
    // [half size in degrees, relative tolerance]
    ['a parcel of 20 m', 0.0001, 1e-6],
    ['a farm of 2 km', 0.01, 1e-6],
    ['a station of 10 km', 0.045, 1e-6],
    ['a region of 100 km', 0.5, 1e-5],
    ['a region of 1000 km', 4, 1e-4],
  ])('agrees with a geodesic reference for %s', (_, size, tolerance) => {
    fc.assert(
      fc.property(starRing(145, lat, size * 0.3, size), (ring) => {
        const reference = referenceArea(ring);
        expect(Math.abs(geodesicAreaSqm(multiPolygon([[ring]])) - reference)).toBeLessThan(
          tolerance * reference + 1e-3,
        );
      }),
      { numRuns: 60 },
    );
  });

  it('is Turf’s area times M·N/R² for a parcel', () => {
    const g = multiPolygon([
      [
        [
          [145, lat],
          [145.0005, lat],
          [145.0005, lat - 0.0004],
          [145.0001, lat - 0.0003],
        ],
      ],
    ]);
    const e2 = 0.006694380022903416;
    const w = 1 - e2 * Math.sin((lat * Math.PI) / 180) ** 2;
    const ratio = (6378137 ** 2 * (1 - e2)) / w ** 2 / 6371008.8 ** 2;
    const turf = turfArea(toGeoJson(g)) * ratio;
    expect(Math.abs(geodesicAreaSqm(g) / turf - 1)).toBeLessThan(1e-5);
  });
});

describe('geodesicAreaSqm', () => {
  const shell = [
    [145, -37],
    [145.01, -37],
    [145.01, -37.01],
    [145, -37.01],
  ] as [number, number][];
  const hole = [
    [145.002, -37.002],
    [145.004, -37.002],
    [145.004, -37.004],
  ] as [number, number][];
  const of = (...polygons: [number, number][][][]): number => geodesicAreaSqm(multiPolygon(polygons));

  it('subtracts holes and adds parts, whatever the winding', () => {
    const far = shell.map(([x, y]): [number, number] => [x + 1, y]);
    const expected = of([shell]) - of([hole]) + of([far]);
    expect(of([shell, hole], [far])).toBeCloseTo(expected, 6);
    expect(of([shell.toReversed(), hole], [far])).toBeCloseTo(expected, 6);
    expect(of([shell, hole.toReversed()], [far.toReversed()])).toBeCloseTo(expected, 6);
  });

  it('is 0 for an empty polygon and for a line', () => {
    expect(geodesicAreaSqm({ coords: new Float64Array(0), ringEnds: [], polygonEnds: [] })).toBe(0);
    expect(
      of([
        [
          [145, -37],
          [145.1, -37.1],
          [145, -37],
        ],
      ]),
    ).toBeCloseTo(0, 6);
  });

  it('keeps its precision for a strip of one centimetre', () => {
    // 1e-7 degrees by 30 m
    const strip = [
      [145, -37],
      [145.0000001, -37],
      [145.0000001, -37.0003],
      [145, -37.0003],
      [145, -37],
    ] as const;
    expect(Math.abs(of([strip.map(([x, y]) => [x, y])]) - referenceArea(strip))).toBeLessThan(1e-4);
  });
});

describe.skipIf(!haveYarra)('areas of real parcels', () => {
  it('agree with the expected areas within 0.05 m²', async () => {
    const file = new URL('../../../../shared/data/yarra/expected/parcel_area.csv', import.meta.url);
    const expected = parse(readFileSync(file), { columns: true }) as {
      id_stock: string;
      ellipsoidal_m2: string;
    }[];
    const areas = new Map((await readYarraParcels()).map((p) => [p.id, geodesicAreaSqm(p.geometry)]));
    expect(expected).toHaveLength(300);
    for (const row of expected) {
      expect(Math.abs(areas.get(row.id_stock)! - Number(row.ellipsoidal_m2)), row.id_stock).toBeLessThan(
        0.05,
      );
    }
  });
});
