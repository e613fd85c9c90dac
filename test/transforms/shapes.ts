import type { MultiPolygon } from '../../transforms/geo/geometry.ts';
import { metresPerDegreeLat, metresPerDegreeLon } from '../../transforms/geo/plane.ts';

/** Polygons as lists of rings of points; rings may be open. */
export type Polygons = readonly (readonly (readonly (readonly [number, number])[])[])[];

/** Flat multipolygon of nested lists; open rings are closed, `map` may move every point. */
export function multiPolygon(
  polygons: Polygons,
  map: (x: number, y: number) => readonly [number, number] = (x, y) => [x, y],
): MultiPolygon {
  const coords: number[] = [];
  const ringEnds: number[] = [];
  const polygonEnds: number[] = [];
  for (const rings of polygons) {
    for (const ring of rings) {
      const [first, last] = [ring[0]!, ring[ring.length - 1]!];
      const closed = first[0] === last[0] && first[1] === last[1] ? ring : [...ring, first];
      for (const [x, y] of closed) coords.push(...map(x, y));
      ringEnds.push(coords.length / 2);
    }
    polygonEnds.push(ringEnds.length);
  }
  return { coords: Float64Array.from(coords), ringEnds, polygonEnds };
}

/** A place to lay hand-made parcels out in metres: 0.1 m there is 0.1 m in degrees to 0.01 %. */
export const HERE = [145.0, -37.8] as const;

/** Parcels laid out in metres east and north of HERE, in degrees. */
export function inMetres(polygons: Polygons): MultiPolygon {
  const mx = metresPerDegreeLon(HERE[1]);
  const my = metresPerDegreeLat(HERE[1]);
  return multiPolygon(polygons, (x, y) => [HERE[0] + x / mx, HERE[1] + y / my]);
}

/** The closed ring of an upright rectangle. */
export function rectangle(x0: number, y0: number, x1: number, y1: number): [number, number][] {
  return [
    [x0, y0],
    [x1, y0],
    [x1, y1],
    [x0, y1],
    [x0, y0],
  ];
}
