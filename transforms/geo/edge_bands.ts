import type { Bbox } from '../../schema/grid.ts';
import { pointSegmentDistance } from './distance.ts';
import { bboxOf, type MultiPolygon } from './geometry.ts';
import { metresPerDegreeLat, metresPerDegreeLon } from './plane.ts';

/** Target number of edges per band, and minimum edges for more than one band. */
const EDGES_PER_BAND = 8;
const SMALL = 48;
/** Maximum list entries per edge; bands are made coarser until they comply. */
const MAX_REPEATS = 6;

/**
 * Edges of a polygon sorted into horizontal bands, so that a search in a large polygon only reads the edges nearby. An edge is
 * identified by its first vertex and listed in every band that it touches. Edges of zero length are left out.
 */
export interface EdgeBands {
  readonly coords: Float64Array;
  readonly bbox: Bbox;
  /** Bands per unit of y; 0: one band. */
  readonly perUnit: number;
  /** Band k holds edges[starts[k]] to edges[starts[k + 1]], exclusive. */
  readonly starts: Uint32Array;
  readonly edges: Uint32Array;
}

/** Returns the first vertices of all edges with a length. */
function listEdges({ coords, ringEnds }: MultiPolygon): Uint32Array {
  const list = new Uint32Array(coords.length / 2);
  let count = 0;
  let vertex = 0;
  for (let r = 0; r < ringEnds.length; r++) {
    const last = ringEnds[r]! - 1;
    for (; vertex < last; vertex++) {
      const i = vertex * 2;
      if (coords[i] !== coords[i + 2] || coords[i + 1] !== coords[i + 3]) list[count++] = vertex;
    }
    vertex = last + 1;
  }
  return list.subarray(0, count);
}

function entriesFor(coords: Float64Array, list: Uint32Array, minY: number, perUnit: number): number {
  let entries = 0;
  for (let k = 0; k < list.length; k++) {
    const i = list[k]! * 2;
    const b0 = Math.floor((coords[i + 1]! - minY) * perUnit);
    const b1 = Math.floor((coords[i + 3]! - minY) * perUnit);
    entries += Math.abs(b1 - b0) + 1;
  }
  return entries;
}

/** Shared lists 0 … n - 1 and starts of one band, for polygons of one ring and n edges, which are most. */
const FIRST_EDGES = Array.from({ length: SMALL }, (_, n) => Uint32Array.from({ length: n }, (_, i) => i));
const ONE_BAND = Array.from({ length: SMALL }, (_, n) => Uint32Array.of(0, n));

/** Returns the edges of a small polygon with one ring and no zero-length edges. Null: another polygon. */
function plainBands({ coords, ringEnds }: MultiPolygon, bbox: Bbox): EdgeBands | null {
  const n = coords.length / 2 - 1;
  if (ringEnds.length !== 1 || n >= SMALL || n < 0) return null;
  for (let i = 0; i < n * 2; i += 2) {
    if (coords[i] === coords[i + 2] && coords[i + 1] === coords[i + 3]) return null;
  }
  return { coords, bbox, perUnit: 0, starts: ONE_BAND[n]!, edges: FIRST_EDGES[n]! };
}

/** Sorts the edges of a polygon into bands; one band if it has few edges. */
export function edgeBands(geometry: MultiPolygon): EdgeBands {
  const { coords } = geometry;
  const bbox = bboxOf(coords);
  const plain = plainBands(geometry, bbox);
  if (plain) return plain;
  const list = listEdges(geometry);
  const one: EdgeBands = { coords, bbox, perUnit: 0, starts: Uint32Array.of(0, list.length), edges: list };
  const height = bbox[3] - bbox[1];
  if (list.length < SMALL || !(height > 0)) return one;
  let bands = Math.ceil(list.length / EDGES_PER_BAND);
  while (bands > 1 && entriesFor(coords, list, bbox[1], bands / height) > MAX_REPEATS * list.length)
    bands >>= 1;
  if (bands <= 1) return one;
  const perUnit = bands / height;
  // Rounding may put the maximum y into a band of its own, so one more is reserved.
  const starts = new Uint32Array(bands + 2);
  const bandOf = (y: number): number => Math.floor((y - bbox[1]) * perUnit);
  const eachBand = (vertex: number, callback: (band: number) => void): void => {
    const a = bandOf(coords[vertex * 2 + 1]!);
    const b = bandOf(coords[vertex * 2 + 3]!);
    for (let k = Math.min(a, b), last = Math.max(a, b); k <= last; k++) callback(k);
  };
  for (const vertex of list) eachBand(vertex, (k) => starts[k + 1]!++);
  for (let k = 0; k <= bands; k++) starts[k + 1]! += starts[k]!;
  const edges = new Uint32Array(starts[bands + 1]!);
  const next = starts.slice();
  for (const vertex of list)
    eachBand(vertex, (k) => {
      edges[next[k]!++] = vertex;
    });
  return { coords, bbox, perUnit, starts, edges };
}

/** Reusable list of edges that grows as needed. */
export interface EdgeList {
  edges: Uint32Array;
}

/**
 * Writes the edges whose boxes meet the given box to `out`, each once, in an order that only depends on polygon and box. Overwrites
 * `out`; returns the number found.
 */
// Numbers, not an object: an object would be allocated for each call of the inner loop.
export function edgesInBox(
  bands: EdgeBands,
  minX: number,
  minY: number,
  maxX: number,
  maxY: number,
  out: EdgeList,
): number {
  const { coords, bbox, perUnit, starts, edges } = bands;
  if (minX > bbox[2] || maxX < bbox[0] || minY > bbox[3] || maxY < bbox[1]) return 0;
  if (out.edges.length < coords.length / 2) out.edges = new Uint32Array(coords.length);
  const list = out.edges;
  let count = 0;
  const lastBand = starts.length - 2;
  const from = Math.max(0, Math.floor((minY - bbox[1]) * perUnit));
  const to = Math.min(lastBand, Math.floor((maxY - bbox[1]) * perUnit));
  for (let band = from; band <= to; band++) {
    for (let k = starts[band]!, end = starts[band + 1]!; k < end; k++) {
      const i = edges[k]! * 2;
      const x0 = coords[i]!;
      const x1 = coords[i + 2]!;
      if ((x0 < minX && x1 < minX) || (x0 > maxX && x1 > maxX)) continue;
      const y0 = coords[i + 1]!;
      const y1 = coords[i + 3]!;
      if ((y0 < minY && y1 < minY) || (y0 > maxY && y1 > maxY)) continue;
      // An edge in several bands is only taken in the first one searched.
      if (band > from && Math.floor((Math.min(y0, y1) - bbox[1]) * perUnit) < band) continue;
      list[count++] = edges[k]!;
    }
  }
  return count;
}

/** Returns whether a point is inside the polygon, exactly as pointInMultiPolygon does, including on the boundary. */
export function insideBands(bands: EdgeBands, x: number, y: number): boolean {
  const { coords, bbox, perUnit, starts, edges } = bands;
  if (!(x >= bbox[0] && x <= bbox[2] && y >= bbox[1] && y <= bbox[3])) return false;
  const band = Math.floor((y - bbox[1]) * perUnit);
  let inside = false;
  for (let k = starts[band]!, end = starts[band + 1]!; k < end; k++) {
    const i = edges[k]! * 2;
    const ay = coords[i + 1]!;
    const by = coords[i + 3]!;
    if (ay > y === by > y) continue;
    const ax = coords[i]!;
    const bx = coords[i + 2]!;
    if (ax > x && bx > x) inside = !inside;
    else if (ax > x || bx > x) {
      // Evaluated from the lower end in either ring direction: both polygons at an edge get the same result.
      const up = by > ay;
      const lx = up ? ax : bx;
      const ly = up ? ay : by;
      const hx = up ? bx : ax;
      const hy = up ? by : ay;
      if ((x - lx) * (hy - ly) < (hx - lx) * (y - ly)) inside = !inside;
    }
  }
  return inside;
}

const near: EdgeList = { edges: new Uint32Array(256) };

/**
 * Returns the distance in metres from a point to the nearest edge of a polygon (also from inside), Infinity if more than
 * `within_m`. Coordinates are degrees, measured with the scale at the point: accurate to 0.1 % up to 5 km.
 */
export function boundaryDistance(bands: EdgeBands, lon: number, lat: number, within_m: number): number {
  const mx = metresPerDegreeLon(lat);
  const my = metresPerDegreeLat(lat);
  const dx = within_m / mx;
  const dy = within_m / my;
  const edges = edgesInBox(bands, lon - dx, lat - dy, lon + dx, lat + dy, near);
  const { coords } = bands;
  let nearest = Infinity;
  for (let k = 0; k < edges; k++) {
    const i = near.edges[k]! * 2;
    const d = pointSegmentDistance(
      0,
      0,
      (coords[i]! - lon) * mx,
      (coords[i + 1]! - lat) * my,
      (coords[i + 2]! - lon) * mx,
      (coords[i + 3]! - lat) * my,
    );
    if (d < nearest) nearest = d;
  }
  return nearest <= within_m ? nearest : Infinity;
}
