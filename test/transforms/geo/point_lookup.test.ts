import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pointInMultiPolygon } from '../../../transforms/geo/point_in_polygon.ts';
import { buildPointLookup } from '../../../transforms/geo/point_lookup.ts';
import { encodeWkb } from '../../../transforms/geo/wkb.ts';
import { inMetres, multiPolygon, rectangle } from '../shapes.ts';

/** Any rings, crossing themselves or not, on a lattice, so that vertices, edges and points coincide. */
const lattice = fc.tuple(fc.integer({ min: 0, max: 24 }), fc.integer({ min: 0, max: 24 }));
const ring = fc.array(lattice, { minLength: 3, maxLength: 60 });
const shape = fc.array(ring, { minLength: 1, maxLength: 3 }).map((rings) => multiPolygon([rings]));
const small = fc
  .tuple(
    lattice,
    fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 3 })), {
      minLength: 3,
      maxLength: 6,
    }),
  )
  .map(([[x, y], points]) => multiPolygon([[points.map(([dx, dy]) => [x + dx, y + dy] as const)]]));
const shapes = fc.array(fc.oneof(shape, small, small), { maxLength: 60 });
const at = fc.oneof(
  fc.integer({ min: -2, max: 110 }).map((n) => n / 4),
  fc.double({ min: -1, max: 28, noNaN: true }),
);
const points = fc.array(fc.tuple(at, at), { minLength: 1, maxLength: 200 });

describe('point lookup', () => {
  it('finds the polygons that hold a point, its borders included', () => {
    fc.assert(
      fc.property(shapes, points, fc.double({ min: 1e-6, max: 10, noNaN: true }), (all, places, scale) => {
        const scaled = all.map((each) => ({ ...each, coords: each.coords.map((v) => 140 + v * scale) }));
        const lookup = buildPointLookup(scaled.map(encodeWkb));
        for (const [px, py] of places) {
          const [x, y] = [140 + px * scale, 140 + py * scale];
          const expected = [...scaled.keys()].filter((i) => pointInMultiPolygon(x, y, scaled[i]!));
          expect(lookup.all(x, y)).toEqual(expected);
          expect([...lookup.found.subarray(0, lookup.find(x, y))]).toEqual(expected);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('knows what covers a square whole, and what has a hole there', () => {
    const hole = rectangle(400, 400, 600, 600);
    const lookup = buildPointLookup(
      [
        inMetres([[rectangle(0, 0, 1000, 1000), hole]]),
        inMetres([[rectangle(0, 0, 1000, 1000)]]),
        inMetres([[hole]]),
      ].map(encodeWkb),
    );
    const of = (x: number, y: number): number[] => {
      const [lon, lat] = inMetres([[[[x, y]]]]).coords;
      return lookup.all(lon!, lat!);
    };
    expect(of(500, 500)).toEqual([1, 2]);
    expect(of(100, 100)).toEqual([0, 1]);
    expect(of(1001, 500)).toEqual([]);
  });

  it('finds nothing without coordinates or without polygons', () => {
    expect(buildPointLookup([]).all(145, -37)).toEqual([]);
    expect(buildPointLookup([encodeWkb(inMetres([[rectangle(0, 0, 9, 9)]]))]).find(Number.NaN, 1)).toBe(0);
  });
});
