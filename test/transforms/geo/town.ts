import { seededRandom } from '../../../tools/sample/random.ts';
import type { MultiPolygon } from '../../../transforms/geo/geometry.ts';
import { metresPerDegreeLat, metresPerDegreeLon } from '../../../transforms/geo/plane.ts';

/** Where the town is, and metres of a degree there. */
export const [LON, LAT] = [145, -37.8] as const;
export const [EAST, NORTH] = [metresPerDegreeLon(LAT), metresPerDegreeLat(LAT)];

/** A polygon of corners in metres from one place, turned by `angle`. */
function polygon(corners: readonly (readonly [number, number])[], angle: number): MultiPolygon {
  const [s, c] = [Math.sin(angle), Math.cos(angle)];
  const ring = [...corners, corners[0]!].flatMap(([x, y]) => [
    LON + (x * c - y * s) / EAST,
    LAT + (x * s + y * c) / NORTH,
  ]);
  return { coords: Float64Array.from(ring), ringEnds: [ring.length / 2], polygonEnds: [1] };
}

export const rectangle = (x: number, y: number, w: number, h: number, angle: number): MultiPolygon =>
  polygon(
    [
      [x, y],
      [x + w, y],
      [x + w, y + h],
      [x, y + h],
    ],
    angle,
  );

/** Rows of lots of uneven width along streets, and zones that end at every fourth lot. */
export function town(angle: number): { lots: MultiPolygon[]; zones: MultiPolygon[] } {
  const random = seededRandom(3, 'town').next;
  const lots: MultiPolygon[] = [];
  const zones: MultiPolygon[] = [];
  for (let row = 0; row < 12; row++) {
    let [x, from] = [0, 0];
    for (let i = 1; i <= 24; i++) {
      const width = 13 + random() * 9;
      lots.push(rectangle(x, row * 52, width, 36, angle));
      x += width;
      if (i % 4 === 0) {
        zones.push(rectangle(from, row * 52, x - from, 36, angle));
        from = x;
      }
    }
  }
  return { lots, zones };
}

/** Shapes whose coordinates were changed in place. */
export const moved = (shapes: MultiPolygon[], move: (coords: Float64Array) => void): MultiPolygon[] =>
  shapes.map((shape) => {
    const coords = Float64Array.from(shape.coords);
    move(coords);
    return { ...shape, coords };
  });
