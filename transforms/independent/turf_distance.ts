import { booleanPointInPolygon, distance, lineIntersect, lineString, pointToLineDistance } from '@turf/turf';
import type { Bbox } from '../../schema/grid.ts';
import type { Scale, TurfPosition } from './local_degrees.ts';
import {
  boxGap,
  type Edge,
  edgeBox,
  edgesNear,
  scaleEdges,
  type TurfShape,
  turfLines,
  turfPolygon,
} from './turf_shape.ts';

// The spherical method of Turf 7 is wrong by centimetres at sides shorter than a metre.
const PLANAR = { units: 'meters', method: 'planar' } as const;

/** Returns metres from a place to the nearest of the sides that are nearer than `most` metres, in local degrees; `most`: none is. */
export function toEdges(at: TurfPosition, edges: readonly Edge[], most = Infinity): number {
  const box: Bbox = [...at, ...at];
  let least = most;
  for (const edge of edges)
    if (boxGap(box, edgeBox(edge)) < least)
      least = Math.min(
        least,
        pointToLineDistance(at, lineString(edge as [TurfPosition, TurfPosition]), PLANAR),
      );
  return least;
}

/** Returns whether a place is in a polygon or on its border. */
const isInside = (at: TurfPosition, shape: TurfShape): boolean =>
  shape.kind === 'polygon' &&
  boxGap([...at, ...at], shape.box) === 0 &&
  booleanPointInPolygon(at, turfPolygon(shape));

/** Returns whether a place or a side of one shape is in the other one. */
function overlaps(a: TurfShape, b: TurfShape): boolean {
  if (boxGap(a.box, b.box) > 0) return false;
  if (a.lines.some(([at]) => isInside(at!, b)) || b.lines.some(([at]) => isInside(at!, a))) return true;
  const own = a.edges.filter((edge) => boxGap(edgeBox(edge), b.box) === 0);
  const other = b.edges.filter((edge) => boxGap(edgeBox(edge), a.box) === 0);
  return (
    own.length > 0 && other.length > 0 && lineIntersect(turfLines(own), turfLines(other)).features.length > 0
  );
}

/** Computes metres between two shapes with Turf, 0 if one is in the other or they cross. Of sides that do not cross, an end is nearest. */
export function turfDistance(a: TurfShape, b: TurfShape, scale: Scale): number {
  if (a.kind === 'point' && b.kind !== 'point') return turfDistance(b, a, scale);
  if (b.kind === 'point') {
    const places = b.lines.flat();
    if (places.some((at) => isInside(at, a))) return 0;
    const to = (at: TurfPosition): number =>
      a.kind === 'point'
        ? Math.min(...a.lines.flat().map((p) => distance(scale(p), scale(at), PLANAR)))
        : toEdges(scale(at), scaleEdges(edgesNear(a, [...at, ...at]), scale));
    return Math.min(...places.map(to));
  }
  if (overlaps(a, b)) return 0;
  const [own, other] = [scaleEdges(edgesNear(a, b.box), scale), scaleEdges(edgesNear(b, a.box), scale)];
  return fromEnds(other, own, fromEnds(own, other, Infinity));
}

const boxOf = (edges: readonly Edge[]): Bbox =>
  edges
    .map(edgeBox)
    .reduce((a, b) => [
      Math.min(a[0], b[0]),
      Math.min(a[1], b[1]),
      Math.max(a[2], b[2]),
      Math.max(a[3], b[3]),
    ]);

/** Returns metres from the nearest end of some sides to others, if less than `most`, in local degrees. */
function fromEnds(from: readonly Edge[], to: readonly Edge[], most: number): number {
  const box = boxOf(to);
  const ends = from.flat().map((at) => ({ at, gap: boxGap([...at, ...at], box) }));
  let least = most;
  for (const { at, gap } of ends.sort((a, b) => a.gap - b.gap)) {
    if (gap >= least) break;
    least = toEdges(at, to, least);
  }
  return least;
}

/** A shape that is read when it is measured. */
export interface NearbyShape {
  readonly box: Bbox;
  readonly shape: TurfShape;
}

/** Computes metres to the nearest of several shapes with Turf; Infinity: none is within the radius. */
export function turfNearest(
  from: TurfShape,
  nearby: readonly NearbyShape[],
  within_m: number,
  scale: Scale,
): number {
  const order = nearby.map((near) => ({ near, gap: boxGap(from.box, near.box) }));
  let least = Infinity;
  for (const { near, gap } of order.sort((a, b) => a.gap - b.gap)) {
    if (gap > Math.min(least, within_m) || least === 0) break;
    least = Math.min(least, turfDistance(from, near.shape, scale));
  }
  return least > within_m ? Infinity : least;
}
