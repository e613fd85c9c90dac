import { EDGE_FIELDS } from './edge_sets.ts';
import type { FeatureLayer } from './feature_layer.ts';
import { FeaturesWithin } from './features_within.ts';
import { groupByFineCell } from './fine_grid.ts';
import { NearEdges, type Surrounded, TIE_M } from './near_edges.ts';
import { ParcelContacts } from './parcel_contacts.ts';
import { fromFirstVertex, squaredBoxGap, squaredToBoundary } from './parcel_distance.ts';
import { endVertexOf, firstVertexOf, type ParcelSet, parcelArea } from './parcel_set.ts';

/** How parcels are measured against a layer. */
export interface ParcelOptions {
  /** Search radius, metres: what is exactly so far away is found. */
  within_m: number;
  /** Area of a parcel above which a polygon is on the property, square metres; less is a sliver. */
  on_min_sqm: number;
  /** Rank of each feature for `top`; a higher one wins. Left out: all are equal. */
  rank?: ArrayLike<number>;
  /** False: `features` is not counted and stays 0. */
  count?: boolean;
}

/** What is found for each parcel, by its number. */
export interface NearestToParcels {
  /** Metres to the nearest feature, 0 where it has a part in the parcel, a sliver included; Infinity: none within the radius. */
  readonly distance_m: Float64Array;
  /** That feature, the lowest number of several within 1 mm of each other; -1: none. */
  readonly nearest: Int32Array;
  /** Features within the radius, each once however many pieces it has. */
  readonly features: Int32Array;
  /** 1: a polygon covers more than `on_min_sqm`, more than 0.1 m of a line lies inside and not along the border, or a point lies inside. */
  readonly on: Uint8Array;
  /** Of the features on the parcel, that of the highest rank, then of the lowest number; -1: none. */
  readonly top: Int32Array;
  /** Metres to the nearest border of a polygon, 0 where one lies in the parcel; Infinity: none within the radius. */
  readonly margin_m: Float64Array;
  /** The polygon that covers most of the parcel (then the lowest number), the area and the share that it covers; -1, 0, 0: none. */
  readonly widest: Int32Array;
  readonly overlap_sqm: Float64Array;
  readonly share: Float64Array;
}

function nothing(count: number): NearestToParcels {
  return {
    distance_m: new Float64Array(count).fill(Infinity),
    nearest: new Int32Array(count).fill(-1),
    features: new Int32Array(count),
    on: new Uint8Array(count),
    top: new Int32Array(count).fill(-1),
    margin_m: new Float64Array(count).fill(Infinity),
    widest: new Int32Array(count).fill(-1),
    overlap_sqm: new Float64Array(count),
    share: new Float64Array(count),
  };
}

/** Size of a parcel, metres along the diagonal of its box, from which it is measured by itself. */
const LARGE_M = 400;

/** Overlaps that differ by less than this share are a tie. */
const TIE_SHARE = 1e-6;

/** First vertices of parcels, degrees; NaN for one without vertices. */
function anchorsOf({ shapes }: ParcelSet): Float64Array {
  const anchors = new Float64Array(shapes.length * 2).fill(Number.NaN);
  for (const [i, { coords }] of shapes.entries()) {
    if (coords.length === 0) continue;
    anchors[i * 2] = coords[0]!;
    anchors[i * 2 + 1] = coords[1]!;
  }
  return anchors;
}

/** Distance from (x, y) to the furthest corner of the box of a parcel. */
function furthest({ extents }: ParcelSet, parcel: number, x: number, y: number): number {
  const k = parcel * 4;
  const dx = Math.max(Math.abs(extents[k]! - x), Math.abs(extents[k + 2]! - x));
  const dy = Math.max(Math.abs(extents[k + 1]! - y), Math.abs(extents[k + 3]! - y));
  return Math.sqrt(dx * dx + dy * dy);
}

/** One search over the parcels of a layer. */
class ParcelSearch {
  private readonly out: NearestToParcels;
  private readonly layer: FeatureLayer;
  private readonly parcels: ParcelSet;
  private readonly options: ParcelOptions;
  private readonly near: NearEdges;
  private readonly within: FeaturesWithin;
  private readonly contacts: ParcelContacts;
  private readonly rank: (feature: number) => number;
  private measured = new Float64Array(256);

  constructor(layer: FeatureLayer, parcels: ParcelSet, options: ParcelOptions) {
    this.layer = layer;
    this.parcels = parcels;
    this.options = options;
    this.near = new NearEdges(layer);
    this.within = new FeaturesWithin(layer);
    this.contacts = new ParcelContacts(layer, parcels, options.on_min_sqm);
    this.out = nothing(parcels.count);
    const { rank } = options;
    this.rank = rank ? (feature) => rank[feature] ?? 0 : () => 0;
  }

  run(): NearestToParcels {
    const { grid, plane } = this.layer;
    const anchors = anchorsOf(this.parcels);
    const { order, starts, cols, rows } = groupByFineCell(grid, anchors, this.large());
    for (let g = 0; g + 1 < starts.length; g++) {
      const members = order.subarray(starts[g]!, starts[g + 1]!);
      const col = cols[members[0]!]!;
      const row = rows[members[0]!]!;
      const lon = grid.west + (col + 0.5) * grid.step_deg;
      const lat = grid.south + (row + 0.5) * grid.step_deg;
      const group: Surrounded = {
        col,
        row,
        x: plane.x(lon, lat),
        y: plane.y(lon, lat),
        anchor_m: 0,
        reach_m: 0,
      };
      for (const parcel of members) {
        const anchor_m = fromFirstVertex(this.parcels, parcel, group.x, group.y, group.x, group.y);
        group.anchor_m = Math.max(group.anchor_m, anchor_m);
        group.reach_m = Math.max(group.reach_m, furthest(this.parcels, parcel, group.x, group.y));
      }
      this.near.gather(group, this.options.within_m, TIE_M);
      if (this.options.count !== false) this.within.gather(group, this.options.within_m);
      for (const parcel of members) this.measure(parcel, group);
    }
    return this.out;
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

  private measure(parcel: number, group: Surrounded): void {
    this.contacts.find(parcel);
    this.takeContacts(parcel);
    const reach_m = furthest(this.parcels, parcel, group.x, group.y);
    this.measureNearest(parcel, group, reach_m);
    if (this.options.count !== false) this.out.features[parcel] = this.countWithin(parcel, group, reach_m);
  }

  /** What the features in the parcel give. */
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

  /** Distance from the first vertex to the nearest edge that bounds the search: the boundary is no further off. */
  private fromAnchor(parcel: number, anchor_m: number): number {
    const { isPolygon, isMixed, edges } = this.layer;
    const { parts, least_m, count } = this.near;
    const v = firstVertexOf(this.parcels, parcel) * 2;
    const x = this.parcels.xy[v]!;
    const y = this.parcels.xy[v + 1]!;
    let nearest = Infinity;
    for (let k = 0; k < count && least_m[k]! - anchor_m < nearest; k++) {
      if (isMixed && isPolygon[edges.piece[parts[k]!]!] === 0) continue;
      nearest = Math.min(nearest, this.near.distanceTo(k, x, y));
    }
    return nearest;
  }

  /** Distance from the boundary to the nearest edge; fills `measured` for the first edges of `near`, and returns their number too. */
  private measureEdges(
    parcel: number,
    group: Surrounded,
    reach_m: number,
  ): { edge_m: number; margin_m: number; count: number } {
    const { edges, isPolygon, isMixed } = this.layer;
    const { parts, least_m, ends, count: found } = this.near;
    const { piece } = edges;
    if (this.measured.length < found) this.measured = new Float64Array(found * 2);
    // where hazard and border are known to be in the parcel, only what touches it can still matter
    const isSettled = this.contacts.hasBorder && this.contacts.list.length > 0;
    const anchor_m = fromFirstVertex(this.parcels, parcel, group.x, group.y, group.x, group.y);
    const most = Math.min(
      this.options.within_m,
      isSettled ? TIE_M : this.fromAnchor(parcel, anchor_m) + TIE_M,
    );
    let edge_m = isSettled ? 0 : Infinity;
    let margin_m = edge_m;
    let count = 0;
    for (; count < found; count++) {
      const limit = Math.min(most, (isMixed ? Math.max(edge_m, margin_m) : edge_m) + TIE_M);
      if (least_m[count]! - reach_m > limit) break;
      this.measured[count] = Infinity;
      const i = count * 4;
      const x0 = ends[i]!;
      const y0 = ends[i + 1]!;
      const x1 = ends[i + 2]!;
      const y1 = ends[i + 3]!;
      if (squaredBoxGap(this.parcels, parcel, x0, y0, x1, y1) > limit * limit) continue;
      const d = Math.sqrt(squaredToBoundary(this.parcels, parcel, x0, y0, x1, y1, 0));
      this.measured[count] = d;
      if (d < edge_m) edge_m = d;
      if (d < margin_m && isPolygon[piece[parts[count]!]!] === 1) margin_m = d;
    }
    return { edge_m, margin_m, count };
  }

  private measureNearest(parcel: number, group: Surrounded, reach_m: number): void {
    const { edges, featureOf } = this.layer;
    const { within_m } = this.options;
    const { list } = this.contacts;
    const out = this.out;
    const { edge_m, margin_m, count } = this.measureEdges(parcel, group, reach_m);
    const distance = list.length > 0 ? 0 : edge_m;
    if (margin_m <= within_m && margin_m < out.margin_m[parcel]!) out.margin_m[parcel] = margin_m;
    if (distance > within_m) return;
    let nearest = list.length > 0 ? list[0]!.feature : -1;
    for (let k = 0; k < count; k++) {
      if (this.measured[k]! > Math.min(distance + TIE_M, within_m)) continue;
      const feature = featureOf[edges.piece[this.near.parts[k]!]!]!;
      if (nearest < 0 || feature < nearest) nearest = feature;
    }
    out.distance_m[parcel] = distance;
    out.nearest[parcel] = nearest;
  }

  /** Features within the radius: the sure ones, those in the parcel, and the doubtful ones that prove near enough. */
  private countWithin(parcel: number, { x, y }: Surrounded, reach_m: number): number {
    const { within_m } = this.options;
    const { doubtful, distance_m, count, sure } = this.within;
    const contacts = this.contacts;
    const anchor_m = fromFirstVertex(this.parcels, parcel, x, y, x, y);
    let found = sure;
    for (const { feature } of contacts.list) if (!this.within.isSure(feature)) found++;
    for (let k = 0; k < count; k++) {
      const least = distance_m[k]!;
      if (least - reach_m > within_m) continue;
      if (contacts.has(doubtful[k]!)) continue;
      if (least + anchor_m <= within_m || this.isWithin(parcel, k)) found++;
    }
    return found;
  }

  /** Whether the k-th feature in doubt comes within the radius of a parcel: by its vertices, and only where they leave it open by its edges. */
  private isWithin(parcel: number, k: number): boolean {
    const { within_m } = this.options;
    const parcels = this.parcels;
    const { xy, longest_m, extents } = parcels;
    const limit = within_m * within_m;
    const box = parcel * 4;
    if (
      this.within.sets.isBeyond(
        k,
        extents[box]!,
        extents[box + 1]!,
        extents[box + 2]!,
        extents[box + 3]!,
        limit,
      )
    )
      return false;
    let nearest = Infinity;
    for (let v = firstVertexOf(parcels, parcel), end = endVertexOf(parcels, parcel); v < end; v++) {
      nearest = Math.min(nearest, this.within.sets.squaredDistance(k, xy[v * 2]!, xy[v * 2 + 1]!, limit));
      if (nearest <= limit) return true;
    }
    // a point between two vertices may be nearer than both, by no more than Pythagoras allows
    const open = limit + longest_m[parcel]! ** 2 / 4;
    return nearest <= open * (1 + 1e-9) && this.isEdgeWithin(parcel, k, limit);
  }

  private isEdgeWithin(parcel: number, k: number, limit: number): boolean {
    const { edges, first_edge } = this.within.sets;
    for (
      let e = first_edge[k]! * EDGE_FIELDS, end = first_edge[k + 1]! * EDGE_FIELDS;
      e < end;
      e += EDGE_FIELDS
    ) {
      const x0 = edges[e]!;
      const y0 = edges[e + 1]!;
      const x1 = x0 + edges[e + 2]!;
      const y1 = y0 + edges[e + 3]!;
      if (squaredToBoundary(this.parcels, parcel, x0, y0, x1, y1, limit) <= limit) return true;
    }
    return false;
  }
}

/**
 * Measures parcels against a layer; both on the same plane. Distances are from the boundary, geodesic to 2 mm within 5 km of the
 * plane's centre. Borders at which a feature was cut into pieces are no borders. The result depends neither on the order of
 * parcels and pieces nor on how features were cut.
 */
export function nearestToParcels(
  layer: FeatureLayer | null,
  parcels: ParcelSet,
  options: ParcelOptions,
): NearestToParcels {
  if (layer === null) return nothing(parcels.count);
  return new ParcelSearch(layer, parcels, options).run();
}
