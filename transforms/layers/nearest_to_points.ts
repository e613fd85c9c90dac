import { squaredPointSegment } from '../geo/distance.ts';
import type { FeatureLayer } from './feature_layer.ts';
import { FeaturesWithin } from './features_within.ts';
import { type FineGroups, groupByFineCell } from './fine_grid.ts';
import { InsideSearch } from './inside.ts';
import { groupAround, NearEdges, type Surrounded, TIE_M } from './near_edges.ts';

/** Options for measuring points against a layer. */
export interface PointOptions {
  /** Search radius, metres, inclusive. */
  within_m: number;
  /** Maximum distance of a point on a line or point feature, metres; default 0.1. */
  touch_m?: number;
  /** Rank of each feature for `top`; higher wins. Default: all equal. */
  rank?: ArrayLike<number>;
  /** False: `features` is not counted and stays 0. For wide radii if only the nearest feature matters. */
  count?: boolean;
}

/** Results by point number. */
export interface NearestToPoints {
  /** Metres to the nearest feature, 0 if `on` is 1; Infinity: none within the radius. */
  readonly distance_m: Float64Array;
  /** Nearest feature, the lowest number of several within 1 mm of each other; -1: none. */
  readonly nearest: Int32Array;
  /** Number of features within the radius, each counted once. */
  readonly features: Int32Array;
  /** 1: inside a polygon, or within `touch_m` of a line or point. */
  readonly on: Uint8Array;
  /** Feature of the highest rank that the point is on, then of the lowest number; -1: none. */
  readonly top: Int32Array;
  /** Metres to the nearest border of a polygon, from inside or outside; Infinity: none within the radius. */
  readonly margin_m: Float64Array;
}

/** Returns the results for an empty layer. */
export function nothingNearPoints(count: number): NearestToPoints {
  return {
    distance_m: new Float64Array(count).fill(Infinity),
    nearest: new Int32Array(count).fill(-1),
    features: new Int32Array(count),
    on: new Uint8Array(count),
    top: new Int32Array(count).fill(-1),
    margin_m: new Float64Array(count).fill(Infinity),
  };
}

const TOUCH_M = 0.1;

/** Factor that widens a squared limit: more than rounding. */
const WIDER = 1 + 1e-9;

/** What searches of one layer may share. */
interface SharedSearch {
  /** The points on the layer's plane. */
  xy?: Float64Array;
  /** Another search that uses these must alternate with this one. */
  near?: NearEdges;
  within?: FeaturesWithin;
}

/** One search over the points of a layer, group by group. */
export class PointSearch {
  /** Groups: points of one fine cell. */
  readonly groups: FineGroups;
  /** Maximum relevant distance beyond the nearest, metres. */
  readonly slack_m: number;
  readonly out: NearestToPoints;
  private readonly layer: FeatureLayer;
  private readonly options: PointOptions;
  private readonly lonlat: Float64Array;
  private readonly xy: Float64Array;
  private readonly near: NearEdges;
  private readonly within: FeaturesWithin;
  private readonly inside: InsideSearch;
  private readonly rank: (feature: number) => number;
  /** Squared distances of the current point: to the first edges of `near`, the minimum, and the minimum to a polygon. */
  private measured2 = new Float64Array(256);
  private edge2 = Infinity;
  private margin2 = Infinity;

  constructor(
    layer: FeatureLayer,
    lonlat: Float64Array,
    options: PointOptions,
    {
      xy = layer.plane.project(lonlat),
      near = new NearEdges(layer),
      within = new FeaturesWithin(layer, options.within_m),
    }: SharedSearch = {},
  ) {
    this.layer = layer;
    this.options = options;
    this.lonlat = lonlat;
    this.xy = xy;
    this.near = near;
    this.within = within;
    this.inside = new InsideSearch(layer);
    this.out = nothingNearPoints(lonlat.length / 2);
    const { rank } = options;
    this.slack_m = Math.max(TIE_M, options.touch_m ?? TOUCH_M);
    this.rank = rank ? (feature) => rank[feature] ?? 0 : () => 0;
    this.groups = groupByFineCell(layer.grid, lonlat, null);
  }

  run(): NearestToPoints {
    for (let g = 0; g + 1 < this.groups.starts.length; g++) {
      const group = this.surroundingsOf(g);
      this.near.gather(group, this.options.within_m, this.slack_m);
      this.measureGroup(g, group);
    }
    return this.out;
  }

  /** Returns the location of a group. */
  surroundingsOf(g: number): Surrounded {
    const { xy } = this;
    const { order, starts, cols, rows } = this.groups;
    const first = order[starts[g]!]!;
    const group = groupAround(this.layer, cols[first]!, rows[first]!);
    let furthest2 = 0;
    for (let k = starts[g]!; k < starts[g + 1]!; k++) {
      const dx = xy[order[k]! * 2]! - group.x;
      const dy = xy[order[k]! * 2 + 1]! - group.y;
      furthest2 = Math.max(furthest2, dx * dx + dy * dy);
    }
    group.anchor_m = Math.sqrt(furthest2);
    group.reach_m = group.anchor_m;
    return group;
  }

  /** Measures the points of a group. `near` holds the edges that may be nearest; `within` holds the features around them if `isGathered`. */
  measureGroup(g: number, group: Surrounded, isGathered = false): void {
    const { order, starts } = this.groups;
    if (this.options.count !== false && !isGathered) this.within.gather(group);
    for (let k = starts[g]!; k < starts[g + 1]!; k++) this.measure(order[k]!, group);
  }

  private measure(point: number, { col, row, x: cx, y: cy }: Surrounded): void {
    const x = this.xy[point * 2]!;
    const y = this.xy[point * 2 + 1]!;
    this.inside.find(col, row, this.lonlat[point * 2]!, this.lonlat[point * 2 + 1]!);
    const offset_m = Math.sqrt((x - cx) * (x - cx) + (y - cy) * (y - cy));
    this.measureNearest(point, x, y, offset_m);
    if (this.options.count !== false) this.out.features[point] = this.countWithin(x, y, offset_m);
  }

  /**
   * Measures the relevant first edges of `near`: squared distances into `measured2`, the minimum into `edge2`, the minimum to a
   * polygon into `margin2`. Returns the number of edges.
   */
  private measureEdges(x: number, y: number, offset_m: number): number {
    const { edges, isPolygon, isMixed, hasPolygons } = this.layer;
    const { parts, ends, least_m, count: found } = this.near;
    const { within_m } = this.options;
    if (this.measured2.length < found) this.measured2 = new Float64Array(found * 2);
    const { measured2, slack_m } = this;
    let edge2 = Infinity;
    let margin2 = Infinity;
    let limit_m = within_m;
    let count = 0;
    for (; count < found && least_m[count]! - offset_m <= limit_m; count++) {
      const i = count * 4;
      const squared = squaredPointSegment(x, y, ends[i]!, ends[i + 1]!, ends[i + 2]!, ends[i + 3]!);
      measured2[count] = squared;
      const isBound = !isMixed || isPolygon[edges.piece[parts[count]!]!] === 1;
      if (squared < edge2) edge2 = squared;
      if (!isBound || squared >= margin2) continue;
      margin2 = squared;
      limit_m = Math.min(within_m, Math.sqrt(squared) + slack_m);
    }
    this.edge2 = edge2;
    this.margin2 = hasPolygons ? margin2 : Infinity;
    return count;
  }

  private measureNearest(point: number, x: number, y: number, offset_m: number): void {
    const { edges, featureOf, isPolygon } = this.layer;
    const { within_m, touch_m = TOUCH_M } = this.options;
    const { features, count: insideCount } = this.inside;
    const count = this.measureEdges(x, y, offset_m);
    const margin_m = Math.sqrt(this.margin2);
    const distance = insideCount > 0 ? 0 : Math.sqrt(this.edge2);
    if (margin_m <= within_m) this.out.margin_m[point] = margin_m;
    if (distance > within_m) return;
    let nearest = insideCount > 0 ? features[0]! : -1;
    for (let k = 0; k < insideCount; k++) this.offerTop(point, features[k]!);
    const furthest_m = Math.min(within_m, distance + this.slack_m);
    const furthest2 = furthest_m * furthest_m * WIDER;
    for (let k = 0; k < count; k++) {
      if (this.measured2[k]! > furthest2) continue;
      const d = Math.sqrt(this.measured2[k]!);
      if (d > within_m) continue;
      const piece = edges.piece[this.near.parts[k]!]!;
      const feature = featureOf[piece]!;
      if (d <= distance + TIE_M && (nearest < 0 || feature < nearest)) nearest = feature;
      if (d <= touch_m && isPolygon[piece] === 0) this.offerTop(point, feature);
    }
    this.out.distance_m[point] = this.out.on[point] === 1 ? 0 : distance;
    this.out.nearest[point] = nearest;
  }

  private offerTop(point: number, feature: number): void {
    const top = this.out.top[point]!;
    const better = top < 0 ? 1 : this.rank(feature) - this.rank(top);
    if (better > 0 || (better === 0 && feature < top)) this.out.top[point] = feature;
    this.out.on[point] = 1;
  }

  /** Returns the number of features within the radius: certain ones, those that contain the point, and uncertain ones that are close enough. */
  private countWithin(x: number, y: number, offset_m: number): number {
    const { within_m } = this.options;
    const { doubtful, distance_m, count, sure } = this.within;
    const { features, count: insideCount } = this.inside;
    const limit = within_m * within_m;
    let hits = sure;
    for (let k = 0; k < insideCount; k++) if (!this.within.isSure(features[k]!)) hits++;
    for (let k = 0; k < count; k++) {
      const least = distance_m[k]!;
      if (least - offset_m > within_m || this.holds(doubtful[k]!)) continue;
      if (least + offset_m <= within_m) hits++;
      else if (this.within.sets.squaredDistance(k, x, y, limit) <= limit) hits++;
    }
    return hits;
  }

  private holds(feature: number): boolean {
    const { features, count } = this.inside;
    for (let k = 0; k < count; k++) if (features[k] === feature) return true;
    return false;
  }
}

/**
 * Measures points (flat lon, lat pairs, GDA2020 degrees; NaN: no coordinates, no result) against a layer. Distances are on the
 * layer's plane: geodesic to 2 mm within 5 km of its centre. Cut edges between pieces are not borders. The result does not depend
 * on the order of points and pieces, nor on the cutting of features.
 */
export function nearestToPoints(
  layer: FeatureLayer | null,
  lonlat: Float64Array,
  options: PointOptions,
): NearestToPoints {
  if (layer === null) return nothingNearPoints(lonlat.length / 2);
  return new PointSearch(layer, lonlat, options).run();
}
