import type { Bbox } from '../../schema/grid.ts';
import { bboxOf } from './geometry.ts';

/** A convex clip area: a closed anticlockwise ring, and a test that rarely has to go through the ring. */
export interface ConvexWindow {
  readonly ring: Float64Array;
  readonly box: Bbox;
  /** Strictly inside; a point on the border is not. */
  holds(x: number, y: number): boolean;
}

/** Ellipse around a polygon; within `inner_squared` (squared share of the radii) every point is inside the polygon. */
interface Round {
  x: number;
  y: number;
  radius_x: number;
  radius_y: number;
  inner_squared: number;
}

/** Returns the sign of the side of a point relative to the ring's edge from vertex `k`: positive on the left. */
function sideOf(ring: Float64Array, k: number, x: number, y: number): number {
  const ax = ring[k * 2]!;
  const ay = ring[k * 2 + 1]!;
  return (ring[k * 2 + 2]! - ax) * (y - ay) - (ring[k * 2 + 3]! - ay) * (x - ax);
}

/** Returns the window of a convex ring whose corners are all on or inside an ellipse. */
export function convexWindow(ring: Float64Array, round: Round): ConvexWindow {
  const box = bboxOf(ring);
  const edges = ring.length / 2 - 1;
  const { x: cx, y: cy, radius_x, radius_y, inner_squared } = round;
  return {
    ring,
    box,
    holds(x, y) {
      if (x <= box[0] || x >= box[2] || y <= box[1] || y >= box[3]) return false;
      const dx = (x - cx) / radius_x;
      const dy = (y - cy) / radius_y;
      const squared = dx * dx + dy * dy;
      // The window's straight sides are sides of its box, which was tested above.
      if (squared < inner_squared) return true;
      if (squared >= 1) return false;
      for (let k = 0; k < edges; k++) if (sideOf(ring, k, x, y) <= 0) return false;
      return true;
    },
  };
}

/** Part of a segment inside a window: shares of its length, and the window edges at both ends; -1: the segment begins or ends inside. */
export interface Crossing {
  from: number;
  to: number;
  entered: number;
  exited: number;
}

/** Writes the part of a segment strictly inside a window to `out` (Cyrus and Beck); returns false if there is none. */
// Numbers, not an object: an object would be allocated for each call of the inner loop.
export function crossWindow(
  { ring }: ConvexWindow,
  ax: number,
  ay: number,
  bx: number,
  by: number,
  out: Crossing,
): boolean {
  out.from = 0;
  out.to = 1;
  out.entered = -1;
  out.exited = -1;
  for (let k = 0, edges = ring.length / 2 - 1; k < edges; k++) {
    const a = sideOf(ring, k, ax, ay);
    const b = sideOf(ring, k, bx, by);
    if (a > 0 && b > 0) continue;
    if (a <= 0 && b <= 0) return false;
    const share = a / (a - b);
    if (a <= 0) {
      if (share >= out.from) {
        out.from = share;
        out.entered = k;
      }
    } else if (share <= out.to) {
      out.to = share;
      out.exited = k;
    }
  }
  return out.from < out.to;
}
