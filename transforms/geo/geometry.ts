import type { Bbox } from '../../schema/grid.ts';

/** A point in degrees. */
export interface LonLat {
  readonly lon: number;
  readonly lat: number;
}

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

/** Returns the bounding box [minX, minY, maxX, maxY] of flat coordinates; [Infinity, Infinity, -Infinity, -Infinity] if there are no vertices. */
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

/** Returns flat coordinates as GeoJSON positions. */
export function positionsOf(coords: Float64Array): [number, number][] {
  const out: [number, number][] = [];
  for (let i = 0; i < coords.length; i += 2) out.push([coords[i]!, coords[i + 1]!]);
  return out;
}

/** Returns the rings or lines of flat coordinates as views; `ends` are vertex numbers, exclusive. */
export function ringsOf(coords: Float64Array, ends: readonly number[]): Float64Array[] {
  return ends.map((end, i) => coords.subarray((i === 0 ? 0 : ends[i - 1]!) * 2, end * 2));
}

/** Returns the rings of each polygon, shell first, as views. */
export function polygonsOf({ coords, ringEnds, polygonEnds }: MultiPolygon): Float64Array[][] {
  const rings = ringsOf(coords, ringEnds);
  return polygonEnds.map((end, i) => rings.slice(i === 0 ? 0 : polygonEnds[i - 1]!, end));
}

/** Joins rings to one array, with their ends in vertices. */
export function joinRings(rings: readonly Float64Array[]): { coords: Float64Array; ringEnds: number[] } {
  const coords = new Float64Array(rings.reduce((sum, ring) => sum + ring.length, 0));
  const ringEnds: number[] = [];
  let at = 0;
  for (const ring of rings) {
    coords.set(ring, at);
    at += ring.length;
    ringEnds.push(at / 2);
  }
  return { coords, ringEnds };
}

/** Joins polygons, given by their rings, to a multipolygon. */
export function joinPolygons(polygons: readonly (readonly Float64Array[])[]): MultiPolygon {
  const polygonEnds: number[] = [];
  let rings = 0;
  for (const polygon of polygons) {
    rings += polygon.length;
    polygonEnds.push(rings);
  }
  return { ...joinRings(polygons.flat()), polygonEnds };
}

/** Changes every ring of the polygons. A null from `change` removes the ring; removing a shell removes its holes. */
export function mapRings(
  polygons: readonly (readonly Float64Array[])[],
  change: (ring: Float64Array) => Float64Array | null,
): Float64Array[][] {
  const out: Float64Array[][] = [];
  for (const [shell, ...holes] of polygons) {
    const changedShell = change(shell!);
    if (changedShell !== null) out.push([changedShell, ...holes.flatMap((hole) => change(hole) ?? [])]);
  }
  return out;
}

/** Converts a multipolygon to GeoJSON, the format of Turf and other libraries. */
export const toGeoJson = (
  geometry: MultiPolygon,
): { type: 'MultiPolygon'; coordinates: [number, number][][][] } => ({
  type: 'MultiPolygon',
  coordinates: polygonsOf(geometry).map((rings) => rings.map(positionsOf)),
});

/** Converts GeoJSON multipolygon coordinates without heights to a multipolygon. */
export const fromGeoJson = (
  polygons: readonly (readonly (readonly (readonly number[])[])[])[],
): MultiPolygon => joinPolygons(polygons.map((rings) => rings.map((ring) => Float64Array.from(ring.flat()))));
