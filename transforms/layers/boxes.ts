/**
 * Boxes in flat arrays, metres: the middle's x and y, then half the width and half the height, with a micrometre more against
 * rounding. Distances from them take no branch: which side of a box a point is on cannot be foretold.
 */
const SLACK_M = 1e-6;

/** Writes a box, four numbers from `at` on. */
export function writeBox(
  boxes: Float64Array,
  at: number,
  minX: number,
  minY: number,
  maxX: number,
  maxY: number,
): void {
  boxes[at] = (minX + maxX) / 2;
  boxes[at + 1] = (minY + maxY) / 2;
  boxes[at + 2] = (maxX - minX) / 2 + SLACK_M;
  boxes[at + 3] = (maxY - minY) / 2 + SLACK_M;
}

/** Square of twice the distance from a point to the box from `at`; nothing in it is nearer. */
export function squaredTwiceToBox(boxes: Float64Array, at: number, x: number, y: number): number {
  const dx = Math.abs(x - boxes[at]!) - boxes[at + 2]!;
  const dy = Math.abs(y - boxes[at + 1]!) - boxes[at + 3]!;
  const twiceX = dx + Math.abs(dx);
  const twiceY = dy + Math.abs(dy);
  return twiceX * twiceX + twiceY * twiceY;
}

/** Square of the distance from a point to the furthest corner of a box; everything in it is nearer. */
export function squaredAcrossBox(boxes: Float64Array, at: number, x: number, y: number): number {
  const dx = Math.abs(x - boxes[at]!) + boxes[at + 2]!;
  const dy = Math.abs(y - boxes[at + 1]!) + boxes[at + 3]!;
  return dx * dx + dy * dy;
}

/** Square of twice the distance from the box from `at` to another, given by its middle and half its extents. */
export function squaredTwiceBetween(
  boxes: Float64Array,
  at: number,
  x: number,
  y: number,
  half_x: number,
  half_y: number,
): number {
  const dx = Math.abs(boxes[at]! - x) - boxes[at + 2]! - half_x;
  const dy = Math.abs(boxes[at + 1]! - y) - boxes[at + 3]! - half_y;
  const twiceX = dx + Math.abs(dx);
  const twiceY = dy + Math.abs(dy);
  return twiceX * twiceX + twiceY * twiceY;
}
