import { groupSubjects } from './subject_groups.ts';

/** Points of a plane grouped by square, to be searched together; in flat arrays. */
export interface PointGroups {
  readonly count: number;
  /** Members of group g: order[starts[g]] to order[starts[g + 1]], exclusive. */
  readonly order: Int32Array;
  readonly starts: Int32Array;
  /** Centre of the square, and distance of its farthest member; metres. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly spread_m: Float64Array;
}

/** Groups flat x, y pairs by squares of the given side; points that are not finite are in no group. */
export function groupPoints(xy: Float64Array, side_m: number): PointGroups {
  const total = xy.length / 2;
  const cols = new Int32Array(total);
  const rows = new Int32Array(total);
  const sortedPoints = new Int32Array(total);
  let n = 0;
  for (let i = 0; i < total; i++) {
    if (!Number.isFinite(xy[i * 2]!) || !Number.isFinite(xy[i * 2 + 1]!)) continue;
    cols[i] = Math.floor(xy[i * 2]! / side_m);
    rows[i] = Math.floor(xy[i * 2 + 1]! / side_m);
    sortedPoints[n++] = i;
  }
  const { order, starts } = groupSubjects(sortedPoints.subarray(0, n), cols, rows, null);
  const count = starts.length - 1;
  const [x, y, spread_m] = [new Float64Array(count), new Float64Array(count), new Float64Array(count)];
  for (let g = 0; g < count; g++) {
    const first = order[starts[g]!]!;
    const mx = (cols[first]! + 0.5) * side_m;
    const my = (rows[first]! + 0.5) * side_m;
    let furthest = 0;
    for (let k = starts[g]!; k < starts[g + 1]!; k++) {
      const dx = xy[order[k]! * 2]! - mx;
      const dy = xy[order[k]! * 2 + 1]! - my;
      const d2 = dx * dx + dy * dy;
      if (d2 > furthest) furthest = d2;
    }
    x[g] = mx;
    y[g] = my;
    // One micrometre is added against rounding.
    spread_m[g] = Math.sqrt(furthest) + 1e-6;
  }
  return { count, order, starts, x, y, spread_m };
}
