import Flatbush from 'flatbush';
import { bboxOf, type MultiPolygon } from './geometry.ts';
import { localPlane, type Plane } from './plane.ts';

/** Minimum edge length, metres: the direction of shorter edges is inaccurate. */
const LEAST_LENGTH = 12;
/** Maximum distance of parallel edges, metres: twice the offset between the Australian datums. */
const REACH = 3.5;
/** Maximum sine of the angle between parallel edges, a third of a degree. */
const PARALLEL = 0.006;
/** Step between candidate offsets, and maximum distance of a matching edge, metres. */
const STEP = 0.1;
const NEAR = 0.15;
/** Minimum share of the smaller eigenvalue of the edge directions: below it all edges run in one direction. */
const LEAST_SPREAD = 0.05;

/** Maximum edges sampled to find the offset. Its fit is counted over all edges. */
const VOTERS = 1500;

/** Offset between the edges of two sets of shapes. */
export interface EdgeOffset {
  /** Number of edges parallel and close to a reference edge. */
  readonly edges: number;
  /** How many of them match a reference edge after the offset, and without it. */
  readonly moved: number;
  readonly unmoved: number;
  /** Offset, metres. */
  readonly east: number;
  readonly north: number;
}

/** A reference edge parallel to an edge: an offset d moves the edge onto it if nx·dx + ny·dy equals `off`. */
interface ParallelEdge {
  readonly nx: number;
  readonly ny: number;
  readonly off: number;
}

/** Returns the edges of shapes with at least LEAST_LENGTH, as flat x1, y1, x2, y2 in metres. */
function longEdges(shapes: readonly MultiPolygon[], plane: Plane): Float64Array {
  const edges: number[] = [];
  for (const { coords, ringEnds } of shapes) {
    const c = plane.project(coords);
    let from = 0;
    for (const end of ringEnds) {
      for (let i = from; i < end - 1; i++) {
        const [ax, ay, bx, by] = [c[i * 2]!, c[i * 2 + 1]!, c[i * 2 + 2]!, c[i * 2 + 3]!];
        if (Math.hypot(bx - ax, by - ay) >= LEAST_LENGTH) edges.push(ax, ay, bx, by);
      }
      from = end;
    }
  }
  return Float64Array.from(edges);
}

/** Returns a function that finds the reference edges parallel and close to an edge. */
function finder(reference: Float64Array): (ax: number, ay: number, bx: number, by: number) => ParallelEdge[] {
  const tree = new Flatbush(reference.length / 4);
  for (let i = 0; i < reference.length; i += 4) tree.add(...bboxOf(reference.subarray(i, i + 4)));
  tree.finish();
  return (ax, ay, bx, by) => {
    const [x, y] = [(ax + bx) / 2, (ay + by) / 2];
    const length = Math.hypot(bx - ax, by - ay);
    const [ux, uy] = [(bx - ax) / length, (by - ay) / length];
    return tree.search(x - REACH, y - REACH, x + REACH, y + REACH).flatMap((edge) => {
      const at = edge * 4;
      const [px, py] = [reference[at]!, reference[at + 1]!];
      const [qx, qy] = [reference[at + 2]!, reference[at + 3]!];
      const other = Math.hypot(qx - px, qy - py);
      const [vx, vy] = [(qx - px) / other, (qy - py) / other];
      if (Math.abs(ux * vy - uy * vx) > PARALLEL) return [];
      const along = (x - px) * vx + (y - py) * vy;
      const off = (x - px) * vy - (y - py) * vx;
      if (along < 0 || along > other || Math.abs(off) > REACH) return [];
      return [{ nx: -vy, ny: vx, off }];
    });
  };
}

const isNear = ({ nx, ny, off }: ParallelEdge, dx: number, dy: number): boolean =>
  Math.abs(nx * dx + ny * dy - off) <= NEAR;

/** Returns how many edges match a reference edge after an offset. */
const lieOn = (edges: readonly (readonly ParallelEdge[])[], dx: number, dy: number): number => {
  let n = 0;
  for (const neighbour of edges) if (neighbour.some((one) => isNear(one, dx, dy))) n++;
  return n;
};

/** Candidate offsets, shortest first, so ties go to the shorter. */
const MOVES = ((): (readonly [number, number])[] => {
  const n = Math.round(REACH / STEP);
  const moves: [number, number][] = [];
  for (let i = -n; i <= n; i++)
    for (let j = -n; j <= n; j++) if (i * i + j * j <= n * n) moves.push([i * STEP, j * STEP]);
  return moves.sort(([a, b], [c, d]) => a * a + b * b - c * c - d * d || a - c || b - d);
})();

/** Returns the least-squares offset of the edges that match near `dx`, `dy`. Null: all edges run in one direction. */
function fitted(
  edges: readonly (readonly ParallelEdge[])[],
  dx: number,
  dy: number,
): readonly [number, number] | null {
  let [xx, xy, yy, xo, yo] = [0, 0, 0, 0, 0];
  for (const neighbour of edges) {
    const one = neighbour.find((each) => isNear(each, dx, dy));
    if (one === undefined) continue;
    xx += one.nx * one.nx;
    xy += one.nx * one.ny;
    yy += one.ny * one.ny;
    xo += one.nx * one.off;
    yo += one.ny * one.off;
  }
  const det = xx * yy - xy * xy;
  // det / trace² is at most 1/4; for a thin spread it is about the share of the smaller eigenvalue.
  if (det <= LEAST_SPREAD * (xx + yy) ** 2) return null;
  return [(yy * xo - xy * yo) / det, (xx * yo - xy * xo) / det];
}

/** Shapes of one location and their reference, in degrees of one datum. */
export interface OffsetComparison {
  readonly reference: readonly MultiPolygon[];
  readonly shapes: readonly MultiPolygon[];
}

/** Returns, per edge of a location, the reference edges parallel and close to it. */
function parallelEdges({ reference, shapes }: OffsetComparison): ParallelEdge[][] {
  const first = reference[0]?.coords;
  if (first === undefined) return [];
  const plane = localPlane(first[0]!, first[1]!);
  const others = longEdges(reference, plane);
  if (others.length === 0) return [];
  const besides = finder(others);
  const ownEdges = longEdges(shapes, plane);
  const edges: ParallelEdge[][] = [];
  for (let i = 0; i < ownEdges.length; i += 4) {
    const neighbours = besides(ownEdges[i]!, ownEdges[i + 1]!, ownEdges[i + 2]!, ownEdges[i + 3]!);
    if (neighbours.length > 0) edges.push(neighbours);
  }
  return edges;
}

/**
 * Returns the offset that moves most edges onto a parallel reference edge within 3.5 m. Shapes at a constant offset are in another
 * datum. Null: no parallel edges, or all in one direction.
 */
export function edgeOffset(places: readonly OffsetComparison[]): EdgeOffset | null {
  const edges = places.flatMap(parallelEdges);
  const every = Math.ceil(edges.length / VOTERS);
  const voters = edges.filter((_, i) => i % every === 0);
  let [most, dx, dy] = [0, 0, 0];
  for (const [x, y] of MOVES) {
    const n = lieOn(voters, x, y);
    if (n > most) [most, dx, dy] = [n, x, y];
  }
  const fit = fitted(edges, dx, dy);
  if (fit === null) return null;
  return {
    edges: edges.length,
    moved: lieOn(edges, dx, dy),
    unmoved: lieOn(edges, 0, 0),
    east: fit[0],
    north: fit[1],
  };
}
