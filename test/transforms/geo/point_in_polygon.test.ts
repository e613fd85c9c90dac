import { booleanPointInPolygon } from '@turf/turf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toGeoJson } from '../../../transforms/geo/geometry.ts';
import { pointInMultiPolygon } from '../../../transforms/geo/point_in_polygon.ts';
import { multiPolygon, rectangle } from '../shapes.ts';
import { pointNear, starPolygons, triangleMesh } from './random_shapes.ts';

describe('pointInMultiPolygon', () => {
  it('agrees with Turf for concave shapes with holes and parts', () => {
    const shape = starPolygons(145, -37, 0.01).map((polygons) => multiPolygon(polygons));
    fc.assert(
      fc.property(shape, fc.array(pointNear(145.01, -37, 0.03), { minLength: 20 }), (g, points) => {
        const geoJson = toGeoJson(g);
        for (const [x, y] of points)
          expect(pointInMultiPolygon(x, y, g)).toBe(booleanPointInPolygon([x, y], geoJson));
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['inside', 1, 1, true],
    ['outside', 5, 1, false],
    ['on the west edge', 0, 1, true],
    ['on the south edge', 1, 0, true],
    ['on the east edge', 4, 1, false],
    ['on the north edge', 1, 4, false],
    ['on the south-west corner', 0, 0, true],
    ['on the south-east corner', 4, 0, false],
    ['on the north-west corner', 0, 4, false],
    ['in the hole', 2.5, 2.5, false],
    ['on the west edge of the hole', 2, 2.5, false],
    ['on the east edge of the hole', 3, 2.5, true],
    ['level with a vertex', -1, 0, false],
    ['nowhere', Number.NaN, 1, false],
    ['at infinity', Infinity, 1, false],
  ])('a point %s', (_, x, y, inside) => {
    const g = multiPolygon([[rectangle(0, 0, 4, 4), rectangle(2, 2, 3, 3)]]);
    expect(pointInMultiPolygon(x, y, g)).toBe(inside);
  });

  it('gives every point of a shared edge, ends included, to exactly one neighbour', () => {
    const jitter = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 8, maxLength: 40 });
    fc.assert(
      fc.property(jitter, fc.double({ min: 0, max: 1, noNaN: true }), (moves, share) => {
        const n = 4;
        const width = 0.0123;
        const mesh = triangleMesh(145.0071, -37.3, width, n, moves);
        const shapes = mesh.map((ring) => multiPolygon([[ring]]));
        for (const ring of mesh) {
          for (let i = 0; i < 3; i++) {
            const [[ax, ay], [bx, by]] = [ring[i]!, ring[i + 1]!];
            const x = ax + share * (bx - ax);
            const y = ay + share * (by - ay);
            // the outer border belongs to one or to none
            const rim = width * 1e-6;
            const isInner =
              x > 145.0071 + rim && x < 145.0071 + width - rim && y > -37.3 + rim && y < -37.3 + width - rim;
            const owners = shapes.filter((g) => pointInMultiPolygon(x, y, g)).length;
            if (isInner) expect(owners).toBe(1);
            else expect(owners).toBeLessThanOrEqual(1);
          }
        }
      }),
      { numRuns: 200 },
    );
  });
});
