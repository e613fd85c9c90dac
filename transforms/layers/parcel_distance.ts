import type { ParcelSet } from './parcel_set.ts';

/** Factor that widens a limit for tests by boxes: more than rounding. */
const WIDER = 1 + 1e-9;

/**
 * Returns the squared distance from a point to a segment. The point is at m from the segment's start; d is its direction, `length2`
 * its squared length.
 */
function squaredFromStart(mx: number, my: number, dx: number, dy: number, length2: number): number {
  const along = mx * dx + my * dy;
  if (!(along > 0)) return mx * mx + my * my;
  const t = along < length2 ? along / length2 : 1;
  const ex = mx - t * dx;
  const ey = my - t * dy;
  return ex * ex + ey * ey;
}

/** Returns the squared minimum distance between the box of a parcel and the box of the segment ends[at] … ends[at + 3] (x0, y0, x1, y1). */
export function squaredBoxGap(
  { extents }: ParcelSet,
  parcel: number,
  ends: Float64Array,
  at: number,
): number {
  const k = parcel * 4;
  const x0 = ends[at]!;
  const y0 = ends[at + 1]!;
  const x1 = ends[at + 2]!;
  const y1 = ends[at + 3]!;
  const west = (x0 < x1 ? x0 : x1) - extents[k + 2]!;
  const east = extents[k]! - (x0 < x1 ? x1 : x0);
  const south = (y0 < y1 ? y0 : y1) - extents[k + 3]!;
  const north = extents[k + 1]! - (y0 < y1 ? y1 : y0);
  const dx = west > 0 ? west : east > 0 ? east : 0;
  const dy = south > 0 ? south : north > 0 ? north : 0;
  return dx * dx + dy * dy;
}

/**
 * Returns the squared distance from the boundary of a parcel to the segment ends[at] … ends[at + 3] (x0, y0, x1, y1), 0 if they
 * cross. Exact up to the square of `limit_m`, and above it only a larger value. May stop once it is at most `enough`. A segment of
 * zero length is a point. All metres on one plane.
 */
// Numbers, not an object: an object would be allocated for each call of the inner loop.
export function squaredToBoundary(
  { xy, ring_ends, first_ring }: ParcelSet,
  parcel: number,
  ends: Float64Array,
  at: number,
  limit_m: number,
  enough: number,
): number {
  const x0 = ends[at]!;
  const y0 = ends[at + 1]!;
  const x1 = ends[at + 2]!;
  const y1 = ends[at + 3]!;
  const dx = x1 - x0;
  const dy = y1 - y0;
  const length2 = dx * dx + dy * dy;
  const reach = limit_m * WIDER;
  const west = (x0 < x1 ? x0 : x1) - reach;
  const south = (y0 < y1 ? y0 : y1) - reach;
  const east = (x0 < x1 ? x1 : x0) + reach;
  const north = (y0 < y1 ? y1 : y0) + reach;
  let nearest = Infinity;
  for (let ring = first_ring[parcel]!, last = first_ring[parcel + 1]!; ring < last; ring++) {
    const from = (ring === 0 ? 0 : ring_ends[ring - 1]!) * 2;
    let bx = xy[from]!;
    let by = xy[from + 1]!;
    for (let i = from + 2, end = ring_ends[ring]! * 2; i < end; i += 2) {
      const ax = bx;
      const ay = by;
      bx = xy[i]!;
      by = xy[i + 1]!;
      if ((ax < west && bx < west) || (ax > east && bx > east)) continue;
      if ((ay < south && by < south) || (ay > north && by > north)) continue;
      const ex = bx - ax;
      const ey = by - ay;
      // They cross if the ends of each are on different sides of the other.
      if (dx * (ay - y0) - dy * (ax - x0) > 0 !== dx * (by - y0) - dy * (bx - x0) > 0) {
        const side0 = ex * (y0 - ay) - ey * (x0 - ax);
        const side1 = ex * (y1 - ay) - ey * (x1 - ax);
        if (side0 > 0 !== side1 > 0) return 0;
      }
      const edge2 = ex * ex + ey * ey;
      // The end of this edge is the start of the next.
      const d0 = squaredFromStart(bx - x0, by - y0, dx, dy, length2);
      const d1 = squaredFromStart(x0 - ax, y0 - ay, ex, ey, edge2);
      const d2 = squaredFromStart(x1 - ax, y1 - ay, ex, ey, edge2);
      const least = d1 < d2 ? d1 : d2;
      const d = d0 < least ? d0 : least;
      if (d < nearest) {
        nearest = d;
        if (nearest <= enough) return nearest;
      }
    }
  }
  return nearest;
}
