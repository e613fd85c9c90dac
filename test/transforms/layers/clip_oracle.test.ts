import { area, difference, feature, featureCollection } from '@turf/turf';
import fc from 'fast-check';
import type { Feature, MultiPolygon, Polygon } from 'geojson';
import { describe, expect, it } from 'vitest';
import { cellBbox, cellOf } from '../../../schema/grid.ts';
import { cutIntoCells } from '../../../transforms/geo/pieces.ts';
import { encodeWkb } from '../../../transforms/geo/wkb.ts';
import { type ClipPiece, circleClipper, intersectCircle } from '../../../transforms/layers/clip.ts';

/** A corner of four grid cells. */
const [corner_lon, corner_lat] = cellBbox(cellOf(145.02, -37.79));
const RADIUS_M = 1000;
/** Turf moves borders of kilometres by up to some millimetres; the circle has 3,140,000 m². */
const SLACK_SQM = 20;

type Point = [number, number];

/** Rings as one polygon, cut into grid cells as it is stored. */
function pieces(rings: readonly Point[][]): ClipPiece[] {
  const closed = rings.map((ring) => [...ring, ring[0]!].flat());
  let at = 0;
  const ringEnds = closed.map((ring) => (at += ring.length / 2));
  const shape = { coords: Float64Array.from(closed.flat()), ringEnds, polygonEnds: [rings.length] };
  return [...cutIntoCells(shape)].map(({ cell, geometry }) => ({ cell, geom: encodeWkb(geometry) }));
}

/** A star around a point: as many corners as reaches, in degrees. */
const star = (x: number, y: number, reaches: readonly number[]): Point[] =>
  reaches.map((reach, i) => {
    const angle = (i / reaches.length) * 2 * Math.PI;
    return [x + reach * Math.cos(angle), y + 0.8 * reach * Math.sin(angle)];
  });

/** Square metres that one of two shapes has and the other does not. */
function differs(a: Polygon | MultiPolygon | null, b: Polygon | MultiPolygon | null): number {
  if (a === null || b === null)
    return area(feature((a ?? b ?? { type: 'MultiPolygon', coordinates: [] }) as Polygon));
  const less = (x: Polygon | MultiPolygon, y: Polygon | MultiPolygon): number => {
    const rest = difference(featureCollection([feature(x), feature(y)]) as never) as Feature<Polygon> | null;
    return rest === null ? 0 : area(rest);
  };
  return less(a, b) + less(b, a);
}

const ringsOf = (shape: Polygon | MultiPolygon | null) =>
  shape === null ? [] : shape.type === 'Polygon' ? shape.coordinates : shape.coordinates.flat();

const offset = fc.double({ min: -0.012, max: 0.012, noNaN: true });
const centreAt = fc.record({ dx: offset, dy: offset });

describe('polygons cut to a circle', () => {
  it('are what Turf makes of them: concave ones with holes, over the corner of four cells', () => {
    fc.assert(
      fc.property(
        centreAt,
        fc.record({ x: offset, y: offset }),
        fc.array(fc.double({ min: 0.004, max: 0.03, noNaN: true }), { minLength: 3, maxLength: 60 }),
        fc.double({ min: 0.1, max: 0.9, noNaN: true }),
        fc.boolean(),
        ({ dx, dy }, at, reaches, share, clockwise) => {
          const [x, y] = [corner_lon + at.x, corner_lat + at.y];
          const shell = star(x, y, reaches);
          const hole = star(
            x,
            y,
            reaches.map((reach) => reach * share),
          );
          const parts = pieces(clockwise ? [shell.reverse(), hole] : [shell, hole]);
          const centre = { lon: corner_lon + dx, lat: corner_lat + dy };
          const clipped = circleClipper(centre, RADIUS_M)('polygon', parts) as Polygon | MultiPolygon | null;
          expect(differs(clipped, intersectCircle(parts, centre, RADIUS_M))).toBeLessThan(SLACK_SQM);
          for (const ring of ringsOf(clipped)) expect(ring[0]).toEqual(ring.at(-1));
        },
      ),
      { numRuns: 120, seed: 21 },
    );
  });

  it('are so where their corners lie on the borders of cells and on each other', () => {
    fc.assert(
      fc.property(
        fc.record({ dx: fc.integer({ min: -4, max: 4 }), dy: fc.integer({ min: -4, max: 4 }) }),
        fc.record({
          x: fc.integer({ min: -4, max: 4 }),
          y: fc.integer({ min: -4, max: 4 }),
          w: fc.integer({ min: 1, max: 9 }),
          h: fc.integer({ min: 1, max: 9 }),
        }),
        ({ dx, dy }, { x, y, w, h }) => {
          const step = 0.0025;
          const at = (i: number, j: number): Point => [corner_lon + i * step, corner_lat + j * step];
          // An L, whose edges run along the borders where x or y is 0.
          const shell = [
            at(x, y),
            at(x + w, y),
            at(x + w, y + 1),
            at(x + 1, y + 1),
            at(x + 1, y + 1 + h),
            at(x, y + 1 + h),
          ];
          const parts = pieces([shell]);
          const centre = { lon: corner_lon + dx * step, lat: corner_lat + dy * step };
          const clipped = circleClipper(centre, RADIUS_M)('polygon', parts) as Polygon | MultiPolygon | null;
          expect(differs(clipped, intersectCircle(parts, centre, RADIUS_M))).toBeLessThan(SLACK_SQM);
        },
      ),
      { numRuns: 200, seed: 22 },
    );
  });
});
