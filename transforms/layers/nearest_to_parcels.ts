import { CountWithin } from './count_within.ts';
import type { FeatureLayer } from './feature_layer.ts';
import { FeaturesWithin } from './features_within.ts';
import { type FineGroups, groupByFineCell } from './fine_grid.ts';
import { groupAround, NearEdges, type Surrounded, TIE_M } from './near_edges.ts';
import { ParcelContacts } from './parcel_contacts.ts';
import { squaredToBoundary } from './parcel_distance.ts';
import { type NearestToParcels, nothingNearParcels, type ParcelOptions } from './parcel_findings.ts';
import { endVertexOf, firstVertexOf, type ParcelSet, parcelArea } from './parcel_set.ts';

/** Minimum size of a parcel measured on its own, metres along the diagonal of its box. */
const LARGE_M = 400;

/** Maximum difference of tied overlaps, as a share. */
const TIE_SHARE = 1e-6;

/** Returns the centres of the parcels' boxes, degrees; NaN for a parcel without vertices. */
function middlesOf({ boxes, count }: ParcelSet): Float64Array {
  const middles = new Float64Array(count * 2);
  for (let i = 0; i < count; i++) {
    middles[i * 2] = (boxes[i * 4]! + boxes[i * 4 + 2]!) / 2;
    middles[i * 2 + 1] = (boxes[i * 4 + 1]! + boxes[i * 4 + 3]!) / 2;
  }
  return middles;
}

/** One search over the parcels of a layer, group by group. */
export class ParcelSearch {
  /** Groups: parcels of one fine cell, or a large one on its own. */
  readonly groups: FineGroups;
  readonly out: NearestToParcels;
  private readonly layer: FeatureLayer;
  private readonly parcels: ParcelSet;
  private readonly options: ParcelOptions;
  private readonly near: NearEdges;
  private readonly counts: CountWithin;
  private readonly contacts: ParcelContacts;
  private readonly rank: (feature: number) => number;
  /** Distances of the current parcel, see measureEdges. Anything farther than `limit_m` is irrelevant. */
  private measured_m = new Float64Array(256);
  private edge_m = Infinity;
  private margin_m = Infinity;
  private limit_m = 0;
  /** Edge of `near` that was closest to the last parcel measured. */
  private closest = 0;
  /** Distances per parcel, see span. */
  private readonly anchor_m: Float64Array;
  private readonly reach_m: Float64Array;
  private readonly isLarge: Uint8Array;

  /** `near` and `within` may be shared with another search of the layer that alternates with this one. */
  constructor(
    layer: FeatureLayer,
    parcels: ParcelSet,
    options: ParcelOptions,
    near = new NearEdges(layer),
    within = new FeaturesWithin(layer, options.within_m),
  ) {
    this.layer = layer;
    this.parcels = parcels;
    this.options = options;
    this.near = near;
    this.contacts = new ParcelContacts(layer, parcels, options.on_min_sqm);
    this.counts = new CountWithin(parcels, this.contacts, within, options.within_m);
    this.out = nothingNearParcels(parcels.count);
    this.anchor_m = new Float64Array(parcels.count);
    this.reach_m = new Float64Array(parcels.count);
    const { rank } = options;
    this.rank = rank ? (feature) => rank[feature] ?? 0 : () => 0;
    this.isLarge = this.large();
    this.groups = groupByFineCell(layer.grid, middlesOf(parcels), this.isLarge);
  }

  run(): NearestToParcels {
    for (let g = 0; g + 1 < this.groups.starts.length; g++) {
      const group = this.surroundingsOf(g);
      this.near.gather(group, this.options.within_m, TIE_M);
      this.measureGroup(g, group);
    }
    return this.out;
  }

  /** Returns whether the group is a large parcel on its own. */
  isAlone(g: number): boolean {
    return this.isLarge[this.groups.order[this.groups.starts[g]!]!] === 1;
  }

  /** Returns the location of a group. */
  surroundingsOf(g: number): Surrounded {
    const { anchor_m, reach_m } = this;
    const { order, starts, cols, rows } = this.groups;
    const first = order[starts[g]!]!;
    const group = groupAround(this.layer, cols[first]!, rows[first]!);
    for (let k = starts[g]!; k < starts[g + 1]!; k++) {
      const parcel = order[k]!;
      this.span(parcel, group.x, group.y);
      group.anchor_m = Math.max(group.anchor_m, anchor_m[parcel]!);
      group.reach_m = Math.max(group.reach_m, reach_m[parcel]!);
    }
    return group;
  }

  /** Measures the parcels of a group; `near` holds the edges that may be nearest to them. */
  measureGroup(g: number, group: Surrounded): void {
    const { order, starts } = this.groups;
    this.closest = 0;
    if (this.options.count !== false) this.counts.gather(group);
    for (let k = starts[g]!; k < starts[g + 1]!; k++) this.measure(order[k]!);
  }

  /** Computes the distances from the centre of its group to a parcel's nearest and farthest vertex. */
  private span(parcel: number, x: number, y: number): void {
    const { xy } = this.parcels;
    let [least, most] = [Infinity, 0];
    for (let v = firstVertexOf(this.parcels, parcel), end = endVertexOf(this.parcels, parcel); v < end; v++) {
      const dx = xy[v * 2]! - x;
      const dy = xy[v * 2 + 1]! - y;
      const squared = dx * dx + dy * dy;
      if (squared < least) least = squared;
      if (squared > most) most = squared;
    }
    this.anchor_m[parcel] = Math.sqrt(least);
    this.reach_m[parcel] = Math.sqrt(most);
  }

  private large(): Uint8Array {
    const { extents, count } = this.parcels;
    const large = new Uint8Array(count);
    for (let i = 0; i < count; i++) {
      const k = i * 4;
      const dx = extents[k + 2]! - extents[k]!;
      const dy = extents[k + 3]! - extents[k + 1]!;
      if (dx * dx + dy * dy > LARGE_M * LARGE_M) large[i] = 1;
    }
    return large;
  }

  private measure(parcel: number): void {
    this.contacts.find(parcel);
    this.takeContacts(parcel);
    this.measureNearest(parcel);
    if (this.options.count === false) return;
    this.out.features[parcel] = this.counts.of(parcel, this.anchor_m[parcel]!, this.reach_m[parcel]!);
  }

  /** Records the features in the parcel. */
  private takeContacts(parcel: number): void {
    const out = this.out;
    if (this.contacts.hasBorder) out.margin_m[parcel] = 0;
    for (const { feature, isOn, overlap_sqm } of this.contacts.list) {
      if (overlap_sqm > out.overlap_sqm[parcel]! * (1 + TIE_SHARE)) {
        out.overlap_sqm[parcel] = overlap_sqm;
        out.widest[parcel] = feature;
      }
      if (!isOn) continue;
      const top = out.top[parcel]!;
      if (top < 0 || this.rank(feature) > this.rank(top)) out.top[parcel] = feature;
      out.on[parcel] = 1;
    }
    if (out.overlap_sqm[parcel]! > 0) {
      out.share[parcel] = out.overlap_sqm[parcel]! / parcelArea(this.parcels, parcel);
    }
  }

  /**
   * Measures the distances of relevant edges from the boundary: metres into `measured_m` for the first edges of `near`, Infinity if
   * irrelevant. The minimum goes to `edge_m`, the minimum to a polygon to `margin_m`. Returns the number of edges.
   */
  private measureEdges(parcel: number): number {
    const { hasPolygons } = this.layer;
    const { ends, least_m, count: found } = this.near;
    const { extents } = this.parcels;
    if (this.measured_m.length < found) this.measured_m = new Float64Array(found * 2);
    const { measured_m, closest } = this;
    const reach_m = this.reach_m[parcel]!;
    const west = extents[parcel * 4]!;
    const south = extents[parcel * 4 + 1]!;
    const east = extents[parcel * 4 + 2]!;
    const north = extents[parcel * 4 + 3]!;
    // If a feature and a border are known to be in the parcel, only features that touch it still matter.
    const isSettled = this.contacts.hasBorder && this.contacts.list.length > 0;
    this.limit_m = isSettled ? TIE_M : this.options.within_m;
    this.edge_m = isSettled ? 0 : Infinity;
    this.margin_m = this.edge_m;
    // Starts with the edge that was closest to the previous parcel: it excludes most of the others.
    if (closest < found) this.measureEdge(parcel, closest);
    let count = 0;
    for (; count < found && least_m[count]! - reach_m <= this.limit_m; count++) {
      if (count === closest) continue;
      measured_m[count] = Infinity;
      const i = count * 4;
      const x0 = ends[i]!;
      const x1 = ends[i + 2]!;
      const dx =
        x0 < x1
          ? x0 > east
            ? x0 - east
            : x1 < west
              ? west - x1
              : 0
          : x1 > east
            ? x1 - east
            : x0 < west
              ? west - x0
              : 0;
      if (dx > this.limit_m) continue;
      const y0 = ends[i + 1]!;
      const y1 = ends[i + 3]!;
      const dy =
        y0 < y1
          ? y0 > north
            ? y0 - north
            : y1 < south
              ? south - y1
              : 0
          : y1 > north
            ? y1 - north
            : y0 < south
              ? south - y0
              : 0;
      if (dx * dx + dy * dy <= this.limit_m * this.limit_m) this.measureEdge(parcel, count);
    }
    if (!hasPolygons) this.margin_m = Infinity;
    return count;
  }

  private measureEdge(parcel: number, k: number): void {
    const { edges, isPolygon, isMixed } = this.layer;
    const { parts, ends } = this.near;
    const d = Math.sqrt(squaredToBoundary(this.parcels, parcel, ends, k * 4, this.limit_m, 0));
    this.measured_m[k] = d;
    if (d < this.edge_m) this.edge_m = d;
    if (d >= this.margin_m || (isMixed && isPolygon[edges.piece[parts[k]!]!] === 0)) return;
    this.margin_m = d;
    this.closest = k;
    this.limit_m = Math.min(this.limit_m, d + TIE_M);
  }

  private measureNearest(parcel: number): void {
    const { edges, featureOf } = this.layer;
    const { within_m } = this.options;
    const { list } = this.contacts;
    const out = this.out;
    const count = this.measureEdges(parcel);
    const distance = list.length > 0 ? 0 : this.edge_m;
    if (this.margin_m <= within_m && this.margin_m < out.margin_m[parcel]!)
      out.margin_m[parcel] = this.margin_m;
    if (distance > within_m) return;
    let nearest = list.length > 0 ? list[0]!.feature : -1;
    const furthest_m = Math.min(distance + TIE_M, within_m);
    for (let k = 0; k < count; k++) {
      if (this.measured_m[k]! > furthest_m) continue;
      const feature = featureOf[edges.piece[this.near.parts[k]!]!]!;
      if (nearest < 0 || feature < nearest) nearest = feature;
    }
    out.distance_m[parcel] = distance;
    out.nearest[parcel] = nearest;
  }
}
