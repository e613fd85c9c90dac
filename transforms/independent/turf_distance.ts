import { booleanPointInPolygon, distance, lineIntersect, lineString, pointToLineDistance } from '@turf/turf';
import type { Bbox } from '../../schema/grid.ts';
import type { Position } from './local_degrees.ts';
import {
  boxGap,
  type Edge,
  edgeBox,
  edgesNear,
  edgesOf,
  type TurfShape,
  turfLines,
  turfPolygon,
} from './turf_shape.ts';

const METRES = { units: 'meters' } as const;

/** Returns metres from a place to the nearest of the sides that can be nearer than `most` metres; `most`: none is. */
export function toEdges(at: Position, edges: readonly Edge[], most = Infinity): number {
  const box: Bbox = [...at, ...at];
  let least = most;
  for (const edge of edges)
    if (boxGap(box, edgeBox(edge)) < least)
      least = Math.min(least, pointToLineDistance(at, lineString(edge as [Position, Position]), METRES));
  return least;
}

/** Returns whether a place is in a polygon or on its border. */
export const isInside = (at: Position, shape: TurfShape): boolean =>
  shape.kind === 'polygon' &&
  boxGap([...at, ...at], shape.box) === 0 &&
  booleanPointInPolygon(at, turfPolygon(shape));

/** Returns whether a place or a side of one shape is in the other one. */
function overlaps(a: TurfShape, b: TurfShape): boolean {
  if (boxGap(a.box, b.box) > 0) return false;
  if (a.lines.some(([at]) => isInside(at!, b)) || b.lines.some(([at]) => isInside(at!, a))) return true;
  if (a.kind === 'point' || b.kind === 'point') return false;
  const [own, other] = [
    edgesOf(a).filter((edge) => boxGap(edgeBox(edge), b.box) === 0),
    edgesOf(b).filter((edge) => boxGap(edgeBox(edge), a.box) === 0),
  ];
  if (own.length === 0 || other.length === 0) return false;
  const lines = [own, other].map((edges) => turfLines(edges));
  return lineIntersect(lines[0]!, lines[1]!).features.length > 0;
}

/** Computes metres between two shapes with Turf, 0 if one is in the other or they cross. Of sides that do not cross, an end is nearest. */
export function turfDistance(a: TurfShape, b: TurfShape): number {
  if (a.kind === 'point' && b.kind === 'point')
    return Math.min(...a.lines.flat().flatMap((p) => b.lines.flat().map((q) => distance(p, q, METRES))));
  if (b.kind !== 'point' && a.kind === 'point') return turfDistance(b, a);
  if (b.kind === 'point')
    return Math.min(
      ...b.lines.flat().map((at) => (isInside(at, a) ? 0 : toEdges(at, edgesNear(a, [...at, ...at])))),
    );
  if (overlaps(a, b)) return 0;
  const [own, other] = [edgesNear(a, b.box), edgesNear(b, a.box)];
  return fromEnds(other, own, a.box, fromEnds(own, other, b.box, Infinity));
}

/** Returns metres from the nearest end of some sides to others, if less than `most`. */
function fromEnds(from: readonly Edge[], to: readonly Edge[], box: Bbox, most: number): number {
  const ends = [...new Set(from.flat())].map((at) => ({ at, gap: boxGap([...at, ...at], box) }));
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
  readonly shape: () => TurfShape;
}

/** Computes metres to the nearest of several shapes with Turf; Infinity: none is within the radius. */
export function turfNearest(from: TurfShape, nearby: readonly NearbyShape[], within_m: number): number {
  const order = nearby.map(({ box, shape }) => ({ shape, gap: boxGap(from.box, box) }));
  let least = Infinity;
  for (const { shape, gap } of order.sort((a, b) => a.gap - b.gap)) {
    if (gap > Math.min(least, within_m) || least === 0) break;
    least = Math.min(least, turfDistance(from, shape()));
  }
  return least > within_m ? Infinity : least;
}
