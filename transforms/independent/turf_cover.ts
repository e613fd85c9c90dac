import { area, distance, featureCollection, intersect, union } from '@turf/turf';
import type { Feature, MultiPolygon, Polygon } from 'geojson';
import type { Position } from './local_degrees.ts';
import { isInside, toEdges, turfDistance } from './turf_distance.ts';
import { boxGap, type Edge, edgeBox, edgesOf, type TurfShape, turfPolygon } from './turf_shape.ts';

/** Computes an area in square metres with Turf. */
export const turfArea = (shape: TurfShape): number => area(turfPolygon(shape));

/** Computes with Turf how many square metres of a parcel the pieces of a polygon cover. */
export function turfCovered(parcel: TurfShape, pieces: readonly TurfShape[]): number {
  const parts = pieces.flatMap((piece): Feature<Polygon | MultiPolygon>[] => {
    if (piece.kind !== 'polygon' || turfDistance(parcel, piece) > 0) return [];
    const common = intersect(featureCollection([turfPolygon(parcel), turfPolygon(piece)]));
    return common === null ? [] : [common];
  });
  if (parts.length < 2) return parts.length === 0 ? 0 : area(parts[0]!);
  return area(union(featureCollection(parts))!);
}

const STEP_M = 0.2;

/** Returns the middles of equal steps along a side, each with its metres. */
function stepsAlong([p, q]: Edge, step_m: number): { at: Position; metres: number }[] {
  const long = distance(p, q, { units: 'meters' });
  const count = Math.max(1, Math.ceil(long / step_m));
  return Array.from({ length: count }, (_, i) => {
    const part = (i + 0.5) / count;
    return { at: [p[0] + part * (q[0] - p[0]), p[1] + part * (q[1] - p[1])], metres: long / count };
  });
}

/** Measures metres of the sides of one shape that are in the other one or within a tolerance of it. `deep`: metres farther inside. */
function metresAlong(a: TurfShape, b: TurfShape, tolerance_m: number): { metres: number; deep: number } {
  const others = edgesOf(b);
  const found = { metres: 0, deep: 0 };
  for (const side of edgesOf(a)) {
    if (boxGap(edgeBox(side), b.box) > tolerance_m) continue;
    const near = others.filter((other) => boxGap(edgeBox(side), edgeBox(other)) <= tolerance_m);
    for (const { at, metres } of stepsAlong(side, STEP_M)) {
      const isNear = toEdges(at, near) <= tolerance_m;
      if (!isNear && !isInside(at, b)) continue;
      found.metres += metres;
      if (!isNear) found.deep += metres;
    }
  }
  return found;
}

/** Measures the common boundary of two parcels with Turf, to about 0.2 m at each end: the longer side if they overlap, else the shorter. */
export function turfShared(a: TurfShape, b: TurfShape, tolerance_m: number): number {
  const [ahead, back] = [metresAlong(a, b, tolerance_m), metresAlong(b, a, tolerance_m)];
  const choose = ahead.deep + back.deep > 0 ? Math.max : Math.min;
  return choose(ahead.metres, back.metres);
}

/** Measures how many metres of a line are inside a parcel, more than 0.01 m from its border, with Turf. */
export function turfCrossing(line: TurfShape, parcel: TurfShape): number {
  const border = edgesOf(parcel);
  let metres = 0;
  for (const side of edgesOf(line))
    if (boxGap(edgeBox(side), parcel.box) === 0)
      for (const step of stepsAlong(side, STEP_M / 4))
        if (isInside(step.at, parcel) && toEdges(step.at, border) > 0.01) metres += step.metres;
  return metres;
}
