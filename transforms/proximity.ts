import { Gathered, type PointIndex } from './geo/point_index.ts';
import { groupSubjects } from './hazards/subject_groups.ts';

export { buildPointIndex, type PointIndex } from './geo/point_index.ts';

/** Side of the squares whose subjects share a search, metres. */
const GROUP_M = 100;

/** Subjects in one square of the plane: its middle, and how far the furthest of them is from it. */
interface Group {
  readonly members: Int32Array;
  readonly x: number;
  readonly y: number;
  readonly spread_m: number;
}

/** Groups points of the plane by squares; those that are not finite are left out. */
function* groupsOf(xy: Float64Array): Iterable<Group> {
  const count = xy.length / 2;
  const cols = new Int32Array(count);
  const rows = new Int32Array(count);
  const placed: number[] = [];
  for (let i = 0; i < count; i++) {
    if (!Number.isFinite(xy[i * 2]!) || !Number.isFinite(xy[i * 2 + 1]!)) continue;
    cols[i] = Math.floor(xy[i * 2]! / GROUP_M);
    rows[i] = Math.floor(xy[i * 2 + 1]! / GROUP_M);
    placed.push(i);
  }
  const { order, starts } = groupSubjects(Int32Array.from(placed), cols, rows, null);
  for (let g = 0; g + 1 < starts.length; g++) {
    const members = order.subarray(starts[g]!, starts[g + 1]!);
    const x = (cols[members[0]!]! + 0.5) * GROUP_M;
    const y = (rows[members[0]!]! + 0.5) * GROUP_M;
    let spread2 = 0;
    for (const i of members) spread2 = Math.max(spread2, (xy[i * 2]! - x) ** 2 + (xy[i * 2 + 1]! - y) ** 2);
    // a micrometre more than it is, against rounding
    yield { members, x, y, spread_m: Math.sqrt(spread2) + 1e-6 };
  }
}

/** Points found for each subject and category; its slot is subject × categories + category. */
export interface NearestPlaces {
  /** Those of slot s: from first[s] on, count[s] of them, nearest first, then by number. */
  readonly first: Uint32Array;
  readonly count: Uint32Array;
  readonly items: Int32Array;
  readonly distance_m: Float64Array;
}

/** One search for the nearest points. */
class NearestSearch {
  private readonly index: PointIndex;
  private readonly xy: Float64Array;
  private readonly within_m: number;
  private readonly most: number;
  private readonly gathered: Gathered;
  private readonly first: Uint32Array;
  private readonly count: Uint32Array;
  /** Radius that sufficed for the last group, by category: where the next one starts. It changes no result. */
  private readonly start_m: Float64Array;
  private items = new Int32Array(1024);
  private distance_m = new Float64Array(1024);
  private used = 0;

  constructor(index: PointIndex, lonlat: Float64Array, within_m: number, most: number) {
    this.index = index;
    this.xy = index.plane.project(lonlat);
    this.within_m = within_m;
    this.most = most;
    this.gathered = new Gathered(index);
    const slots = (lonlat.length / 2) * index.categories;
    this.first = new Uint32Array(slots);
    this.count = new Uint32Array(slots);
    this.start_m = new Float64Array(index.categories).fill(1000);
  }

  run(): NearestPlaces {
    const { categories } = this.index;
    for (const group of groupsOf(this.xy)) {
      for (let category = 0; category < categories; category++) {
        this.gather(group, category);
        for (const subject of group.members) this.take(subject, subject * categories + category, group);
      }
    }
    return {
      first: this.first,
      count: this.count,
      items: this.items.slice(0, this.used),
      distance_m: this.distance_m.slice(0, this.used),
    };
  }

  /** Gathers all that may be among the nearest of any member: of the middle's k-th nearest no one is further than twice the spread. */
  private gather({ x, y, spread_m }: Group, category: number): void {
    const gathered = this.gathered;
    const widest = this.within_m + spread_m;
    let radius = this.most === Infinity ? widest : Math.min(widest, this.start_m[category]!);
    for (;;) {
      gathered.between(category, x, y, 0, radius);
      gathered.sort();
      if (radius >= widest) break;
      const needed = gathered.nthDistance(this.most) + 2 * spread_m;
      if (needed <= radius) break;
      radius = Math.min(widest, needed === Infinity ? radius * 2 : needed);
    }
    const nth = gathered.nthDistance(this.most);
    this.start_m[category] = nth === Infinity ? widest : nth * 1.1 + 2 * spread_m;
    gathered.narrow(nth + 2 * spread_m);
  }

  private take(subject: number, slot: number, { x: cx, y: cy }: Group): void {
    const { xy, items } = this.index;
    const { at, count, distance_m } = this.gathered;
    const x = this.xy[subject * 2]!;
    const y = this.xy[subject * 2 + 1]!;
    const offset_m = Math.sqrt((x - cx) * (x - cx) + (y - cy) * (y - cy)) + 1e-6;
    const first = this.used;
    this.reserve(Math.min(count, this.most));
    let n = 0;
    let limit = this.within_m * this.within_m;
    let limit_m = this.within_m;
    for (let k = 0; k < count; k++) {
      // the nearest to the middle come first: when even these are too far, so are the rest
      if (distance_m[k]! - offset_m > limit_m) break;
      const place = at[k]!;
      const dx = xy[place * 2]! - x;
      const dy = xy[place * 2 + 1]! - y;
      const d2 = dx * dx + dy * dy;
      if (d2 > limit) continue;
      n = this.insert(first, n, items[place]!, d2);
      if (n < this.most) continue;
      limit = this.distance_m[first + n - 1]!;
      limit_m = Math.sqrt(limit) + 1e-6;
    }
    for (let k = first; k < first + n; k++) this.distance_m[k] = Math.sqrt(this.distance_m[k]!);
    this.first[slot] = first;
    this.count[slot] = n;
    this.used += n;
  }

  /** Puts an item in its place among the nearest so far; returns their number. */
  private insert(first: number, n: number, item: number, d2: number): number {
    const items = this.items;
    const distances = this.distance_m;
    let at = first + n;
    if (n === this.most) {
      const last = distances[at - 1]!;
      if (d2 > last || (d2 === last && item > items[at - 1]!)) return n;
      at--;
    }
    while (at > first && (distances[at - 1]! > d2 || (distances[at - 1] === d2 && items[at - 1]! > item))) {
      distances[at] = distances[at - 1]!;
      items[at] = items[at - 1]!;
      at--;
    }
    distances[at] = d2;
    items[at] = item;
    return Math.min(n + 1, this.most);
  }

  private reserve(more: number): void {
    if (this.used + more <= this.items.length) return;
    const size = Math.max(this.items.length * 2, this.used + more);
    const items = new Int32Array(size);
    items.set(this.items);
    this.items = items;
    const distances = new Float64Array(size);
    distances.set(this.distance_m);
    this.distance_m = distances;
  }
}

/**
 * For each subject (flat lon, lat pairs; NaN: no coordinates, nothing) and category the points within `within_m` metres,
 * nearest first, at most `most` of them. Ties go to the lower number. Distances are on the index's plane: geodesic to 2 mm
 * within 5 km of its centre, to 0.004 % within 50 km. The result does not depend on the order of subjects.
 */
export function nearestPlaces(
  index: PointIndex,
  lonlat: Float64Array,
  { within_m, most = Infinity }: { within_m: number; most?: number },
): NearestPlaces {
  return new NearestSearch(index, lonlat, within_m, most).run();
}

/** Number of points within `within_m` metres by subject and category, at subject × categories + category; as nearestPlaces. */
export function countPlaces(index: PointIndex, lonlat: Float64Array, within_m: number): Uint32Array {
  const { categories, xy } = index;
  const subjects = index.plane.project(lonlat);
  const counts = new Uint32Array((lonlat.length / 2) * categories);
  const gathered = new Gathered(index);
  const limit = within_m * within_m;
  for (const { members, x, y, spread_m } of groupsOf(subjects)) {
    for (let category = 0; category < categories; category++) {
      const sure = gathered.between(category, x, y, within_m - spread_m, within_m + spread_m);
      const { at, count } = gathered;
      for (const subject of members) {
        let n = sure;
        for (let k = 0; k < count; k++) {
          const dx = xy[at[k]! * 2]! - subjects[subject * 2]!;
          const dy = xy[at[k]! * 2 + 1]! - subjects[subject * 2 + 1]!;
          if (dx * dx + dy * dy <= limit) n++;
        }
        counts[subject * categories + category] = n;
      }
    }
  }
  return counts;
}
