import { contactOf } from './geo/adjacency.ts';
import { type BoxGrid, boxesAround, boxesMeeting, buildBoxGrid, type NumberList } from './geo/box_grid.ts';
import { type EdgeBands, edgeBands } from './geo/edge_bands.ts';
import type { MultiPolygon } from './geo/geometry.ts';
import { metresPerDegreeLat, metresPerDegreeLon } from './geo/plane.ts';

/** One parcel as the neighbour search sees it: GDA2020 degrees, closed rings. */
export interface ParcelShape {
  id: string;
  geometry: MultiPolygon;
}

/** An ordered pair a → b of parcels, as indexes into the input. */
export interface Adjacency {
  a: number;
  b: number;
  /** Metres of common boundary, to 0.01 m; the same for a → b and b → a. */
  shared_m: number;
  /** True where they meet, but along no more than `min_shared_m`: not neighbours. */
  corner: boolean;
}

/**
 * `tolerance_m`: how far apart two boundaries may lie and still count as common. `min_shared_m`: they adjoin when they share more.
 * Where two boundaries part at right angles the shared length runs on for the tolerance, so that a corner touch
 * shares about twice the tolerance: `min_shared_m` must lie above that, and well above it for corners less than square.
 */
export interface NeighbourParams {
  tolerance_m: number;
  min_shared_m: number;
}

/** Search boxes are this much wider than the tolerance, because the scale at the pair differs a little from that at the parcel. */
const SEARCH_MARGIN = 1.05;

const compareIds = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * For each subject all parcels that it meets: shared boundary within the tolerance, or only a corner.
 * The shared length is that of one parcel's boundary (shells and holes) that lies within the tolerance of the other
 * or inside it, the greater of the two directions. Stacked and overlapping parcels share the boundary that overlaps;
 * a parcel in a hole shares the hole's ring. Sorted by a, then by the id of b. The numbers depend on the pair alone:
 * not on the order, the subjects or the other parcels given.
 * All parcels within the tolerance of a subject must be among those given.
 */
export function adjoiningParcels(
  parcels: readonly ParcelShape[],
  subjects: readonly number[],
  params: NeighbourParams,
): Adjacency[] {
  if (parcels.length === 0) return [];
  const isSubject = new Uint8Array(parcels.length);
  for (const subject of subjects) isSubject[subject] = 1;
  const search = new NeighbourSearch(parcels, isSubject, params);
  isSubject.forEach(search.add, search);
  return sortPairs(search.found, parcels);
}

/** One search, called for each parcel. */
class NeighbourSearch {
  readonly found: Adjacency[] = [];
  readonly #parcels: readonly ParcelShape[];
  readonly #isSubject: Uint8Array;
  readonly #params: NeighbourParams;
  readonly #index: BoxGrid;
  readonly #near: NumberList = { items: new Uint32Array(64) };
  readonly #bands: (EdgeBands | undefined)[];

  constructor(parcels: readonly ParcelShape[], isSubject: Uint8Array, params: NeighbourParams) {
    this.#parcels = parcels;
    this.#isSubject = isSubject;
    this.#params = params;
    this.#index = buildBoxGrid(boxesAround(parcels.map(({ geometry }) => geometry)));
    this.#bands = new Array(parcels.length);
  }

  add(isSubject: number, a: number): void {
    if (isSubject === 0) return;
    const { tolerance_m } = this.#params;
    const [minX, minY, maxX, maxY] = this.#bandsOf(a).bbox;
    const poleward = Math.max(Math.abs(minY), Math.abs(maxY));
    const dx = (tolerance_m * SEARCH_MARGIN) / metresPerDegreeLon(poleward);
    const dy = (tolerance_m * SEARCH_MARGIN) / metresPerDegreeLat(0);
    const count = boxesMeeting(this.#index, minX - dx, minY - dy, maxX + dx, maxY + dy, this.#near);
    for (let k = 0; k < count; k++) this.#meet(a, this.#near.items[k]!);
  }

  #meet(a: number, b: number): void {
    const isBoth = this.#isSubject[b] === 1;
    // A pair of two subjects is computed once, for both directions.
    if (b === a || (isBoth && b < a)) return;
    const contact = contactOf(this.#bandsOf(a), this.#bandsOf(b), this.#params.tolerance_m);
    if (!contact.within) return;
    const shared_m = Math.round(contact.shared_m * 100) / 100;
    const corner = !(shared_m > this.#params.min_shared_m);
    this.found.push({ a, b, shared_m, corner });
    if (isBoth) this.found.push({ a: b, b: a, shared_m, corner });
  }

  #bandsOf(i: number): EdgeBands {
    this.#bands[i] ??= edgeBands(this.#parcels[i]!.geometry);
    return this.#bands[i];
  }
}

/** Sorts pairs by a, then by the id of b: into a list for each a first, because those are short. */
function sortPairs(found: readonly Adjacency[], parcels: readonly ParcelShape[]): Adjacency[] {
  const starts = new Uint32Array(parcels.length + 1);
  for (const { a } of found) starts[a + 1]!++;
  for (let i = 0; i < parcels.length; i++) starts[i + 1]! += starts[i]!;
  const ends = starts.slice();
  const sorted: Adjacency[] = new Array(found.length);
  for (const pair of found) {
    let at = ends[pair.a]!++;
    for (; at > starts[pair.a]! && comesBefore(pair, sorted[at - 1]!, parcels); at--)
      sorted[at] = sorted[at - 1]!;
    sorted[at] = pair;
  }
  return sorted;
}

function comesBefore(p: Adjacency, q: Adjacency, parcels: readonly ParcelShape[]): boolean {
  const order = compareIds(parcels[p.b]!.id, parcels[q.b]!.id);
  return order < 0 || (order === 0 && p.b < q.b);
}
