import { pointSegmentDistance } from '../geo/distance.ts';
import { firstVertexOf, type ParcelSet } from './parcel_set.ts';

/** Square of the distance from a point to a segment from (ax, ay) in direction (dx, dy) of squared length `length2`. */
function squaredToSegment(
  px: number,
  py: number,
  ax: number,
  ay: number,
  dx: number,
  dy: number,
  length2: number,
): number {
  const mx = px - ax;
  const my = py - ay;
  let t = length2 > 0 ? (mx * dx + my * dy) / length2 : 0;
  if (t < 0) t = 0;
  else if (t > 1) t = 1;
  const ex = mx - t * dx;
  const ey = my - t * dy;
  return ex * ex + ey * ey;
}

/** Square of the least distance between the box of a parcel and the box of a segment. */
export function squaredBoxGap(
  { extents }: ParcelSet,
  parcel: number,
  x0: number,
  y0: number,
  x1: number,
  y1: number,
): number {
  const k = parcel * 4;
  const dx = Math.max(0, Math.min(x0, x1) - extents[k + 2]!, extents[k]! - Math.max(x0, x1));
  const dy = Math.max(0, Math.min(y0, y1) - extents[k + 3]!, extents[k + 1]! - Math.max(y0, y1));
  return dx * dx + dy * dy;
}

/**
 * Square of the distance from the boundary of a parcel to the segment (x0, y0) → (x1, y1), 0 where they cross.
 * May stop as soon as it is at most `enough`. A segment without length is a point. All metres on one plane.
 */
export function squaredToBoundary(
  parcels: ParcelSet,
  parcel: number,
  x0: number,
  y0: number,
  x1: number,
  y1: number,
  enough: number,
): number {
  const { xy, ring_ends, first_ring } = parcels;
  const dx = x1 - x0;
  const dy = y1 - y0;
  const length2 = dx * dx + dy * dy;
  let nearest = Infinity;
  for (let ring = first_ring[parcel]!; ring < first_ring[parcel + 1]!; ring++) {
    const from = (ring === 0 ? 0 : ring_ends[ring - 1]!) * 2;
    let ax = xy[from]!;
    let ay = xy[from + 1]!;
    let sideA = dx * (ay - y0) - dy * (ax - x0);
    for (let i = from + 2, end = ring_ends[ring]! * 2; i < end; i += 2) {
      const bx = xy[i]!;
      const by = xy[i + 1]!;
      const ex = bx - ax;
      const ey = by - ay;
      const edge2 = ex * ex + ey * ey;
      const sideB = dx * (by - y0) - dy * (bx - x0);
      if (sideA > 0 !== sideB > 0) {
        const side0 = ex * (y0 - ay) - ey * (x0 - ax);
        const side1 = ex * (y1 - ay) - ey * (x1 - ax);
        if (side0 > 0 !== side1 > 0) return 0;
      }
      // the end of this edge is the start of the next
      const d = Math.min(
        squaredToSegment(bx, by, x0, y0, dx, dy, length2),
        squaredToSegment(x0, y0, ax, ay, ex, ey, edge2),
        squaredToSegment(x1, y1, ax, ay, ex, ey, edge2),
      );
      if (d < nearest) {
        nearest = d;
        if (nearest <= enough) return nearest;
      }
      ax = bx;
      ay = by;
      sideA = sideB;
    }
  }
  return nearest;
}

/** Distance from the first vertex of a parcel to a segment. */
export function fromFirstVertex(
  parcels: ParcelSet,
  parcel: number,
  x0: number,
  y0: number,
  x1: number,
  y1: number,
): number {
  const v = firstVertexOf(parcels, parcel) * 2;
  return pointSegmentDistance(parcels.xy[v]!, parcels.xy[v + 1]!, x0, y0, x1, y1);
}
