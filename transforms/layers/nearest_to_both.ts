import type { FeatureLayer } from './feature_layer.ts';
import { FeaturesWithin } from './features_within.ts';
import type { FineGroups } from './fine_grid.ts';
import { NearEdges } from './near_edges.ts';
import { ParcelSearch } from './nearest_to_parcels.ts';
import { type NearestToPoints, nothingNearPoints, PointSearch } from './nearest_to_points.ts';
import { type NearestToParcels, nothingNearParcels, type ParcelOptions } from './parcel_findings.ts';
import type { ParcelSet } from './parcel_set.ts';

/** Points, prepared once for all layers of a plane. */
export interface PlacedPoints {
  /** Flat lon, lat pairs, GDA2020 degrees; NaN: no coordinates. */
  readonly lonlat: Float64Array;
  /** The same on the plane, metres. */
  readonly xy: Float64Array;
}

/** Compares the fine cells of two groups in group order: negative, 0 or positive. */
function compareCells(a: FineGroups, i: number, b: FineGroups, j: number): number {
  const one = a.order[a.starts[i]!]!;
  const other = b.order[b.starts[j]!]!;
  return a.rows[one]! - b.rows[other]! || a.cols[one]! - b.cols[other]!;
}

/**
 * Returns the results of nearestToParcels and nearestToPoints for parcels and points of one area, all on the same plane. Subjects
 * of one fine cell share the features collected around it.
 */
export function nearestToBoth(
  layer: FeatureLayer | null,
  parcels: ParcelSet,
  { lonlat, xy }: PlacedPoints,
  options: ParcelOptions,
): { onParcels: NearestToParcels; atPoints: NearestToPoints } {
  if (layer === null)
    return { onParcels: nothingNearParcels(parcels.count), atPoints: nothingNearPoints(lonlat.length / 2) };
  const { within_m } = options;
  const near = new NearEdges(layer);
  const within = new FeaturesWithin(layer, within_m);
  const ofParcels = new ParcelSearch(layer, parcels, options, near, within);
  const ofPoints = new PointSearch(layer, lonlat, options, { xy, near, within });
  const { slack_m } = ofPoints;
  const last = ofPoints.groups.starts.length - 1;
  let p = 0;
  const measurePoints = (): void => {
    const group = ofPoints.surroundingsOf(p);
    near.gather(group, within_m, slack_m);
    ofPoints.measureGroup(p++, group);
  };
  for (let g = 0; g + 1 < ofParcels.groups.starts.length; g++) {
    while (p < last && compareCells(ofPoints.groups, p, ofParcels.groups, g) < 0) measurePoints();
    const group = ofParcels.surroundingsOf(g);
    const isJoint =
      p < last && !ofParcels.isAlone(g) && compareCells(ofPoints.groups, p, ofParcels.groups, g) === 0;
    if (isJoint) {
      const points = ofPoints.surroundingsOf(p);
      group.anchor_m = Math.max(group.anchor_m, points.anchor_m);
      group.reach_m = Math.max(group.reach_m, points.reach_m);
    }
    near.gather(group, within_m, slack_m);
    ofParcels.measureGroup(g, group);
    if (isJoint) ofPoints.measureGroup(p++, group, true);
  }
  while (p < last) measurePoints();
  return { onParcels: ofParcels.out, atPoints: ofPoints.out };
}
