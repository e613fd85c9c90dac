/**
 * Boxes in flat arrays, metres: x and y of the centre, half the width and half the height, plus a micrometre against rounding.
 * Distances use no branch: the side of a point relative to a box is unpredictable.
 */
const SLACK_M = 1e-6;

/** Writes a box, four numbers starting at `at`. */
// Numbers, not an object: an object would be allocated for each call of the inner loop.
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

/** Returns the square of twice the distance from a point to the box at `at`: a lower bound for its content. */
export function squaredTwiceToBox(boxes: Float64Array, at: number, x: number, y: number): number {
  const dx = Math.abs(x - boxes[at]!) - boxes[at + 2]!;
  const dy = Math.abs(y - boxes[at + 1]!) - boxes[at + 3]!;
  const twiceX = dx + Math.abs(dx);
  const twiceY = dy + Math.abs(dy);
  return twiceX * twiceX + twiceY * twiceY;
}

/** Returns the squared distance from a point to the farthest corner of a box: an upper bound for its content. */
export function squaredAcrossBox(boxes: Float64Array, at: number, x: number, y: number): number {
  const dx = Math.abs(x - boxes[at]!) + boxes[at + 2]!;
  const dy = Math.abs(y - boxes[at + 1]!) + boxes[at + 3]!;
  return dx * dx + dy * dy;
}

/** Returns the square of twice the distance from the box at `at` to another, given by its centre and half extents. */
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
