import type { Plane } from '../geo/plane.ts';
import { groupPoints, type PointGroups } from '../geo/point_groups.ts';
import { NearbyPoints, type PointIndex } from '../geo/point_index.ts';

export { buildPointIndex, type PointIndex } from '../geo/point_index.ts';

/** Side of the squares whose subjects share a search, metres. */
const GROUP_M = 100;

/** Points found for each subject and category; its slot is subject × categories + category. */
export interface NearestPlaces {
  /** Slot s has count[s] points starting at first[s], nearest first, then by number. */
  readonly first: Uint32Array;
  readonly count: Uint32Array;
  readonly items: Int32Array;
  readonly distance_m: Float64Array;
}

/** Subjects on the plane of the indexes to search. Built by placeSubjects. */
export interface PlacedSubjects {
  /** Flat x, y pairs, metres. */
  readonly xy: Float64Array;
  readonly groups: PointGroups;
}

/** Prepares subjects (flat lon, lat pairs; NaN: no coordinates) for several searches on one plane. */
export function placeSubjects(lonlat: Float64Array, plane: Plane): PlacedSubjects {
  const xy = plane.project(lonlat);
  return { xy, groups: groupPoints(xy, GROUP_M) };
}

/** Maximum results to reserve space for before their number is known. */
const MOST_RESERVED = 4_000_000;

class NearestSearch {
  private readonly index: PointIndex;
  private readonly xy: Float64Array;
  private readonly groups: PointGroups;
  private readonly within_m: number;
  private readonly most: number;
  private readonly gathered: NearbyPoints;
  private readonly first: Uint32Array;
  private readonly count: Uint32Array;
  /** Radius that sufficed for the last group, by category: the start for the next one. It changes no result. */
  private readonly start_m: Float64Array;
  /** Numbers and x, y of the collected points, contiguous. */
  private nearItems = new Int32Array(256);
  private nearXy = new Float64Array(512);
  private items: Int32Array;
  private distance_m: Float64Array;
  private used = 0;

  constructor(index: PointIndex, { xy, groups }: PlacedSubjects, within_m: number, most: number) {
    this.index = index;
    this.xy = xy;
    this.groups = groups;
    this.within_m = within_m;
    this.most = most;
    this.gathered = new NearbyPoints(index);
    const slots = (xy.length / 2) * index.categories;
    this.first = new Uint32Array(slots);
    this.count = new Uint32Array(slots);
    this.start_m = new Float64Array(index.categories).fill(1000);
    const reserved = Math.min(slots * Math.min(most, index.items.length), MOST_RESERVED);
    this.items = new Int32Array(reserved);
    this.distance_m = new Float64Array(reserved);
  }

  run(): NearestPlaces {
    const { groups } = this;
    const { categories } = this.index;
    for (let g = 0; g < groups.count; g++) {
      const x = groups.x[g]!;
      const y = groups.y[g]!;
      const spread_m = groups.spread_m[g]!;
      for (let category = 0; category < categories; category++) {
        this.gather(x, y, spread_m, category);
        for (let k = groups.starts[g]!, end = groups.starts[g + 1]!; k < end; k++) {
          const subject = groups.order[k]!;
          this.take(subject, subject * categories + category, x, y);
        }
      }
    }
    return {
      first: this.first,
      count: this.count,
      items: this.items.subarray(0, this.used),
      distance_m: this.distance_m.subarray(0, this.used),
    };
  }

  /** Collects all points that may be among the nearest of any member: no member's k-th nearest is farther than the centre's plus twice the spread. */
  private gather(x: number, y: number, spread_m: number, category: number): void {
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
    this.lay();
  }

  /** Copies the collected points to contiguous arrays for the loop over the members. */
  private lay(): void {
    const { at, count } = this.gathered;
    const { xy, items } = this.index;
    if (this.nearItems.length < count) {
      this.nearItems = new Int32Array(count * 2);
      this.nearXy = new Float64Array(count * 4);
    }
    const { nearItems, nearXy } = this;
    for (let k = 0; k < count; k++) {
      const placeIndex = at[k]!;
      nearItems[k] = items[placeIndex]!;
      nearXy[k * 2] = xy[placeIndex * 2]!;
      nearXy[k * 2 + 1] = xy[placeIndex * 2 + 1]!;
    }
  }

  /** Selects the nearest points of a subject from the collected ones, by insertion. */
  private take(subject: number, slot: number, cx: number, cy: number): void {
    const { count, squared } = this.gathered;
    const { nearItems, nearXy, most } = this;
    const x = this.xy[subject * 2]!;
    const y = this.xy[subject * 2 + 1]!;
    const offset_m = Math.sqrt((x - cx) * (x - cx) + (y - cy) * (y - cy)) + 1e-6;
    const first = this.used;
    this.reserve(Math.min(count, most));
    const { items, distance_m: distances } = this;
    let end = first;
    const full = first + most;
    let limit = this.within_m * this.within_m;
    let reach2 = (this.within_m + offset_m) ** 2;
    for (let k = 0; k < count; k++) {
      // Points closest to the centre come first: if these are too far, so are the rest.
      if (squared[k]! > reach2) break;
      const dx = nearXy[k * 2]! - x;
      const dy = nearXy[k * 2 + 1]! - y;
      const d2 = dx * dx + dy * dy;
      if (d2 > limit) continue;
      const item = nearItems[k]!;
      let at = end;
      if (end < full) end++;
      else {
        at--;
        if (d2 === limit && item > items[at]!) continue;
      }
      for (; at > first; at--) {
        const before = distances[at - 1]!;
        if (before < d2 || (before === d2 && items[at - 1]! < item)) break;
        distances[at] = before;
        items[at] = items[at - 1]!;
      }
      distances[at] = d2;
      items[at] = item;
      if (end < full) continue;
      limit = distances[end - 1]!;
      const reach_m = Math.sqrt(limit) + offset_m;
      reach2 = reach_m * reach_m;
    }
    for (let k = first; k < end; k++) distances[k] = Math.sqrt(distances[k]!);
    this.first[slot] = first;
    this.count[slot] = end - first;
    this.used = end;
  }

  private reserve(added: number): void {
    if (this.used + added <= this.items.length) return;
    const size = Math.max(this.items.length * 2, this.used + added);
    const items = new Int32Array(size);
    items.set(this.items);
    this.items = items;
    const distances = new Float64Array(size);
    distances.set(this.distance_m);
    this.distance_m = distances;
  }
}

/**
 * Finds, for each subject and category, the points within `within_m` metres, nearest first, at most `most` of them. Subjects are
 * flat lon, lat pairs (NaN: no coordinates, no result), or already on the index's plane. Ties go to the lower number.
 * Distances are on the index's plane: geodesic to 2 mm within 5 km of its centre, to 0.004 % within 50 km. The result does not
 * depend on the order of subjects.
 */
export function nearestPlaces(
  index: PointIndex,
  subjects: Float64Array | PlacedSubjects,
  { within_m, most = Infinity }: { within_m: number; most?: number },
): NearestPlaces {
  const points = subjects instanceof Float64Array ? placeSubjects(subjects, index.plane) : subjects;
  return new NearestSearch(index, points, within_m, most).run();
}
