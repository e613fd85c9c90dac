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

/** Returns metres from a place to the nearest side; Infinity: there is none. */
export const toEdges = (at: Position, edges: readonly Edge[]): number =>
  edges.reduce(
    (least, edge) =>
      Math.min(least, pointToLineDistance(at, lineString(edge as [Position, Position]), METRES)),
    Infinity,
  );

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
  let least = Infinity;
  for (const [from, edges, box] of [
    [own, other, b.box],
    [other, own, a.box],
  ] as const)
    for (const at of new Set(from.flat()))
      if (boxGap([...at, ...at], box) < least) least = Math.min(least, toEdges(at, edges));
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
