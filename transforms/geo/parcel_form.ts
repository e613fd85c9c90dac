import { bboxOf, type MultiPolygon } from './geometry.ts';
import { localPlane } from './plane.ts';

/** The form of a parcel; lengths in metres, to 0.1. */
export interface ParcelForm {
  /** Length of all boundaries, of holes too. */
  perimeter_m: number;
  /** 4π · area / perimeter², to 0.001: 1 of a circle, 0.785 of a square, little of a battle-axe. */
  compactness: number;
  /** Shorter side of the smallest rectangle around it, in any direction. */
  width_m: number;
}

/** Convex hull of flat x, y pairs as vertex numbers, counter-clockwise (Andrew's monotone chain). */
function hullOf(points: Float64Array): number[] {
  const order = Array.from({ length: points.length / 2 }, (_, i) => i).sort(
    (a, b) => points[2 * a]! - points[2 * b]! || points[2 * a + 1]! - points[2 * b + 1]!,
  );
  const turn = (a: number, b: number, c: number): number =>
    (points[2 * b]! - points[2 * a]!) * (points[2 * c + 1]! - points[2 * a + 1]!) -
    (points[2 * b + 1]! - points[2 * a + 1]!) * (points[2 * c]! - points[2 * a]!);
  const half = (vertices: readonly number[]): number[] => {
    const chain: number[] = [];
    for (const vertex of vertices) {
      while (chain.length > 1 && turn(chain.at(-2)!, chain.at(-1)!, vertex) <= 0) chain.pop();
      chain.push(vertex);
    }
    return chain.slice(0, -1);
  };
  return [...half(order), ...half(order.toReversed())];
}

/** Shorter side of the rectangle of least area around the points: a side of it lies along an edge of their hull (Freeman and Shapira 1975). */
function leastWidth(points: Float64Array): number {
  const hull = hullOf(points);
  let best = 0;
  let least = Infinity;
  hull.forEach((a, k) => {
    const b = hull[(k + 1) % hull.length]!;
    const [dx, dy] = [points[2 * b]! - points[2 * a]!, points[2 * b + 1]! - points[2 * a + 1]!];
    const length = Math.hypot(dx, dy);
    if (length === 0) return;
    const bounds = [Infinity, -Infinity, Infinity, -Infinity] as [number, number, number, number];
    for (const vertex of hull) {
      const [x, y] = [points[2 * vertex]!, points[2 * vertex + 1]!];
      const along = (x * dx + y * dy) / length;
      const across = (y * dx - x * dy) / length;
      bounds[0] = Math.min(bounds[0], along);
      bounds[1] = Math.max(bounds[1], along);
      bounds[2] = Math.min(bounds[2], across);
      bounds[3] = Math.max(bounds[3], across);
    }
    const [long, wide] = [bounds[1] - bounds[0], bounds[3] - bounds[2]];
    if (long * wide >= least) return;
    least = long * wide;
    best = Math.min(long, wide);
  });
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

/** The form of a parcel (GDA2020 degrees) of a known geodesic area, square metres; null where it has no extent. */
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
