import { intervalWithin } from './distance.ts';
import { type EdgeBands, type EdgeList, edgesInBox, insideBands } from './edge_bands.ts';
import { metresPerDegreeLat, metresPerDegreeLon } from './plane.ts';

/** How two parcels meet: `within` when they come within the tolerance at all. */
export interface Contact {
  within: boolean;
  /** Metres of the boundary of the first that lie within the tolerance of the second or inside it. */
  a_m: number;
  /** The same of the second. */
  b_m: number;
  /** The greater of the two. */
  shared_m: number;
}

/** The metric frame of one pair: metres per degree, and the origin in degrees. */
interface Frame {
  readonly lon: number;
  readonly lat: number;
  readonly mx: number;
  readonly my: number;
}

/**
 * The frame lies where the two boxes meet, so that it depends on the pair alone: the result is the same
 * to the last bit whichever comes first and whatever else is in the batch.
 */
function frameOf(a: EdgeBands, b: EdgeBands): Frame {
  const lon = (Math.max(a.bbox[0], b.bbox[0]) + Math.min(a.bbox[2], b.bbox[2])) / 2;
  const lat = (Math.max(a.bbox[1], b.bbox[1]) + Math.min(a.bbox[3], b.bbox[3])) / 2;
  return { lon, lat, mx: metresPerDegreeLon(lat), my: metresPerDegreeLat(lat) };
}

/** Gaps shorter than this, in metres, come from rounding between two intervals that meet. */
const NO_GAP_M = 1e-7;

const nearA: EdgeList = { edges: new Uint32Array(256) };
const nearB: EdgeList = { edges: new Uint32Array(256) };
let intervals = new Float64Array(128);

/** Moves interval n down to its place among the sorted ones before it. */
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

/** Collects the intervals of edge p→q (metres in the frame) within the tolerance of `b`, sorted by their start; returns their number. */
function collectIntervals(
  b: EdgeBands,
  frame: Frame,
  px: number,
  py: number,
  qx: number,
  qy: number,
  tolerance_m: number,
): number {
  const { lon, lat, mx, my } = frame;
  const found = edgesInBox(
    b,
    lon + (Math.min(px, qx) - tolerance_m) / mx,
    lat + (Math.min(py, qy) - tolerance_m) / my,
    lon + (Math.max(px, qx) + tolerance_m) / mx,
    lat + (Math.max(py, qy) + tolerance_m) / my,
    nearB,
  );
  if (intervals.length < found * 2 + 2) intervals = new Float64Array(found * 4);
  let n = 0;
  for (let k = 0; k < found; k++) {
    const i = nearB.edges[k]! * 2;
    const ax = (b.coords[i]! - lon) * mx;
    const ay = (b.coords[i + 1]! - lat) * my;
    const bx = (b.coords[i + 2]! - lon) * mx;
    const by = (b.coords[i + 3]! - lat) * my;
    if (!intervalWithin(px, py, qx, qy, ax, ay, bx, by, tolerance_m, intervals, n * 2)) continue;
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

/** Share of edge p→q, 0 to 1, within the tolerance of `b` or inside it; -1 when no point of it is. */
function coveredShare(
  b: EdgeBands,
  frame: Frame,
  px: number,
  py: number,
  qx: number,
  qy: number,
  tolerance_m: number,
): number {
  const n = collectIntervals(b, frame, px, py, qx, qy, tolerance_m);
  const shortest = NO_GAP_M / Math.hypot(qx - px, qy - py);
  let covered = 0;
  let reached = 0;
  let touched = n > 0;
  for (let k = 0; k <= n; k++) {
    const lo = k < n ? intervals[k * 2]! : 1;
    const hi = k < n ? intervals[k * 2 + 1]! : 1;
    if (lo - reached > shortest) {
      // Between two intervals the edge keeps clear of the boundary of b: one point tells whether all of the gap is inside.
      const t = (reached + lo) / 2;
      const x = frame.lon + (px + t * (qx - px)) / frame.mx;
      const y = frame.lat + (py + t * (qy - py)) / frame.my;
      if (insideBands(b, x, y)) {
        covered += lo - reached;
        touched = true;
      }
    }
    if (hi > reached) {
      covered += hi - Math.max(lo, reached);
      reached = hi;
    }
  }
  return touched ? covered : -1;
}

/** Length of the boundary of `a` within the tolerance of `b` or inside it; -1 when there is no such point. */
function directedLength(a: EdgeBands, b: EdgeBands, frame: Frame, tolerance_m: number): number {
  const { lon, lat, mx, my } = frame;
  const dx = tolerance_m / mx;
  const dy = tolerance_m / my;
  const found = edgesInBox(a, b.bbox[0] - dx, b.bbox[1] - dy, b.bbox[2] + dx, b.bbox[3] + dy, nearA);
  let total = 0;
  let touched = false;
  for (let k = 0; k < found; k++) {
    const i = nearA.edges[k]! * 2;
    const px = (a.coords[i]! - lon) * mx;
    const py = (a.coords[i + 1]! - lat) * my;
    const qx = (a.coords[i + 2]! - lon) * mx;
    const qy = (a.coords[i + 3]! - lat) * my;
    const share = coveredShare(b, frame, px, py, qx, qy, tolerance_m);
    if (share < 0) continue;
    touched = true;
    total += share * Math.hypot(qx - px, qy - py);
  }
  return touched ? total : -1;
}

/**
 * How two parcels (GDA2020 degrees) meet within a tolerance in metres. Swapping them swaps a_m and b_m and changes nothing
 * else, to the last bit. Edges are straight in degrees; lengths hold to 0.1 % where the boxes meet along less than 15 km.
 * The two directions differ only where one parcel overlaps or contains the other, or is narrower than the tolerance.
 */
export function contactOf(a: EdgeBands, b: EdgeBands, tolerance_m: number): Contact {
  const frame = frameOf(a, b);
  const ab = directedLength(a, b, frame, tolerance_m);
  const ba = directedLength(b, a, frame, tolerance_m);
  const a_m = Math.max(ab, 0);
  const b_m = Math.max(ba, 0);
  return { within: ab >= 0 || ba >= 0, a_m, b_m, shared_m: Math.max(a_m, b_m) };
}
