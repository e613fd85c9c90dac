import type { Bbox } from '../../schema/grid.ts';

/**
 * A multipolygon in flat arrays.
 * `coords` holds x, y pairs of all rings one after the other; every ring is closed (its last vertex repeats its first).
 * `ringEnds[i]` is the vertex number (not the array index) at which ring i ends, exclusive.
 * `polygonEnds[j]` is the ring number at which polygon j ends, exclusive; its first ring is the shell, the others are holes.
 * Winding is not significant.
 */
export interface MultiPolygon {
  readonly coords: Float64Array;
  readonly ringEnds: readonly number[];
  readonly polygonEnds: readonly number[];
}

/**
 * Line strings in flat arrays: `coords` as in a multipolygon, `lineEnds[i]` is the vertex number at which line i ends, exclusive.
 * Every line has at least two vertices; a closed one repeats its first vertex.
 */
export interface MultiLine {
  readonly coords: Float64Array;
  readonly lineEnds: readonly number[];
}

/** Points in one flat array of x, y pairs. */
export interface MultiPoint {
  readonly coords: Float64Array;
}

/** Bounding box [minX, minY, maxX, maxY] of flat coordinates; of no vertices it is [Infinity, Infinity, -Infinity, -Infinity]. */
export function bboxOf(coords: Float64Array, from = 0, to = coords.length / 2): Bbox {
  let minX = Infinity;
  let minY = Infinity;
  let maxX = -Infinity;
  let maxY = -Infinity;
  for (let i = from * 2; i < to * 2; i += 2) {
    const x = coords[i]!;
    const y = coords[i + 1]!;
    if (x < minX) minX = x;
    if (x > maxX) maxX = x;
    if (y < minY) minY = y;
    if (y > maxY) maxY = y;
  }
  return [minX, minY, maxX, maxY];
}

/** GeoJSON coordinates of a multipolygon: what Turf and other libraries take. */
export function toGeoJson(geometry: MultiPolygon): {
  type: 'MultiPolygon';
  coordinates: [number, number][][][];
} {
  const coordinates: [number, number][][][] = [];
  let ring = 0;
  let vertex = 0;
  for (const polygonEnd of geometry.polygonEnds) {
    const polygon: [number, number][][] = [];
    for (; ring < polygonEnd; ring++) {
      const points: [number, number][] = [];
      for (const end = geometry.ringEnds[ring]!; vertex < end; vertex++) {
        points.push([geometry.coords[vertex * 2]!, geometry.coords[vertex * 2 + 1]!]);
      }
      polygon.push(points);
    }
    coordinates.push(polygon);
  }
  return { type: 'MultiPolygon', coordinates };
}
