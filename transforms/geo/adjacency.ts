import { intervalWithin } from './distance.ts';
import { type EdgeBands, type EdgeList, edgesInBox, insideBands } from './edge_bands.ts';
import { metresPerDegreeLat, metresPerDegreeLon } from './plane.ts';

/** Contact of two parcels. `within`: they come within the tolerance anywhere. */
export interface ParcelAdjacency {
  within: boolean;
  /** Metres of the first parcel's boundary within the tolerance of the second or inside it. */
  a_m: number;
  /** Metres of the second parcel's boundary within the tolerance of the first or inside it. */
  b_m: number;
  /**
   * The larger of the two if one parcel extends into the other by more than the tolerance, else the smaller: both sides of a sliver
   * are one border.
   */
  shared_m: number;
}

/** One pair of parcels: its metric frame (metres per degree, and the origin in degrees) and the limits of contact. */
interface Pair {
  readonly lon: number;
  readonly lat: number;
  readonly mx: number;
  readonly my: number;
  readonly tolerance_m: number;
  /** Maximum sine of the angle between two edges. */
  readonly sine: number;
  /** True once a part of the edges is inside the other parcel and farther from its boundary than the tolerance. */
  reachesInside: boolean;
}

/**
 * Returns a pair with a frame centred where the two boxes meet. The frame depends on the pair alone, so the result is identical to the last
 * bit in either order and in any batch.
 */
function pairOf(a: EdgeBands, b: EdgeBands, tolerance_m: number, sine: number): Pair {
  const lon = (Math.max(a.bbox[0], b.bbox[0]) + Math.min(a.bbox[2], b.bbox[2])) / 2;
  const lat = (Math.max(a.bbox[1], b.bbox[1]) + Math.min(a.bbox[3], b.bbox[3])) / 2;
  const [mx, my] = [metresPerDegreeLon(lat), metresPerDegreeLat(lat)];
  return { lon, lat, mx, my, tolerance_m, sine, reachesInside: false };
}

/** Minimum gap between two intervals, metres; shorter gaps come from rounding. */
const NO_GAP_M = 1e-7;

const nearA: EdgeList = { edges: new Uint32Array(256) };
const nearB: EdgeList = { edges: new Uint32Array(256) };
let intervals = new Float64Array(128);

/** Moves interval n down to its position among the sorted ones before it. */
function sinkLast(n: number): void {
  const lo = intervals[n * 2]!;
  const hi = intervals[n * 2 + 1]!;
  let at = n;
  for (; at > 0 && intervals[at * 2 - 2]! > lo; at--) {
    intervals[at * 2] = intervals[at * 2 - 2]!;
    intervals[at * 2 + 1] = intervals[at * 2 - 1]!;
  }
  intervals[at * 2] = lo;
  intervals[at * 2 + 1] = hi;
}

/** Factor that widens a pair's box beyond the tolerance, against rounding. */
const WIDER = 1.01;

/** Maximum number of nearby edges of both parcels to compare all with all. */
const ALL_PAIRS_MAX = 64;

/** Edge ends in metres of a pair's frame: x0, y0, x1, y1 of each of the first `count`. */
interface FramedEdges {
  xy: Float64Array;
  count: number;
}

const framedA: FramedEdges = { xy: new Float64Array(256), count: 0 };
const framedB: FramedEdges = { xy: new Float64Array(256), count: 0 };
const framedNear: FramedEdges = { xy: new Float64Array(256), count: 0 };

/** Converts the first `count` edges of a list to the frame. */
function frameEdges(
  { coords }: EdgeBands,
  { edges }: EdgeList,
  count: number,
  { lon, lat, mx, my }: Pair,
  out: FramedEdges,
): void {
  if (out.xy.length < count * 4) out.xy = new Float64Array(count * 8);
  const { xy } = out;
  out.count = count;
  for (let k = 0; k < count; k++) {
    const i = edges[k]! * 2;
    xy[k * 4] = (coords[i]! - lon) * mx;
    xy[k * 4 + 1] = (coords[i + 1]! - lat) * my;
    xy[k * 4 + 2] = (coords[i + 2]! - lon) * mx;
    xy[k * 4 + 3] = (coords[i + 3]! - lat) * my;
  }
}

// The kernels below take the ends of an edge as numbers: they run for each edge of each pair, and an object for each edge would be garbage.

/** Converts the edges of `b` near edge p→q to the frame. */
// Numbers, not an object: an object would be allocated for each call of the inner loop.
function frameNear(b: EdgeBands, pair: Pair, px: number, py: number, qx: number, qy: number): FramedEdges {
  const { lon, lat, mx, my, tolerance_m } = pair;
  const reach = tolerance_m * WIDER;
  const edges = edgesInBox(
    b,
    lon + (Math.min(px, qx) - reach) / mx,
    lat + (Math.min(py, qy) - reach) / my,
    lon + (Math.max(px, qx) + reach) / mx,
    lat + (Math.max(py, qy) + reach) / my,
    nearB,
  );
  frameEdges(b, nearB, edges, pair, framedNear);
  return framedNear;
}

/** Maximum sine of the angle between two parallel edges. */
const ALONG = Math.sin((15 * Math.PI) / 180);
/** Accepts every angle. */
const ANY = 1;

/**
 * Writes the part of edge p→q, 0 to 1, next to edge a→b within the tolerance, without parts before its start or after its end.
 * Returns false if there is none, or if the sine of their angle exceeds `sine`.
 */
function intervalAlong(
  px: number,
  py: number,
  qx: number,
  qy: number,
  ax: number,
  ay: number,
  bx: number,
  by: number,
  tolerance_m: number,
  sine: number,
  at: number,
): boolean {
  const length = Math.hypot(bx - ax, by - ay);
  const [ux, uy] = [(bx - ax) / length, (by - ay) / length];
  const [dx, dy] = [qx - px, qy - py];
  const across = ux * dy - uy * dx;
  if (Math.abs(across) > sine * Math.hypot(dx, dy)) return false;
  let lo = 0;
  let hi = 1;
  // Limits the range of t to min ≤ start + t · step ≤ max.
  const clip = (start: number, step: number, least: number, most: number): void => {
    if (step === 0) {
      if (start < least || start > most) hi = -1;
      return;
    }
    const [t0, t1] = [(least - start) / step, (most - start) / step];
    lo = Math.max(lo, Math.min(t0, t1));
    hi = Math.min(hi, Math.max(t0, t1));
  };
  clip((px - ax) * ux + (py - ay) * uy, dx * ux + dy * uy, 0, length);
  clip((py - ay) * ux - (px - ax) * uy, across, -tolerance_m, tolerance_m);
  if (lo >= hi) return false;
  intervals[at] = lo;
  intervals[at + 1] = hi;
  return true;
}

/**
 * Collects the intervals of edge p→q within the tolerance of the given edges, only of edges at an angle that the
 * pair allows. Sorted by start; returns their number.
 */
function collectIntervals(
  { xy, count }: FramedEdges,
  { tolerance_m, sine }: Pair,
  px: number,
  py: number,
  qx: number,
  qy: number,
): number {
  const reach = tolerance_m * WIDER;
  const minX = Math.min(px, qx) - reach;
  const minY = Math.min(py, qy) - reach;
  const maxX = Math.max(px, qx) + reach;
  const maxY = Math.max(py, qy) + reach;
  if (intervals.length < count * 2 + 2) intervals = new Float64Array(count * 4);
  let n = 0;
  for (let k = 0; k < count * 4; k += 4) {
    const ax = xy[k]!;
    const bx = xy[k + 2]!;
    if ((ax < minX && bx < minX) || (ax > maxX && bx > maxX)) continue;
    const ay = xy[k + 1]!;
    const by = xy[k + 3]!;
    if ((ay < minY && by < minY) || (ay > maxY && by > maxY)) continue;
    const isNear =
      sine < ANY
        ? intervalAlong(px, py, qx, qy, ax, ay, bx, by, tolerance_m, sine, n * 2)
        : intervalWithin(px, py, qx, qy, ax, ay, bx, by, tolerance_m, intervals, n * 2);
    if (!isNear) continue;
    const lo = intervals[n * 2]!;
    const hi = intervals[n * 2 + 1]!;
    if (lo === 0 && hi === 1) {
      intervals[0] = 0;
      intervals[1] = 1;
      return 1;
    }
    sinkLast(n);
    n++;
  }
  return n;
}

/** Returns the share of edge p→q, 0 to 1, within the tolerance of `b` (its nearby edges) or inside it; -1 if no point is. */
function coveredShare(
  b: EdgeBands,
  edges: FramedEdges,
  pair: Pair,
  px: number,
  py: number,
  qx: number,
  qy: number,
): number {
  const n = collectIntervals(edges, pair, px, py, qx, qy);
  const shortest = NO_GAP_M / Math.sqrt((qx - px) * (qx - px) + (qy - py) * (qy - py));
  let covered = 0;
  let reached = 0;
  let touched = n > 0;
  for (let k = 0; k <= n; k++) {
    const lo = k < n ? intervals[k * 2]! : 1;
    const hi = k < n ? intervals[k * 2 + 1]! : 1;
    if (lo - reached > shortest) {
      // Between two intervals the edge does not touch the boundary of b: one point decides whether the whole gap is inside. With a limit
      // of the angle it may cross the boundary there, so the share of an edge that overlaps b in part is an estimate.
      const t = (reached + lo) / 2;
      const x = pair.lon + (px + t * (qx - px)) / pair.mx;
      const y = pair.lat + (py + t * (qy - py)) / pair.my;
      if (insideBands(b, x, y)) {
        covered += lo - reached;
        touched = true;
        pair.reachesInside = true;
      }
    }
    if (hi > reached) {
      covered += hi - Math.max(lo, reached);
      reached = hi;
    }
  }
  return touched ? covered : -1;
}

/** Finds the edges of `a` near the box of `b`; returns their number. */
function edgesNear(a: EdgeBands, b: EdgeBands, { mx, my, tolerance_m }: Pair, out: EdgeList): number {
  const dx = (tolerance_m * WIDER) / mx;
  const dy = (tolerance_m * WIDER) / my;
  return edgesInBox(a, b.bbox[0] - dx, b.bbox[1] - dy, b.bbox[2] + dx, b.bbox[3] + dy, out);
}

/**
 * Returns the length of the edges of one parcel within the tolerance of `b` or inside it; -1 if there is no such point. `edgesOfB`: all
 * nearby edges of `b`; null: too many, so they are looked up per edge.
 */
function directedLength(
  edgesOfA: FramedEdges,
  b: EdgeBands,
  edgesOfB: FramedEdges | null,
  pair: Pair,
): number {
  let total = 0;
  let touched = false;
  for (let k = 0; k < edgesOfA.count * 4; k += 4) {
    const px = edgesOfA.xy[k]!;
    const py = edgesOfA.xy[k + 1]!;
    const qx = edgesOfA.xy[k + 2]!;
    const qy = edgesOfA.xy[k + 3]!;
    const nearby = edgesOfB ?? frameNear(b, pair, px, py, qx, qy);
    const share = coveredShare(b, nearby, pair, px, py, qx, qy);
    if (share < 0) continue;
    touched = true;
    total += share * Math.hypot(qx - px, qy - py);
  }
  return touched ? total : -1;
}

/** Lengths of contact in both directions; -1 if there is no such point. `shared_m`: see ParcelAdjacency. */
function bothLengths(
  a: EdgeBands,
  b: EdgeBands,
  tolerance_m: number,
  sine: number,
): { a_m: number; b_m: number; shared_m: number } {
  const pair = pairOf(a, b, tolerance_m, sine);
  frameEdges(a, nearA, edgesNear(a, b, pair, nearA), pair, framedA);
  frameEdges(b, nearB, edgesNear(b, a, pair, nearB), pair, framedB);
  const areFew = framedA.count <= ALL_PAIRS_MAX && framedB.count <= ALL_PAIRS_MAX;
  const a_m = directedLength(framedA, b, areFew ? framedB : null, pair);
  const b_m = directedLength(framedB, a, areFew ? framedA : null, pair);
  const border_m = pair.reachesInside ? Math.max(a_m, b_m) : Math.min(a_m, b_m);
  return { a_m, b_m, shared_m: Math.max(border_m, 0) };
}

/**
 * Returns how two parcels (GDA2020 degrees) meet within a tolerance in metres. Swapping them swaps a_m and b_m and changes nothing
 * else, to the last bit. Edges are straight in degrees; lengths are accurate to 0.1 % if the boxes meet along less than 15 km.
 * The two directions only differ if one parcel overlaps or contains the other, or is narrower than the tolerance.
 */
export function contactOf(a: EdgeBands, b: EdgeBands, tolerance_m: number): ParcelAdjacency {
  const { a_m, b_m, shared_m } = bothLengths(a, b, tolerance_m, ANY);
  return { within: a_m >= 0 || b_m >= 0, a_m: Math.max(a_m, 0), b_m: Math.max(b_m, 0), shared_m };
}

/**
 * Returns the part of two parcels' shared length with parallel edges or with one inside the other. It leaves out the length that
 * diverging edges share because of the tolerance.
 */
export function alongLength(a: EdgeBands, b: EdgeBands, tolerance_m: number): number {
  const { a_m, b_m } = bothLengths(a, b, tolerance_m, ALONG);
  return Math.max(0, a_m, b_m);
}
