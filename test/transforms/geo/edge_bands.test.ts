import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pointSegmentDistance } from '../../../transforms/geo/distance.ts';
import { boundaryDistance, edgeBands, edgesInBox, insideBands } from '../../../transforms/geo/edge_bands.ts';
import type { MultiPolygon } from '../../../transforms/geo/geometry.ts';
import { metresPerDegreeLat, metresPerDegreeLon } from '../../../transforms/geo/plane.ts';
import { pointInMultiPolygon } from '../../../transforms/geo/point_in_polygon.ts';
import { multiPolygon, rectangle } from '../shapes.ts';

/** Any rings, crossing themselves or not, on a small lattice so that heights coincide. */
const lattice = fc.tuple(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 12 }));
const ring = fc.array(lattice, { minLength: 3, maxLength: 90 });
const shape = fc.array(ring, { minLength: 1, maxLength: 4 }).map((rings) => multiPolygon([rings]));

function edgesOf(g: MultiPolygon): number[] {
  const edges: number[] = [];
  let from = 0;
  for (const end of g.ringEnds) {
    for (let v = from; v < end - 1; v++) {
      if (g.coords[v * 2] !== g.coords[v * 2 + 2] || g.coords[v * 2 + 1] !== g.coords[v * 2 + 3])
        edges.push(v);
    }
    from = end;
  }
  return edges;
}

describe('edge bands', () => {
  it('finds the edges whose boxes meet a box, each once', () => {
    const half = fc.integer({ min: -2, max: 28 }).map((n) => n / 2);
    fc.assert(
      fc.property(shape, half, half, half, half, (g, a, b, c, d) => {
        const [x0, x1, y0, y1] = [Math.min(a, b), Math.max(a, b), Math.min(c, d), Math.max(c, d)];
        const out = { edges: new Uint32Array(1) };
        const found = edgesInBox(edgeBands(g), x0, y0, x1, y1, out);
        const expected = edgesOf(g).filter((v) => {
          const [ax, ay, bx, by] = g.coords.subarray(v * 2, v * 2 + 4);
          return (
            Math.max(ax!, bx!) >= x0 &&
            Math.min(ax!, bx!) <= x1 &&
            Math.max(ay!, by!) >= y0 &&
            Math.min(ay!, by!) <= y1
          );
        });
        expect([...out.edges.subarray(0, found)].sort((p, q) => p - q)).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  it('has the point in polygon rule of pointInMultiPolygon, on vertices and edges too', () => {
    const at = fc.integer({ min: -1, max: 26 }).map((n) => n / 2);
    fc.assert(
      fc.property(shape, fc.array(fc.tuple(at, at), { minLength: 20, maxLength: 20 }), (g, points) => {
        const bands = edgeBands(g);
        for (const [x, y] of points) expect(insideBands(bands, x, y)).toBe(pointInMultiPolygon(x, y, g));
      }),
      { numRuns: 500 },
    );
  });

  it('measures to the nearest edge', () => {
    const place = fc.double({ min: -0.001, max: 0.013, noNaN: true });
    fc.assert(
      fc.property(shape, place, place, (g, dLon, dLat) => {
        const degrees = { ...g, coords: g.coords.map((v, i) => (i % 2 === 0 ? 145 : -38) + v / 1000) };
        const [lon, lat] = [145 + dLon, -38 + dLat];
        const [mx, my] = [metresPerDegreeLon(lat), metresPerDegreeLat(lat)];
        let expected = Infinity;
        for (const v of edgesOf(degrees)) {
          const [ax, ay, bx, by] = degrees.coords.subarray(v * 2, v * 2 + 4);
          const d = pointSegmentDistance(lon * mx, lat * my, ax! * mx, ay! * my, bx! * mx, by! * my);
          expected = Math.min(expected, d);
        }
        const bands = edgeBands(degrees);
        if (expected < 1e6) expect(boundaryDistance(bands, lon, lat, 1e6)).toBeCloseTo(expected, 5);
        if (expected > 0.001) expect(boundaryDistance(bands, lon, lat, expected * 0.99)).toBe(Infinity);
      }),
      { numRuns: 300 },
    );
  });

  it('keeps many bands for a polygon of many vertices, and few for a zigzag of long edges', () => {
    const circle = Array.from({ length: 2000 }, (_, i): [number, number] => [
      Math.cos((i * Math.PI) / 1000),
      Math.sin((i * Math.PI) / 1000),
    ]);
    const zigzag = Array.from({ length: 2000 }, (_, i): [number, number] => [i, i % 2 === 0 ? 0 : 100]);
    expect(edgeBands(multiPolygon([[circle]])).starts.length).toBeGreaterThan(100);
    expect(edgeBands(multiPolygon([[zigzag]])).edges.length).toBeLessThanOrEqual(12_000);
  });

  it('bears empty and degenerate geometry', () => {
    const empty = edgeBands({ coords: new Float64Array(0), ringEnds: [], polygonEnds: [] });
    expect(insideBands(empty, 0, 0)).toBe(false);
    expect(boundaryDistance(empty, 0, 0, 100)).toBe(Infinity);
    const flat = edgeBands(multiPolygon([[rectangle(0, 0, 1, 0)]]));
    expect(insideBands(flat, 0.5, 0)).toBe(false);
  });
});
