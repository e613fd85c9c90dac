import { EDGE_FIELDS } from './edge_sets.ts';
import type { FeaturesWithin } from './features_within.ts';
import type { Surrounded } from './near_edges.ts';
import type { ParcelContacts } from './parcel_contacts.ts';
import { squaredToBoundary } from './parcel_distance.ts';
import { endVertexOf, firstVertexOf, type ParcelSet } from './parcel_set.ts';

/** Counts the features within a radius of parcels, metres, group by group. `contacts` must belong to the parcel being counted. */
export class CountWithin {
  private readonly parcels: ParcelSet;
  private readonly contacts: ParcelContacts;
  private readonly within_m: number;
  private readonly within: FeaturesWithin;
  private readonly edge = new Float64Array(4);

  constructor(parcels: ParcelSet, contacts: ParcelContacts, within: FeaturesWithin, within_m: number) {
    this.parcels = parcels;
    this.contacts = contacts;
    this.within_m = within_m;
    this.within = within;
  }

  /** Prepares another group. */
  gather(group: Surrounded): void {
    this.within.gather(group);
  }

  /**
   * Returns the number of features within the radius of a parcel of the group: certain ones, those in the parcel, and uncertain
   * ones that are close enough. `anchor_m`, `reach_m`: distance of its nearest and farthest vertex from the centre of the group.
   */
  of(parcel: number, anchor_m: number, reach_m: number): number {
    const { within_m } = this;
    const { doubtful, distance_m, count, sure } = this.within;
    const contacts = this.contacts;
    let hits = sure;
    for (const { feature } of contacts.list) if (!this.within.isSure(feature)) hits++;
    for (let k = 0; k < count; k++) {
      const least = distance_m[k]!;
      if (least - reach_m > within_m) continue;
      if (contacts.has(doubtful[k]!)) continue;
      if (least + anchor_m <= within_m || this.isWithin(parcel, k)) hits++;
    }
    return hits;
  }

  /**
   * Returns whether the k-th uncertain feature is within the radius of a parcel. Tests the centre of its box, then its vertices,
   * and only if still undecided its edges.
   */
  private isWithin(parcel: number, k: number): boolean {
    const { within_m } = this;
    const { sets } = this.within;
    const parcels = this.parcels;
    const { xy, longest_m, extents } = parcels;
    const limit = within_m * within_m;
    const west = extents[parcel * 4]!;
    const south = extents[parcel * 4 + 1]!;
    const half_x = (extents[parcel * 4 + 2]! - west) / 2;
    const half_y = (extents[parcel * 4 + 3]! - south) / 2;
    if (sets.isBeyond(k, west + half_x, south + half_y, half_x, half_y, within_m)) return false;
    // Maximum distance of the boundary from the centre, plus a micrometre.
    const half_m = Math.sqrt(half_x * half_x + half_y * half_y) + 1e-6;
    const sure = half_m < within_m ? (within_m - half_m) ** 2 : -1;
    const middle = sets.squaredDistance(k, west + half_x, south + half_y, sure);
    if (middle <= sure) return true;
    if (middle > (within_m + half_m) ** 2) return false;
    let nearest = Infinity;
    for (let v = firstVertexOf(parcels, parcel), end = endVertexOf(parcels, parcel); v < end; v++) {
      nearest = Math.min(nearest, sets.squaredDistance(k, xy[v * 2]!, xy[v * 2 + 1]!, limit));
      if (nearest <= limit) return true;
    }
    // A point between two vertices may be closer than both, at most by Pythagoras' theorem.
    const open = limit + longest_m[parcel]! ** 2 / 4;
    return nearest <= open * (1 + 1e-9) && this.isEdgeWithin(parcel, k, limit);
  }

  private isEdgeWithin(parcel: number, k: number, limit: number): boolean {
    const { edges, first_edge } = this.within.sets;
    const { edge } = this;
    for (let e = first_edge[k]!; e < first_edge[k + 1]!; e++) {
      const from = e * EDGE_FIELDS;
      edge[0] = edges[from]!;
      edge[1] = edges[from + 1]!;
      edge[2] = edges[from]! + edges[from + 2]!;
      edge[3] = edges[from + 1]! + edges[from + 3]!;
      if (squaredToBoundary(this.parcels, parcel, edge, 0, this.within_m, limit) <= limit) return true;
    }
    return false;
  }
}
