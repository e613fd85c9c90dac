import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shapeOf } from '../../../../sources/formats/vector/feature_shape.ts';
import { flattenGeometry } from '../../../../sources/formats/vector/geojson_geometry.ts';
import { geometryOfWkb } from '../../../../sources/formats/vector/geopackage_blob.ts';
import type { RawGeometry } from '../../../../sources/formats/vector/plain_features.ts';
import { fromGeoJson, type MultiPolygon, polygonsOf } from '../../../../transforms/geo/geometry.ts';
import { ogcFault } from '../../../../transforms/geo/ogc_validity.ts';
import { planarArea } from '../../../../transforms/geo/ring_nesting.ts';
import { encodeWkb } from '../../../../transforms/geo/wkb.ts';

import { hasSharedData, sharedPath } from '../../../shared_data.ts';

type Ring = [number, number][];
const STEP = 1 / 1024;
const WEST = 145;
const SOUTH = -38;

const box = (x: number, y: number, w: number, h: number): Ring =>
  (
    [
      [x, y],
      [x + w, y],
      [x + w, y + h],
      [x, y + h],
      [x, y],
    ] as Ring
  ).map(([a, b]) => [WEST + a * STEP, SOUTH + b * STEP]);

/** A part on a grid: a box, with a hole in its middle where it is large enough. */
interface Part {
  x: number;
  y: number;
  w: number;
  h: number;
  hole: boolean;
}
const hasHole = ({ w, h, hole }: Part): boolean => hole && w > 2 && h > 2;
const ringsOf = (part: Part): Ring[] => {
  const { x, y, w, h } = part;
  return hasHole(part) ? [box(x, y, w, h), box(x + 1, y + 1, w - 2, h - 2).reverse()] : [box(x, y, w, h)];
};
/** Grid squares that a part covers, counted one by one. */
const covers = (part: Part, x: number, y: number): boolean => {
  const within = (m: number): boolean =>
    x >= part.x + m && x < part.x + part.w - m && y >= part.y + m && y < part.y + part.h - m;
  return within(0) && !(hasHole(part) && within(1));
};
const squares = (parts: readonly Part[]): number => {
  let n = 0;
  for (let x = 0; x < 24; x++) for (let y = 0; y < 24; y++) if (parts.some((p) => covers(p, x, y))) n++;
  return n;
};
const area = (shape: MultiPolygon): number =>
  polygonsOf(shape).reduce(
    (sum, rings) =>
      sum + rings.reduce((s, ring, i) => s + (i === 0 ? 1 : -1) * Math.abs(planarArea(ring)), 0),
    0,
  );

const FORMATS: Readonly<Record<string, (parts: Ring[][]) => unknown>> = {
  GeoJSON: (coordinates) => flattenGeometry({ type: 'MultiPolygon', coordinates }),
  'a collection in GeoJSON': (parts) =>
    flattenGeometry({
      type: 'GeometryCollection',
      geometries: parts.map((coordinates) => ({ type: 'Polygon', coordinates })),
    }),
  WKB: (parts) => geometryOfWkb(encodeWkb(fromGeoJson(parts))),
};
const shapeIn = (format: string, parts: Ring[][]) => {
  const { kind, coords, ends, polygonEnds } = FORMATS[format]!(parts) as RawGeometry;
  return shapeOf(kind, coords, ends, polygonEnds);
};

const part = fc.record({
  x: fc.nat(14),
  y: fc.nat(14),
  w: fc.integer({ min: 1, max: 9 }),
  h: fc.integer({ min: 1, max: 9 }),
  hole: fc.boolean(),
});

describe.each(Object.keys(FORMATS))('explicit polygons of %s', (format) => {
  it('cover what any of them covers', () => {
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (parts) => {
        const shape = shapeIn(format, parts.map(ringsOf));
        if (shape.kind !== 'polygon') throw new Error(JSON.stringify(shape));
        expect(area(shape.geometry) / STEP ** 2).toBeCloseTo(squares(parts), 4);
        expect(ogcFault(shape.geometry)).toBeNull();
      }),
      {
        numRuns: 150,
        examples: [
          // A part whose sides lie on the hole of another one.
          [
            [
              { x: 9, y: 7, w: 6, h: 5, hole: true },
              { x: 10, y: 7, w: 4, h: 3, hole: true },
              { x: 0, y: 0, w: 1, h: 1, hole: false },
            ],
          ],
        ],
      },
    );
  });

  it('are preserved if they are disjoint', () => {
    const parts = [[box(0, 0, 9, 9), box(1, 1, 6, 6).reverse()], [box(3, 3, 2, 2)]];
    const shape = shapeIn(format, parts);
    expect(shape).toMatchObject({ kind: 'polygon', repaired: null });
    expect((shape as { geometry: MultiPolygon }).geometry.polygonEnds).toEqual([2, 3]);
  });
});

it('lots that were digitised separately are united despite slivers and overlaps', () => {
  const shift = fc.array(fc.double({ min: -3e-8, max: 3e-8, noNaN: true }), {
    minLength: 16 * 8,
    maxLength: 16 * 8,
  });
  fc.assert(
    fc.property(shift, (by) => {
      const lots = Array.from({ length: 16 }, (_, n): Ring[] => {
        const [west, south] = [WEST + (n % 4) * 2e-4, SOUTH + Math.floor(n / 4) * 2e-4];
        const corners = [0, 1, 2, 3].map((c): [number, number] => [
          west + (c === 1 || c === 2 ? 2e-4 : 0) + by[n * 8 + c * 2]!,
          south + (c > 1 ? 2e-4 : 0) + by[n * 8 + c * 2 + 1]!,
        ]);
        return [[...corners, corners[0]!]];
      });
      const shape = shapeIn('GeoJSON', lots);
      if (shape.kind !== 'polygon') throw new Error(JSON.stringify(shape));
      expect(area(shape.geometry) / (16 * 4e-8)).toBeCloseTo(1, 2);
      expect(ogcFault(shape.geometry)).toBeNull();
    }),
    { numRuns: 300, seed: 5 },
  );
});

it('rings of a format without polygons follow the even-odd rule', () => {
  const { coords, ringEnds } = fromGeoJson([[box(0, 0, 4, 4)], [box(1, 1, 2, 2)]]);
  const shape = shapeOf('polygon', coords, ringEnds);
  expect(area((shape as { geometry: MultiPolygon }).geometry) / STEP ** 2).toBeCloseTo(12, 6);
});

it('parts that cross too often are rejected in a bounded time', () => {
  const teeth = 400;
  const comb = (across: boolean): Ring => {
    const points: Ring = [[0, 0]];
    for (let i = 0; i < teeth; i++)
      points.push([i * 2, teeth * 2], [i * 2 + 1, teeth * 2], [i * 2 + 1, 1], [i * 2 + 2, 1]);
    points.push([teeth * 2, 0], [0, 0]);
    return points.map(([a, b]) => [WEST + (across ? b : a) * 1e-4, SOUTH + (across ? a : b) * 1e-4]);
  };
  const start = performance.now();
  expect(shapeIn('GeoJSON', [[comb(false)], [comb(true)]])).toMatchObject({
    kind: 'reject',
    reject: { code: 'self_intersection' },
  });
  expect(performance.now() - start).toBeLessThan(20_000);
});

describe('a valid feature', () => {
  /** Squares in a row that touch in corners, some wound the other way, and holes that touch their shell. */
  const chain = (n: number): Ring[][] =>
    Array.from({ length: n }, (_, i) => {
      const shell = box(2 * i, 2 * (i % 2), 2, 2);
      const [x, y] = [2 * i, 2 * (i % 2)];
      const hole = [
        [x, y + 1],
        [x + 1, y + 0.5],
        [x + 1, y + 1.5],
        [x, y + 1],
      ].map(([a, b]) => [WEST + a! * STEP, SOUTH + b! * STEP]) as Ring;
      return [i % 3 === 0 ? shell.reverse() : shell, hole];
    });

  it.each([1, 2, 40, 4000])('with %i parts that only touch is preserved bit for bit', (n) => {
    const { coords, ringEnds, polygonEnds } = fromGeoJson(chain(n));
    const shape = shapeOf('polygon', coords, ringEnds, polygonEnds);
    expect(shape).toEqual({ kind: 'polygon', geometry: { coords, ringEnds, polygonEnds }, repaired: null });
  });

  it('keeps two parts that come within 0.1 mm', () => {
    const far = box(2, 0, 2, 2).map(([x, y]) => [x + 1e-10, y]) as Ring;
    const { coords, ringEnds, polygonEnds } = fromGeoJson([[box(0, 0, 2, 2)], [far]]);
    expect(shapeOf('polygon', coords, ringEnds, polygonEnds)).toMatchObject({
      geometry: { coords, polygonEnds: [1, 2] },
      repaired: null,
    });
  });

  it('is repaired where a part lies within another, or a hole outside its shell', () => {
    const nested = fromGeoJson([[box(0, 0, 9, 9)], [box(1, 1, 2, 2)]]);
    expect(shapeOf('polygon', nested.coords, nested.ringEnds, nested.polygonEnds)).toMatchObject({
      repaired: 'parts_united',
    });
    const outside = fromGeoJson([[box(0, 0, 2, 2), box(5, 5, 2, 2)]]);
    expect(shapeOf('polygon', outside.coords, outside.ringEnds, outside.polygonEnds)).toMatchObject({
      geometry: { polygonEnds: [1, 2] },
    });
  });
});

describe.skipIf(!hasSharedData('polygon_parts.test.ts'))('coastal_parts', () => {
  it('is preserved unchanged', () => {
    const path = sharedPath('deliveries/coastal_parts/CoastalProtection_64.geojson');
    const { features } = JSON.parse(readFileSync(path, 'utf8'));
    const { coords, ringEnds, polygonEnds } = fromGeoJson(features[0].geometry.coordinates);
    const shape = shapeOf('polygon', coords, ringEnds, polygonEnds);
    expect(shape.kind === 'polygon' && [shape.repaired, shape.geometry.coords === coords]).toEqual([
      null,
      true,
    ]);
  });
});
