import { alongLength, contactOf } from '../geo/adjacency.ts';
import { type BoxGrid, boxesAround, boxesMeeting, buildBoxGrid, type NumberList } from '../geo/box_grid.ts';
import { type EdgeBands, edgeBands } from '../geo/edge_bands.ts';
import type { MultiPolygon } from '../geo/geometry.ts';
import { metresPerDegreeLat, metresPerDegreeLon } from '../geo/plane.ts';
import { byCodeUnit } from './home_table.ts';

/** One parcel for the neighbour search: GDA2020 degrees, closed rings. */
export interface ParcelShape {
  id: string;
  geometry: MultiPolygon;
}

/** An ordered pair a → b of parcels, as indexes into the input. */
export interface Adjacency {
  a: number;
  b: number;
  /** Metres of common boundary, to 0.01 m; equal for a → b and b → a. */
  shared_m: number;
  /** True if they only meet at a corner: not neighbours. */
  corner: boolean;
}

/**
 * `tolerance_m`: maximum distance between two boundaries that count as common. `min_shared_m`: parcels adjoin if they share more,
 * and are parallel for a good part of it.
 * Where two boundaries diverge at right angles, the shared length continues for the tolerance. A corner touch thus shares about
 * twice the tolerance, and more at an acute corner: `min_shared_m` must be above that.
 */
export interface NeighbourParams {
  tolerance_m: number;
  min_shared_m: number;
}

/** Factor that widens search boxes beyond the tolerance, because the scale at the pair differs slightly from the scale at the parcel. */
const SEARCH_MARGIN = 1.05;

/**
 * Ordered pairs a → b of parcels by input index; parcel a has the pairs starts[a] to starts[a + 1], exclusive, by the index of b.
 * Both directions of a pair have the same length.
 */
export interface ParcelPairs {
  readonly starts: Uint32Array;
  readonly b: Uint32Array;
  /** Metres of common boundary, to 0.01 m. */
  readonly shared_m: Float64Array;
  /** 1: they only meet at a corner. */
  readonly corner: Uint8Array;
}

/** Minimum shared length, metres, that excludes a corner: diverging edges share far less because of the tolerance. */
const NO_CORNER_M = 5;
/** Minimum share of the contact with parallel edges. */
const ALONG_SHARE = 0.25;

/** Returns whether two parcels with this shared length only meet at a corner: it is too short, or the edges diverge for most of it. */
function meetAtCorner(
  a: EdgeBands,
  b: EdgeBands,
  shared_m: number,
  { tolerance_m, min_shared_m }: NeighbourParams,
): boolean {
  if (!(shared_m > min_shared_m)) return true;
  return shared_m < NO_CORNER_M && alongLength(a, b, tolerance_m) < ALONG_SHARE * shared_m;
}

/**
 * Finds, for each subject (1 in `isSubject`), all parcels (GDA2020 degrees, closed rings) that it meets: a shared boundary within
 * the tolerance, or only a corner. Needs all parcels within the tolerance of a subject.
 * The shared length is the part of one boundary (shells and holes) within the tolerance of the other parcel or inside it. It is the
 * smaller of both directions, so that both sides of a sliver are one border, and the larger if the parcels overlap.
 * Stacked and overlapping parcels share the overlapping boundary; a parcel in a hole shares the hole's ring. The result depends on
 * the pair alone, not on the order, the subjects or other parcels.
 */
export function parcelPairs(
  parcels: readonly MultiPolygon[],
  isSubject: Uint8Array,
  params: NeighbourParams,
): ParcelPairs {
  const search = new NeighbourSearch(parcels, isSubject, params);
  for (let a = 0; a < parcels.length; a++) if (isSubject[a] === 1) search.add(a);
  return search.sorted();
}

/** Yields the pairs of parcelPairs for subjects given by index: sorted by a, then by the id of b. */
export function adjoiningParcels(
  parcels: readonly ParcelShape[],
  subjects: readonly number[],
  params: NeighbourParams,
): Adjacency[] {
  const isSubject = new Uint8Array(parcels.length);
  for (const subject of subjects) isSubject[subject] = 1;
  const geometries = parcels.map(({ geometry }) => geometry);
  const { starts, b: others, shared_m: lengths, corner } = parcelPairs(geometries, isSubject, params);
  const pairs: Adjacency[] = [];
  for (let a = 0; a < parcels.length; a++) {
    for (let k = starts[a]!; k < starts[a + 1]!; k++) {
      pairs.push({ a, b: others[k]!, shared_m: lengths[k]!, corner: corner[k] === 1 });
    }
  }
  return pairs.sort((p, q) => p.a - q.a || byCodeUnit(parcels[p.b]!.id, parcels[q.b]!.id) || p.b - q.b);
}

/** Initial capacity for pairs. */
const FIRST_ROOM = 1024;

/** One search, called for each subject. */
class NeighbourSearch {
  readonly #parcels: readonly MultiPolygon[];
  readonly #isSubject: Uint8Array;
  readonly #params: NeighbourParams;
  readonly #index: BoxGrid;
  readonly #near: NumberList = { items: new Uint32Array(64) };
  readonly #bands: (EdgeBands | undefined)[];
  /** Pairs in the order found, one direction of each: a, b and metres of the first `#count`. */
  #a = new Uint32Array(FIRST_ROOM);
  #b = new Uint32Array(FIRST_ROOM);
  #shared_m = new Float64Array(FIRST_ROOM);
  #corner = new Uint8Array(FIRST_ROOM);
  #count = 0;

  constructor(parcels: readonly MultiPolygon[], isSubject: Uint8Array, params: NeighbourParams) {
    this.#parcels = parcels;
    this.#isSubject = isSubject;
    this.#params = params;
    this.#index = buildBoxGrid(boxesAround(parcels));
    this.#bands = new Array(parcels.length);
  }

  add(a: number): void {
    const { tolerance_m } = this.#params;
    const [minX, minY, maxX, maxY] = this.#bandsOf(a).bbox;
    const poleward = Math.max(Math.abs(minY), Math.abs(maxY));
    const dx = (tolerance_m * SEARCH_MARGIN) / metresPerDegreeLon(poleward);
    const dy = (tolerance_m * SEARCH_MARGIN) / metresPerDegreeLat(0);
    const count = boxesMeeting(this.#index, minX - dx, minY - dy, maxX + dx, maxY + dy, this.#near);
    for (let k = 0; k < count; k++) this.#meet(a, this.#near.items[k]!);
  }

  /** Returns the pairs by parcel, in both directions if both are subjects. */
  sorted(): ParcelPairs {
    const starts = new Uint32Array(this.#parcels.length + 1);
    for (let i = 0; i < this.#count; i++) {
      starts[this.#a[i]! + 1]!++;
      if (this.#isSubject[this.#b[i]!] === 1) starts[this.#b[i]! + 1]!++;
    }
    for (let i = 1; i < starts.length; i++) starts[i]! += starts[i - 1]!;
    const total = starts[starts.length - 1]!;
    const pairs = {
      starts,
      b: new Uint32Array(total),
      shared_m: new Float64Array(total),
      corner: new Uint8Array(total),
    };
    const ends = starts.slice();
    for (let i = 0; i < this.#count; i++) {
      const a = this.#a[i]!;
      const b = this.#b[i]!;
      sink(pairs, a, ends[a]!++, b, this.#shared_m[i]!, this.#corner[i]!);
      if (this.#isSubject[b] === 1) sink(pairs, b, ends[b]!++, a, this.#shared_m[i]!, this.#corner[i]!);
    }
    return pairs;
  }

  #meet(a: number, b: number): void {
    // A pair of two subjects is computed once, for both directions.
    if (b === a || (b < a && this.#isSubject[b] === 1)) return;
    const [own, other] = [this.#bandsOf(a), this.#bandsOf(b)];
    const contact = contactOf(own, other, this.#params.tolerance_m);
    if (!contact.within) return;
    if (this.#count === this.#a.length) this.#grow();
    const shared_m = Math.round(contact.shared_m * 100) / 100;
    this.#a[this.#count] = a;
    this.#b[this.#count] = b;
    this.#corner[this.#count] = meetAtCorner(own, other, shared_m, this.#params) ? 1 : 0;
    this.#shared_m[this.#count++] = shared_m;
  }

  #grow(): void {
    const capacity = this.#count * 2;
    const [a, b, shared_m, corner] = [this.#a, this.#b, this.#shared_m, this.#corner];
    this.#a = new Uint32Array(capacity);
    this.#b = new Uint32Array(capacity);
    this.#shared_m = new Float64Array(capacity);
    this.#corner = new Uint8Array(capacity);
    this.#a.set(a);
    this.#b.set(b);
    this.#shared_m.set(shared_m);
    this.#corner.set(corner);
  }

  #bandsOf(i: number): EdgeBands {
    this.#bands[i] ??= edgeBands(this.#parcels[i]!);
    return this.#bands[i];
  }
}

/** Moves a pair of `a` to its position among those before `end`, by the index of the other parcel: there are few. */
// Numbers, not an object: an object would be allocated for each call of the inner loop.
function sink(
  { starts, b, shared_m, corner }: ParcelPairs,
  a: number,
  end: number,
  other: number,
  m: number,
  isCorner: number,
): void {
  let at = end;
  for (const first = starts[a]!; at > first && b[at - 1]! > other; at--) {
    b[at] = b[at - 1]!;
    shared_m[at] = shared_m[at - 1]!;
    corner[at] = corner[at - 1]!;
  }
  b[at] = other;
  shared_m[at] = m;
  corner[at] = isCorner;
}
