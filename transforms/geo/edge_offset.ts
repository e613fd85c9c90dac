import Flatbush from 'flatbush';
import { bboxOf, type MultiPolygon } from './geometry.ts';
import { localPlane, type Plane } from './plane.ts';

/** Metres: an edge that is shorter says too little of its direction. */
const LEAST_LENGTH = 12;
/** Metres at which edges still count as beside each other: twice what lies between the datums of Australia. */
const REACH = 3.5;
/** Sine of the angle, a third of a degree, within which edges are parallel. */
const PARALLEL = 0.006;
/** Metres between the offsets that are tried, and how near an edge has to come by one of them. */
const STEP = 0.1;
const NEAR = 0.15;
/** Least share of the smaller eigenvalue of what the directions of the edges say: below it they all run one way. */
const LEAST_SPREAD = 0.05;

/** Edges by which a move is looked for, spread over all: as many as tell it; what it does is counted of all. */
const VOTERS = 1500;

/** How the edges of shapes lie beside those of others. */
export interface EdgeOffset {
  /** Edges that run beside one of the others. */
  readonly edges: number;
  /** Of those, how many lie on it once they are moved, and how many do as they are. */
  readonly moved: number;
  readonly unmoved: number;
  /** The move, in metres. */
  readonly east: number;
  readonly north: number;
}

/** An edge of the others that an edge runs beside: the move by d puts it there where nx·dx + ny·dy is `off`. */
interface ParallelEdge {
  readonly nx: number;
  readonly ny: number;
  readonly off: number;
}

/** Edges of a set of shapes as flat x1, y1, x2, y2 in metres, those of at least LEAST_LENGTH. */
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

/** Finds the edges of a set that others run beside. */
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

/** How many edges lie on one of the others once they are moved. */
const lieOn = (edges: readonly (readonly ParallelEdge[])[], dx: number, dy: number): number => {
  let n = 0;
  for (const beside of edges) if (beside.some((one) => isNear(one, dx, dy))) n++;
  return n;
};

/** Moves that are tried, the shortest first: of two that are as good it is taken. */
const MOVES = ((): (readonly [number, number])[] => {
  const n = Math.round(REACH / STEP);
  const moves: [number, number][] = [];
  for (let i = -n; i <= n; i++)
    for (let j = -n; j <= n; j++) if (i * i + j * j <= n * n) moves.push([i * STEP, j * STEP]);
  return moves.sort(([a, b], [c, d]) => a * a + b * b - c * c - d * d || a - c || b - d);
})();

/** The move that fits the edges near `dx`, `dy` best (least squares); null: they all run one way. */
function fitted(
  edges: readonly (readonly ParallelEdge[])[],
  dx: number,
  dy: number,
): readonly [number, number] | null {
  let [xx, xy, yy, xo, yo] = [0, 0, 0, 0, 0];
  for (const beside of edges) {
    const one = beside.find((each) => isNear(each, dx, dy));
    if (one === undefined) continue;
    xx += one.nx * one.nx;
    xy += one.nx * one.ny;
    yy += one.ny * one.ny;
    xo += one.nx * one.off;
    yo += one.ny * one.off;
  }
  const det = xx * yy - xy * xy;
  // det / trace² is at most 1/4 and, of a thin spread, about the share of the smaller eigenvalue
  if (det <= LEAST_SPREAD * (xx + yy) ** 2) return null;
  return [(yy * xo - xy * yo) / det, (xx * yo - xy * xo) / det];
}

/** Shapes of one place and those they are compared with, in degrees of one datum. */
export interface OffsetComparison {
  readonly reference: readonly MultiPolygon[];
  readonly shapes: readonly MultiPolygon[];
}

/** The edges of a place that run beside edges of the reference, with these. */
function besideEdges({ reference, shapes }: OffsetComparison): ParallelEdge[][] {
  const first = reference[0]?.coords;
  if (first === undefined) return [];
  const plane = localPlane(first[0]!, first[1]!);
  const others = longEdges(reference, plane);
  if (others.length === 0) return [];
  const besides = finder(others);
  const own = longEdges(shapes, plane);
  const edges: ParallelEdge[][] = [];
  for (let i = 0; i < own.length; i += 4) {
    const beside = besides(own[i]!, own[i + 1]!, own[i + 2]!, own[i + 3]!);
    if (beside.length > 0) edges.push(beside);
  }
  return edges;
}

/**
 * The one move by which most edges of the shapes come to lie on edges of the reference that they run beside, within 3.5 m: shapes that
 * follow the others at a constant offset stand in another datum. Null: no edges run beside each other, or all one way.
 */
export function edgeOffset(places: readonly OffsetComparison[]): EdgeOffset | null {
  const edges = places.flatMap(besideEdges);
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
