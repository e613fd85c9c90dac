import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contactOf } from '../../../transforms/geo/adjacency.ts';
import { pointSegmentDistance } from '../../../transforms/geo/distance.ts';
import { edgeBands } from '../../../transforms/geo/edge_bands.ts';
import type { MultiPolygon } from '../../../transforms/geo/geometry.ts';
import { pointInMultiPolygon } from '../../../transforms/geo/point_in_polygon.ts';
import { inMetres, multiPolygon, type Polygons } from '../shapes.ts';

const STEP_M = 0.01;

function* segments({ coords, ringEnds }: MultiPolygon): Generator<[number, number, number, number]> {
  let from = 0;
  for (const end of ringEnds) {
    for (let v = from; v < end - 1; v++) {
      yield [coords[v * 2]!, coords[v * 2 + 1]!, coords[v * 2 + 2]!, coords[v * 2 + 3]!];
    }
    from = end;
  }
}

/** Length of the boundary of `a` within the tolerance of `b` or inside it, by looking at a point every centimetre; all in metres. */
function sampledLength(a: MultiPolygon, b: MultiPolygon, tolerance: number): number {
  const others = [...segments(b)];
  let length = 0;
  for (const [ax, ay, bx, by] of segments(a)) {
    const edge = Math.hypot(bx - ax, by - ay);
    const n = Math.ceil(edge / STEP_M);
    for (let k = 0; k < n; k++) {
      const t = (k + 0.5) / n;
      const x = ax + t * (bx - ax);
      const y = ay + t * (by - ay);
      const near = others.some((s) => pointSegmentDistance(x, y, ...s) <= tolerance);
      if (near || pointInMultiPolygon(x, y, b)) length += edge / n;
    }
  }
  return length;
}

/** Rings on a lattice of 3 m with corners off by centimetres: shared, parallel, crossing and nearly touching edges are frequent. */
const coordinate = fc
  .tuple(fc.integer({ min: 0, max: 4 }), fc.constantFrom(0, 0, 0, 0.05, -0.05, 0.15, -0.15, 0.25))
  .map(([n, off]) => n * 3 + off);
const ring = fc.array(fc.tuple(coordinate, coordinate), { minLength: 3, maxLength: 8 });
const polygons: fc.Arbitrary<Polygons> = fc.array(fc.array(ring, { minLength: 1, maxLength: 2 }), {
  minLength: 1,
  maxLength: 2,
});
/** The same with hundreds of vertices: every edge cut into many. */
const densified = polygons.map((all) =>
  all.map((rings) =>
    rings.map((points) =>
      points.flatMap((p, i) => {
        const q = points[(i + 1) % points.length]!;
        return Array.from({ length: 20 }, (_, k): [number, number] => [
          p[0] + (k / 20) * (q[0] - p[0]),
          p[1] + (k / 20) * (q[1] - p[1]),
        ]);
      }),
    ),
  ),
);

describe('contactOf', () => {
  it('agrees with dense sampling of both boundaries', () => {
    fc.assert(
      fc.property(polygons, polygons, fc.constantFrom(0.1, 0.2), (a, b, tolerance) => {
        const contact = contactOf(edgeBands(inMetres(a)), edgeBands(inMetres(b)), tolerance);
        const [planeA, planeB] = [multiPolygon(a), multiPolygon(b)];
        const expectedA = sampledLength(planeA, planeB, tolerance);
        const expectedB = sampledLength(planeB, planeA, tolerance);
        // Each edge can gain or lose half a step at each end of each covered stretch.
        const stretches = [...segments(planeA), ...segments(planeB)].length;
        const tolerated = 0.02 + stretches * 2 * STEP_M;
        expect(Math.abs(contact.a_m - expectedA)).toBeLessThan(tolerated);
        expect(Math.abs(contact.b_m - expectedB)).toBeLessThan(tolerated);
        if (expectedA + expectedB > 0) expect(contact.within).toBe(true);
      }),
      { numRuns: 150, seed: 20 },
    );
  });

  it('does not depend on how many vertices an edge has', () => {
    fc.assert(
      fc.property(densified, polygons, (a, b) => {
        const sparse = a.map((rings) => rings.map((points) => points.filter((_, i) => i % 20 === 0)));
        const many = contactOf(edgeBands(inMetres(a)), edgeBands(inMetres(b)), 0.2);
        const few = contactOf(edgeBands(inMetres(sparse)), edgeBands(inMetres(b)), 0.2);
        expect(Math.abs(many.shared_m - few.shared_m)).toBeLessThan(0.001);
        expect(many.within).toBe(few.within);
      }),
      { numRuns: 200, seed: 21 },
    );
  });

  it('is the same to the last bit from either side', () => {
    fc.assert(
      fc.property(polygons, polygons, (a, b) => {
        const [p, q] = [edgeBands(inMetres(a)), edgeBands(inMetres(b))];
        const { a_m, b_m, ...rest } = contactOf(p, q, 0.2);
        expect(contactOf(q, p, 0.2)).toEqual({ a_m: b_m, b_m: a_m, ...rest });
      }),
    );
  });
});
