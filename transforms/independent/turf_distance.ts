import * as turf from '@turf/turf';
import type { Bbox } from '../../schema/grid.ts';
import type { Scale, TurfPosition } from './local_degrees.ts';
import {
  boxGap,
  type Edge,
  edgeBox,
  edgesNear,
  scaleEdges,
  type TurfShape,
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
      least = Math.min(least, turf.pointToLineDistance(at, turf.lineString([...edge]), PLANAR));
  return least;
}

/** Returns whether a place is in a polygon or on its border. */
const isInside = (at: TurfPosition, { polygons, box }: TurfShape): boolean =>
  polygons.length > 0 &&
  boxGap([...at, ...at], box) === 0 &&
  turf.booleanPointInPolygon(at, turfPolygon(polygons));

/** Returns whether a place of one shape is in the other one, or their sides cross. */
function overlaps(a: TurfShape, b: TurfShape): boolean {
  if (boxGap(a.box, b.box) > 0) return false;
  const [own, other] = [
    a.edges.filter((edge) => boxGap(edgeBox(edge), b.box) === 0),
    b.edges.filter((edge) => boxGap(edgeBox(edge), a.box) === 0),
  ];
  if (own.some(([at]) => isInside(at, b)) || other.some(([at]) => isInside(at, a))) return true;
  if (own.length === 0 || other.length === 0 || a.kind === 'point' || b.kind === 'point') return false;
  const lines = (edges: readonly Edge[]) => turf.multiLineString(edges as unknown as TurfPosition[][]);
  return turf.lineIntersect(lines(own), lines(other)).features.length > 0;
}

/** Computes metres between two shapes with Turf, 0 if one is in the other or they cross. Of sides that do not cross, an end is nearest. */
export function turfDistance(a: TurfShape, b: TurfShape, scale: Scale): number {
  if (overlaps(a, b)) return 0;
  const [own, other] = [scaleEdges(edgesNear(a, b.box), scale), scaleEdges(edgesNear(b, a.box), scale)];
  let least = Infinity;
  for (const at of own.flat()) least = toEdges(at, other, least);
  for (const at of other.flat()) least = toEdges(at, own, least);
  return least;
}

/** Computes metres to the nearest of several shapes with Turf; Infinity: none is within the radius. A shape is read when it is measured. */
export function turfNearest(
  from: TurfShape,
  nearby: readonly { readonly box: Bbox; readonly shape: TurfShape }[],
  within_m: number,
  scale: Scale,
): number {
  const order = nearby.map((near) => ({ near, gap: boxGap(from.box, near.box) }));
  let least = Infinity;
  for (const { near, gap } of order.sort((a, b) => a.gap - b.gap)) {
    if (gap > Math.min(least, within_m)) break;
    least = Math.min(least, turfDistance(from, near.shape, scale));
  }
  return least > within_m ? Infinity : least;
}
