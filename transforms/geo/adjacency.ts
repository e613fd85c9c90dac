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

/** Metric frame of one pair: metres per degree, and the origin in degrees. */
interface Frame {
  readonly lon: number;
  readonly lat: number;
  readonly mx: number;
  readonly my: number;
}

/**
 * Returns a frame centred where the two boxes meet. It depends on the pair alone, so the result is identical to the last bit in
 * either order and in any batch.
 */
function frameOf(a: EdgeBands, b: EdgeBands): Frame {
  const lon = (Math.max(a.bbox[0], b.bbox[0]) + Math.min(a.bbox[2], b.bbox[2])) / 2;
  const lat = (Math.max(a.bbox[1], b.bbox[1]) + Math.min(a.bbox[3], b.bbox[3])) / 2;
  return { lon, lat, mx: metresPerDegreeLon(lat), my: metresPerDegreeLat(lat) };
}

/** Whether, in the last call of bothLengths, a part of the edges was inside the other parcel and farther from its boundary than the tolerance. */
let reachesInside = false;

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
  { lon, lat, mx, my }: Frame,
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

/** Converts the edges of `b` near edge p→q to the frame. */
function frameNear(
  b: EdgeBands,
  frame: Frame,
  px: number,
  py: number,
  qx: number,
  qy: number,
  tolerance_m: number,
  out: FramedEdges,
): void {
  const { lon, lat, mx, my } = frame;
  const reach = tolerance_m * WIDER;
  const edges = edgesInBox(
    b,
    lon + (Math.min(px, qx) - reach) / mx,
    lat + (Math.min(py, qy) - reach) / my,
    lon + (Math.max(px, qx) + reach) / mx,
    lat + (Math.max(py, qy) + reach) / my,
    nearB,
  );
  frameEdges(b, nearB, edges, frame, out);
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
 * Collects the intervals of edge p→q within the tolerance of the given edges, only of edges at an angle whose sine is at most
 * `sine`. Sorted by start; returns their number.
 */
function collectIntervals(
  { xy, count }: FramedEdges,
  px: number,
  py: number,
  qx: number,
  qy: number,
  tolerance_m: number,
  sine: number,
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
  frame: Frame,
  px: number,
  py: number,
  qx: number,
  qy: number,
  tolerance_m: number,
  sine: number,
): number {
  const n = collectIntervals(edges, px, py, qx, qy, tolerance_m, sine);
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
      const x = frame.lon + (px + t * (qx - px)) / frame.mx;
      const y = frame.lat + (py + t * (qy - py)) / frame.my;
      if (insideBands(b, x, y)) {
        covered += lo - reached;
        touched = true;
        reachesInside = true;
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
function edgesNear(a: EdgeBands, b: EdgeBands, frame: Frame, tolerance_m: number, out: EdgeList): number {
  const dx = (tolerance_m * WIDER) / frame.mx;
  const dy = (tolerance_m * WIDER) / frame.my;
  return edgesInBox(a, b.bbox[0] - dx, b.bbox[1] - dy, b.bbox[2] + dx, b.bbox[3] + dy, out);
}

/**
 * Returns the length of the edges within the tolerance of `b` or inside it; -1 if there is no such point. `edges`: all nearby edges
 * of `b`; null: too many, so they are looked up per edge.
 */
function directedLength(
  own: FramedEdges,
  b: EdgeBands,
  edges: FramedEdges | null,
  frame: Frame,
  tolerance_m: number,
  sine: number,
): number {
  let total = 0;
  let touched = false;
  for (let k = 0; k < own.count * 4; k += 4) {
    const px = own.xy[k]!;
    const py = own.xy[k + 1]!;
    const qx = own.xy[k + 2]!;
    const qy = own.xy[k + 3]!;
    if (edges === null) frameNear(b, frame, px, py, qx, qy, tolerance_m, framedNear);
    const share = coveredShare(b, edges ?? framedNear, frame, px, py, qx, qy, tolerance_m, sine);
    if (share < 0) continue;
    touched = true;
    total += share * Math.hypot(qx - px, qy - py);
  }
  return touched ? total : -1;
}

/** Returns the lengths in both directions, counting edges at an angle whose sine is at most `sine`; -1 if there is no such point. */
function bothLengths(a: EdgeBands, b: EdgeBands, tolerance_m: number, sine: number): [number, number] {
  reachesInside = false;
  const frame = frameOf(a, b);
  frameEdges(a, nearA, edgesNear(a, b, frame, tolerance_m, nearA), frame, framedA);
  frameEdges(b, nearB, edgesNear(b, a, frame, tolerance_m, nearB), frame, framedB);
  const areFew = framedA.count <= ALL_PAIRS_MAX && framedB.count <= ALL_PAIRS_MAX;
  return [
    directedLength(framedA, b, areFew ? framedB : null, frame, tolerance_m, sine),
    directedLength(framedB, a, areFew ? framedA : null, frame, tolerance_m, sine),
  ];
}

/** Returns the shared length from both lengths of the last bothLengths, see ParcelAdjacency. */
const sharedOf = (a_m: number, b_m: number): number =>
  reachesInside ? Math.max(a_m, b_m) : Math.min(a_m, b_m);

/**
 * Returns how two parcels (GDA2020 degrees) meet within a tolerance in metres. Swapping them swaps a_m and b_m and changes nothing
 * else, to the last bit. Edges are straight in degrees; lengths are accurate to 0.1 % if the boxes meet along less than 15 km.
 * The two directions only differ if one parcel overlaps or contains the other, or is narrower than the tolerance.
 */
export function contactOf(a: EdgeBands, b: EdgeBands, tolerance_m: number): ParcelAdjacency {
  const [ab, ba] = bothLengths(a, b, tolerance_m, ANY);
  const a_m = Math.max(ab, 0);
  const b_m = Math.max(ba, 0);
  return { within: ab >= 0 || ba >= 0, a_m, b_m, shared_m: sharedOf(a_m, b_m) };
}

/**
 * Returns the part of two parcels' shared length with parallel edges or with one inside the other. It leaves out the length that
 * diverging edges share because of the tolerance.
 */
export const alongLength = (a: EdgeBands, b: EdgeBands, tolerance_m: number): number =>
  Math.max(0, ...bothLengths(a, b, tolerance_m, ALONG));
