import { metresPerDegreeLat, metresPerDegreeLon } from '../geo/plane.ts';
import { selectKth } from '../stats/quantile.ts';

/** Height of a grid row in degrees, about 440 m: close to the radius of most searches. */
const ROW_DEG = 0.004;

/** Points by latitude row, then longitude, then number. Points without coordinates are left out. */
export interface PointGrid {
  /** Number of each point, as given, in grid order. */
  readonly items: Int32Array;
  readonly lon: Float64Array;
  readonly lat: Float64Array;
  /** Row of the first entry of `starts`; rows count from the equator, negative to the south. */
  readonly first_row: number;
  readonly starts: Int32Array;
}

/** Search result, reused from search to search: the first `n` items, unordered, with squared distances in m². */
export interface RadiusSearchResult {
  n: number;
  items: Int32Array;
  distance2: Float64Array;
  scratch: Float64Array;
  /** Final radius of the last nearest-search, metres; the next one starts near it, which changes no result. */
  radius_m: number;
}

export function makeFound(): RadiusSearchResult {
  return {
    n: 0,
    items: new Int32Array(256),
    distance2: new Float64Array(256),
    scratch: new Float64Array(256),
    radius_m: 500,
  };
}

/** Builds the grid of the points in `items`; lon, lat in GDA2020 degrees. */
export function buildPointGrid(lon: Float64Array, lat: Float64Array, items: Iterable<number>): PointGrid {
  const rowOf = (item: number): number => Math.floor(lat[item]! / ROW_DEG);
  const located = [...items].filter((item) => Number.isFinite(lon[item]!) && Number.isFinite(lat[item]!));
  located.sort((a, b) => rowOf(a) - rowOf(b) || lon[a]! - lon[b]! || a - b);
  const first_row = located.length > 0 ? rowOf(located[0]!) : 0;
  const rows = located.length > 0 ? rowOf(located.at(-1)!) - first_row + 1 : 0;
  const starts = new Int32Array(rows + 1);
  for (const item of located) starts[rowOf(item) - first_row + 1]!++;
  for (let row = 0; row < rows; row++) starts[row + 1] = starts[row + 1]! + starts[row]!;
  return {
    items: Int32Array.from(located),
    lon: Float64Array.from(located, (item) => lon[item]!),
    lat: Float64Array.from(located, (item) => lat[item]!),
    first_row,
    starts,
  };
}

/** Returns the grid of the points with a number in [from, to). O(n), in the same order. */
export function pointsNumbered(grid: PointGrid, from: number, to: number): PointGrid {
  const rows = grid.starts.length - 1;
  const starts = new Int32Array(rows + 1);
  const inRange = new Int32Array(grid.items.length);
  let n = 0;
  for (let row = 0; row < rows; row++) {
    for (let at = grid.starts[row]!; at < grid.starts[row + 1]!; at++)
      if (grid.items[at]! >= from && grid.items[at]! < to) inRange[n++] = at;
    starts[row + 1] = n;
  }
  const items = new Int32Array(n);
  const lon = new Float64Array(n);
  const lat = new Float64Array(n);
  for (let k = 0; k < n; k++) {
    const at = inRange[k]!;
    items[k] = grid.items[at]!;
    lon[k] = grid.lon[at]!;
    lat[k] = grid.lat[at]!;
  }
  return { items, lon, lat, first_row: grid.first_row, starts };
}

/** Returns the metres between two points on the plane of the first. */
export function metresBetween(lon: number, lat: number, other_lon: number, other_lat: number): number {
  const x = (other_lon - lon) * metresPerDegreeLon(lat);
  const y = (other_lat - lat) * metresPerDegreeLat(lat);
  return Math.sqrt(x * x + y * y);
}

function grow(result: RadiusSearchResult): void {
  const size = result.items.length * 2;
  const items = new Int32Array(size);
  items.set(result.items);
  const distance2 = new Float64Array(size);
  distance2.set(result.distance2);
  result.items = items;
  result.distance2 = distance2;
  result.scratch = new Float64Array(size);
}

/** Returns the first entry of [from, to) whose longitude is at least `lon`. */
function lowerBound(values: Float64Array, lon: number, from: number, to: number): number {
  let lo = from;
  let hi = to;
  while (lo < hi) {
    const middle = (lo + hi) >> 1;
    if (values[middle]! < lon) lo = middle + 1;
    else hi = middle;
  }
  return lo;
}

/**
 * Finds the points within `radius_m` of a position whose number is in [from, to). Distances are on the plane of the position,
 * within 0.1 % of the geodesic up to 12 km.
 */
// Numbers, not an object: an object would be allocated for each call of the inner loop.
export function pointsWithin(
  grid: PointGrid,
  lon: number,
  lat: number,
  radius_m: number,
  from: number,
  to: number,
  matches: RadiusSearchResult,
): void {
  const perLon = metresPerDegreeLon(lat);
  const perLat = metresPerDegreeLat(lat);
  const dLat = radius_m / perLat;
  const dLon = radius_m / perLon;
  const limit = radius_m * radius_m;
  const low = Math.max(0, Math.floor((lat - dLat) / ROW_DEG) - grid.first_row);
  const high = Math.min(grid.starts.length - 2, Math.floor((lat + dLat) / ROW_DEG) - grid.first_row);
  matches.n = 0;
  for (let row = low; row <= high; row++) {
    const end = grid.starts[row + 1]!;
    const east = lon + dLon;
    for (let at = lowerBound(grid.lon, lon - dLon, grid.starts[row]!, end); at < end; at++) {
      const ownLon = grid.lon[at]!;
      if (ownLon > east) break;
      const item = grid.items[at]!;
      if (item < from || item >= to) continue;
      const x = (ownLon - lon) * perLon;
      const y = (grid.lat[at]! - lat) * perLat;
      const d2 = x * x + y * y;
      if (d2 > limit) continue;
      if (matches.n === matches.items.length) grow(matches);
      matches.items[matches.n] = item;
      matches.distance2[matches.n++] = d2;
    }
  }
}

/** Keeps the nearest `k` points found; ties at the limit go to the higher number. */
export function keepNearest(result: RadiusSearchResult, k: number): void {
  const { n, items, distance2, scratch } = result;
  if (n <= k) return;
  scratch.set(distance2.subarray(0, n));
  const limit = selectKth(scratch, k - 1, n);
  let nearer = 0;
  for (let i = 0; i < n; i++) if (distance2[i]! < limit) nearer++;
  const edge: number[] = [];
  for (let i = 0; i < n; i++) if (distance2[i] === limit) edge.push(items[i]!);
  edge.sort((a, b) => b - a).length = k - nearer;
  const least = edge.at(-1)!;
  let write = 0;
  for (let i = 0; i < n; i++) {
    if (distance2[i]! > limit || (distance2[i] === limit && items[i]! < least)) continue;
    items[write] = items[i]!;
    distance2[write++] = distance2[i]!;
  }
  result.n = write;
}

/** Finds the nearest `k` points within `max_m` whose number is in [from, to); see pointsWithin and keepNearest. */
export function nearestPoints(
  grid: PointGrid,
  lon: number,
  lat: number,
  k: number,
  max_m: number,
  from: number,
  to: number,
  matches: RadiusSearchResult,
): void {
  let radius_m = Math.min(max_m, matches.radius_m * 0.8);
  for (;;) {
    pointsWithin(grid, lon, lat, radius_m, from, to, matches);
    if (matches.n >= k || radius_m >= max_m) break;
    radius_m = Math.min(max_m, radius_m * (matches.n * 4 < k ? 2 : 1.4));
  }
  matches.radius_m = Math.max(200, matches.n > 3 * k ? radius_m / 1.5 : radius_m);
  keepNearest(matches, k);
}
