/** Returns the squared distance from a point to a segment, in the unit of the (metric, planar) coordinates. A segment of zero length is a point. */
// Numbers, not an object: an object would be allocated for each call of the inner loop.
export function squaredPointSegment(
  px: number,
  py: number,
  ax: number,
  ay: number,
  bx: number,
  by: number,
): number {
  const dx = bx - ax;
  const dy = by - ay;
  const mx = px - ax;
  const my = py - ay;
  const along = mx * dx + my * dy;
  if (!(along > 0)) return mx * mx + my * my;
  const length2 = dx * dx + dy * dy;
  const t = along < length2 ? along / length2 : 1;
  const ex = mx - t * dx;
  const ey = my - t * dy;
  return ex * ex + ey * ey;
}

/** Returns the distance from a point to a segment, in the unit of the (metric, planar) coordinates. A segment of zero length is a point. */
export function pointSegmentDistance(
  px: number,
  py: number,
  ax: number,
  ay: number,
  bx: number,
  by: number,
): number {
  return Math.sqrt(squaredPointSegment(px, py, ax, ay, bx, by));
}

/** Squared lengths below this, in square metres, count as points. */
const POINT_M2 = 1e-18;

/** Widens out[at], out[at + 1] by the part of p→q (as m = p − centre, d = q − p) within `radius` of a centre. */
function widenByDisc(
  mx: number,
  my: number,
  dx: number,
  dy: number,
  radius: number,
  out: Float64Array,
  at: number,
): void {
  const length2 = dx * dx + dy * dy;
  const cross = mx * dy - my * dx;
  const half2 = radius * radius * length2 - cross * cross;
  if (half2 < 0) return;
  const halfChord = Math.sqrt(half2);
  const middle = -(mx * dx + my * dy);
  const lo = (middle - halfChord) / length2;
  const hi = (middle + halfChord) / length2;
  if (lo < out[at]!) out[at] = lo;
  if (hi > out[at + 1]!) out[at + 1] = hi;
}

/** Widens out[at], out[at + 1] by the part of p→q (as m = p − a, d = q − p) alongside a→b (as u = b − a) and within `radius` of its line. */
function widenByStrip(
  mx: number,
  my: number,
  dx: number,
  dy: number,
  ux: number,
  uy: number,
  radius: number,
  out: Float64Array,
  at: number,
): void {
  const length2 = ux * ux + uy * uy;
  if (length2 < POINT_M2) return;
  const reach = radius * Math.sqrt(length2);
  const along0 = mx * ux + my * uy;
  const along = dx * ux + dy * uy;
  const off0 = ux * my - uy * mx;
  const off = ux * dy - uy * dx;
  let lo = -Infinity;
  let hi = Infinity;
  if (along !== 0) {
    lo = (along > 0 ? -along0 : length2 - along0) / along;
    hi = (along > 0 ? length2 - along0 : -along0) / along;
  } else if (along0 < 0 || along0 > length2) return;
  if (off !== 0) {
    const from = ((off > 0 ? -reach : reach) - off0) / off;
    const to = ((off > 0 ? reach : -reach) - off0) / off;
    if (from > lo) lo = from;
    if (to < hi) hi = to;
  } else if (off0 > reach || off0 < -reach) return;
  if (lo > hi) return;
  if (lo < out[at]!) out[at] = lo;
  if (hi > out[at + 1]!) out[at + 1] = hi;
}

/**
 * Finds the part of segment p→q within `radius` of segment a→b: one interval, because that neighbourhood is convex. Writes its
 * ends, 0 at p and 1 at q, to out[at] and out[at + 1] and returns true; returns false if there is none.
 * Segment p→q must have a length; a→b may be a point. All in one metric plane.
 */
export function intervalWithin(
  px: number,
  py: number,
  qx: number,
  qy: number,
  ax: number,
  ay: number,
  bx: number,
  by: number,
  radius: number,
  out: Float64Array,
  at: number,
): boolean {
  const dx = qx - px;
  const dy = qy - py;
  out[at] = Infinity;
  out[at + 1] = -Infinity;
  widenByDisc(px - ax, py - ay, dx, dy, radius, out, at);
  widenByDisc(px - bx, py - by, dx, dy, radius, out, at);
  widenByStrip(px - ax, py - ay, dx, dy, bx - ax, by - ay, radius, out, at);
  if (out[at]! < 0) out[at] = 0;
  if (out[at + 1]! > 1) out[at + 1] = 1;
  return out[at]! <= out[at + 1]!;
}
