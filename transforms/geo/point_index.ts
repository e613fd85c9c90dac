import type { Plane } from './plane.ts';
import { sortByDistance } from './sort_pairs.ts';

/** Side of the lookup squares, metres; doubled until there are at most MAX_SQUARES. */
const SQUARE_M = 250;
const MAX_SQUARES = 1_000_000;

/** Points of one or more categories, searchable by distance. Built by buildPointIndex. */
export interface PointIndex {
  readonly plane: Plane;
  readonly categories: number;
  /** Point numbers by category, then square; x, y of each, metres on the plane. */
  readonly items: Int32Array;
  readonly xy: Float64Array;
  readonly square_m: number;
  readonly min_x: number;
  readonly min_y: number;
  readonly cols: number;
  readonly rows: number;
  /** Square (row × cols + col) of category c starts at starts[c × cols × rows + square]. */
  readonly starts: Uint32Array;
}

/**
 * Indexes points on a plane centred near the subjects. Points: flat lon, lat pairs, GDA2020 degrees; NaN: no coordinates, never
 * found. `category`: category of each point from 0 to `categories` - 1; null: one category.
 */
export function buildPointIndex(
  lonlat: Float64Array,
  plane: Plane,
  category: ArrayLike<number> | null = null,
  categories = 1,
): PointIndex {
  const xy = plane.project(lonlat);
  let [min_x, min_y, maxX, maxY] = [Infinity, Infinity, -Infinity, -Infinity];
  const located: number[] = [];
  for (let i = 0; i < xy.length / 2; i++) {
    const x = xy[i * 2]!;
    const y = xy[i * 2 + 1]!;
    if (!Number.isFinite(x) || !Number.isFinite(y)) continue;
    located.push(i);
    min_x = Math.min(min_x, x);
    min_y = Math.min(min_y, y);
    maxX = Math.max(maxX, x);
    maxY = Math.max(maxY, y);
  }
  if (located.length === 0) [min_x, min_y, maxX, maxY] = [0, 0, 0, 0];
  let square_m = SQUARE_M;
  const squares = (length: number): number => Math.floor(length / square_m) + 1;
  while (squares(maxX - min_x) * squares(maxY - min_y) * categories > MAX_SQUARES) square_m *= 2;
  const cols = squares(maxX - min_x);
  const rows = squares(maxY - min_y);
  const slotOf = (i: number): number => {
    const col = Math.floor((xy[i * 2]! - min_x) / square_m);
    const row = Math.floor((xy[i * 2 + 1]! - min_y) / square_m);
    return ((category === null ? 0 : category[i]!) * rows + row) * cols + col;
  };
  const starts = new Uint32Array(categories * rows * cols + 1);
  for (const i of located) starts[slotOf(i) + 1]!++;
  for (let k = 1; k < starts.length; k++) starts[k]! += starts[k - 1]!;
  const next = starts.slice();
  const items = new Int32Array(located.length);
  const sorted = new Float64Array(located.length * 2);
  for (const i of located) {
    const at = next[slotOf(i)]!++;
    items[at] = i;
    sorted[at * 2] = xy[i * 2]!;
    sorted[at * 2 + 1] = xy[i * 2 + 1]!;
  }
  return { plane, categories, items, xy: sorted, square_m, min_x, min_y, cols, rows, starts };
}

/** Points of one category around a centre. Reused from search to search. */
export class NearbyPoints {
  /** Positions in the index, and squared distances from the centre: the first `count`. */
  at = new Int32Array(256);
  squared = new Float64Array(256);
  count = 0;
  private readonly index: PointIndex;

  constructor(index: PointIndex) {
    this.index = index;
  }

  /** Finds the points at distances from `least_m` to `most_m`; returns the number of points closer than `least_m`. */
  between(category: number, x: number, y: number, least_m: number, most_m: number): number {
    const { min_y, square_m, rows } = this.index;
    const r0 = Math.max(0, Math.floor((y - most_m - min_y) / square_m));
    const r1 = Math.min(rows - 1, Math.floor((y + most_m - min_y) / square_m));
    this.count = 0;
    let nearer = 0;
    for (let row = r0; row <= r1; row++) nearer += this.inRow(category, row, x, y, least_m, most_m);
    return nearer;
  }

  // Numbers, not an object: an object would be allocated for each call of the inner loop.
  private inRow(
    category: number,
    row: number,
    x: number,
    y: number,
    least_m: number,
    most_m: number,
  ): number {
    const { min_x, min_y, square_m, rows, cols, starts, xy } = this.index;
    const south = min_y + row * square_m - y;
    const dy = Math.max(0, south, -(south + square_m));
    const dx = Math.sqrt(Math.max(0, most_m * most_m - dy * dy)) + 1e-6;
    const c0 = Math.max(0, Math.floor((x - dx - min_x) / square_m));
    const c1 = Math.min(cols - 1, Math.floor((x + dx - min_x) / square_m));
    if (c0 > c1) return 0;
    const first = (category * rows + row) * cols;
    const from = starts[first + c0]!;
    const end = starts[first + c1 + 1]!;
    if (this.count + end - from > this.at.length) this.grow(this.count + end - from);
    const { at, squared } = this;
    const most2 = most_m * most_m;
    const least2 = least_m > 0 ? least_m * least_m : 0;
    let count = this.count;
    let nearer = 0;
    for (let k = from; k < end; k++) {
      const ex = xy[k * 2]! - x;
      const ey = xy[k * 2 + 1]! - y;
      const d2 = ex * ex + ey * ey;
      if (d2 > most2) continue;
      if (d2 < least2) nearer++;
      else {
        at[count] = k;
        squared[count++] = d2;
      }
    }
    this.count = count;
    return nearer;
  }

  private grow(count: number): void {
    const size = Math.max(count, this.at.length * 2);
    const larger = new Int32Array(size);
    larger.set(this.at);
    this.at = larger;
    const distances = new Float64Array(size);
    distances.set(this.squared);
    this.squared = distances;
  }

  /** Sorts by distance, nearest first. */
  sort(): void {
    sortByDistance(this.at, this.squared, this.count);
  }

  /** Returns the distance of the k-th nearest point found (from 1); Infinity if there are fewer. Must be sorted. */
  nthDistance(k: number): number {
    return this.count < k ? Infinity : Math.sqrt(this.squared[k - 1]!);
  }

  /** Drops points farther than `most_m`. Must be sorted. */
  narrow(most_m: number): void {
    const most2 = most_m * most_m;
    while (this.count > 0 && this.squared[this.count - 1]! > most2) this.count--;
  }
}
