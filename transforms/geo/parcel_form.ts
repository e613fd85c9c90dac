import { bboxOf, type MultiPolygon } from './geometry.ts';
import { localPlane } from './plane.ts';

/** Shape metrics of a parcel; lengths in metres, to 0.1. */
export interface ParcelForm {
  /** Length of all boundaries, including holes. */
  perimeter_m: number;
  /** 4π · area / perimeter², to 0.001: circle 1, square 0.785, battle-axe block close to 0. */
  compactness: number;
  /** Shorter side of the smallest rectangle around it, in any direction. */
  width_m: number;
}

/** Vertex numbers in sorted order, and the hull among them; grown as needed and reused for every parcel. */
let order = new Int32Array(64);
let hull = new Int32Array(130);

/** Maximum points sorted by insertion. */
const FEW = 64;

/** Sorts the numbers 0 to n - 1 into `order`, by x, then y, then number. */
function sortPoints(points: Float64Array, n: number): void {
  if (order.length < n) {
    order = new Int32Array(n * 2);
    hull = new Int32Array(n * 2 + 2);
  }
  for (let i = 0; i < n; i++) order[i] = i;
  if (n > FEW) {
    order
      .subarray(0, n)
      .sort((a, b) => points[2 * a]! - points[2 * b]! || points[2 * a + 1]! - points[2 * b + 1]! || a - b);
    return;
  }
  for (let i = 1; i < n; i++) {
    const x = points[2 * i]!;
    const y = points[2 * i + 1]!;
    let k = i;
    for (; k > 0; k--) {
      const other = order[k - 1]!;
      const ox = points[2 * other]!;
      if (ox < x || (ox === x && points[2 * other + 1]! <= y)) break;
      order[k] = other;
    }
    order[k] = i;
  }
}

/** Returns twice the area of the triangle of three vertices; positive: a left turn. */
const turn = (points: Float64Array, a: number, b: number, c: number): number =>
  (points[2 * b]! - points[2 * a]!) * (points[2 * c + 1]! - points[2 * a + 1]!) -
  (points[2 * b + 1]! - points[2 * a + 1]!) * (points[2 * c]! - points[2 * a]!);

/** Adds one half of the hull, from the sorted vertices starting at `from`, without its last vertex; returns the new number of hull vertices. */
function addHalf(points: Float64Array, from: number, to: number, step: 1 | -1, base: number): number {
  let count = base;
  for (let k = from; k !== to; k += step) {
    const vertex = order[k]!;
    while (count > base + 1 && turn(points, hull[count - 2]!, hull[count - 1]!, vertex) <= 0) count--;
    hull[count++] = vertex;
  }
  return count - 1;
}

/** Writes the convex hull of flat x, y pairs to `hull`, counter-clockwise (Andrew's monotone chain); returns the number of its vertices. */
function findHull(points: Float64Array): number {
  const n = points.length / 2;
  if (n === 0) return 0;
  sortPoints(points, n);
  return addHalf(points, n - 1, -1, -1, addHalf(points, 0, n, 1, 0));
}

/**
 * Returns the shorter side of the minimum-area rectangle around the points: one of its sides is along an edge of their hull
 * (Freeman and Shapira 1975).
 */
function leastWidth(points: Float64Array): number {
  const count = findHull(points);
  let best = 0;
  let least = Infinity;
  for (let k = 0; k < count; k++) {
    const a = hull[k]!;
    const b = hull[k + 1 === count ? 0 : k + 1]!;
    const dx = points[2 * b]! - points[2 * a]!;
    const dy = points[2 * b + 1]! - points[2 * a + 1]!;
    const length = Math.hypot(dx, dy);
    if (length === 0) continue;
    let minAlong = Infinity;
    let maxAlong = -Infinity;
    let minAcross = Infinity;
    let maxAcross = -Infinity;
    for (let i = 0; i < count; i++) {
      const x = points[2 * hull[i]!]!;
      const y = points[2 * hull[i]! + 1]!;
      const along = (x * dx + y * dy) / length;
      const across = (y * dx - x * dy) / length;
      if (along < minAlong) minAlong = along;
      if (along > maxAlong) maxAlong = along;
      if (across < minAcross) minAcross = across;
      if (across > maxAcross) maxAcross = across;
    }
    const long = maxAlong - minAlong;
    const wide = maxAcross - minAcross;
    if (long * wide >= least) continue;
    least = long * wide;
    best = Math.min(long, wide);
  }
  return best;
}

function perimeterOf(points: Float64Array, { ringEnds }: MultiPolygon): number {
  let total = 0;
  let from = 0;
  for (const end of ringEnds) {
    for (let i = from + 1; i < end; i++)
      total += Math.hypot(points[2 * i]! - points[2 * i - 2]!, points[2 * i + 1]! - points[2 * i - 1]!);
    from = end;
  }
  return total;
}

const round = (value: number, per: number): number => Math.round(value * per) / per;

/** Returns the shape metrics of a parcel (GDA2020 degrees) with a known geodesic area, square metres. Null: it has no extent. */
export function parcelForm(geometry: MultiPolygon, area_sqm: number): ParcelForm | null {
  const [min_x, min_y, max_x, max_y] = bboxOf(geometry.coords);
  const points = localPlane((min_x + max_x) / 2, (min_y + max_y) / 2).project(geometry.coords);
  const perimeter = perimeterOf(points, geometry);
  if (!(perimeter > 0)) return null;
  return {
    perimeter_m: round(perimeter, 10),
    compactness: round((4 * Math.PI * area_sqm) / perimeter ** 2, 1000),
    width_m: round(leastWidth(points), 10),
  };
}
