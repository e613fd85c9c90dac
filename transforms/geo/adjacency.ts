import { intervalWithin } from './distance.ts';
import { type EdgeBands, type EdgeList, edgesInBox, insideBands } from './edge_bands.ts';
import { metresPerDegreeLat, metresPerDegreeLon } from './plane.ts';

/** How two parcels meet: `within` when they come within the tolerance at all. */
export interface ParcelAdjacency {
  within: boolean;
  /** Metres of the boundary of the first that lie within the tolerance of the second or inside it. */
  a_m: number;
  /** The same of the second. */
  b_m: number;
  /** The greater of the two where one reaches into the other by more than the tolerance, else the lesser: both sides of a sliver are one border. */
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

/** Whether a part of the edges of the last bothLengths lies inside the other parcel, beyond the tolerance of its boundary. */
let reachesInside = false;

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

/** Share by which the box of a pair is wider than the tolerance, against rounding. */
const WIDER = 1.01;

/** Edges up to which those of both parcels near each other are compared all with all. */
const FEW = 64;

/** Ends of edges in metres of the frame of a pair: x0, y0, x1, y1 of each of the first `count`. */
interface FramedEdges {
  xy: Float64Array;
  count: number;
}

const framedA: FramedEdges = { xy: new Float64Array(256), count: 0 };
const framedB: FramedEdges = { xy: new Float64Array(256), count: 0 };
const framedNear: FramedEdges = { xy: new Float64Array(256), count: 0 };

/** Puts the first `count` edges of a list into the frame. */
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

/** Puts the edges of `b` near edge p→q into the frame. */
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
  const found = edgesInBox(
    b,
    lon + (Math.min(px, qx) - reach) / mx,
    lat + (Math.min(py, qy) - reach) / my,
    lon + (Math.max(px, qx) + reach) / mx,
    lat + (Math.max(py, qy) + reach) / my,
    nearB,
  );
  frameEdges(b, nearB, found, frame, out);
}

/** Sine of the angle up to which two edges run along each other. */
const ALONG = Math.sin((15 * Math.PI) / 180);
/** Every angle is taken. */
const ANY = 1;

/**
 * Writes the part of edge p→q, 0 to 1, that lies beside edge a→b within the tolerance: not what lies before its start or behind its
 * end. False: there is none, or they meet at an angle whose sine is more than `sine`.
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
  // Where start + t · step lies from least to most.
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
 * Collects the intervals of edge p→q within the tolerance of some edges, or beside those that meet it at an angle whose sine is at most
 * `sine`, sorted by their start; returns their number.
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

/** Share of edge p→q, 0 to 1, within the tolerance of `b` (of its edges near there) or inside it; -1 when no point of it is. */
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
      // Between two intervals the edge keeps clear of the boundary of b: one point tells whether all of the gap is inside.
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

/** Edges of `a` near the box of `b`; returns their number. */
function edgesNear(a: EdgeBands, b: EdgeBands, frame: Frame, tolerance_m: number, out: EdgeList): number {
  const dx = (tolerance_m * WIDER) / frame.mx;
  const dy = (tolerance_m * WIDER) / frame.my;
  return edgesInBox(a, b.bbox[0] - dx, b.bbox[1] - dy, b.bbox[2] + dx, b.bbox[3] + dy, out);
}

/**
 * Length of some edges within the tolerance of `b` or inside it; -1 when there is no such point. `edges`: all of those of `b`
 * that come near them; null: they are many, and are looked up for each.
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

/** Lengths of both directions by the edges that meet at an angle whose sine is at most `sine`; -1 when there is no such point. */
function bothLengths(a: EdgeBands, b: EdgeBands, tolerance_m: number, sine: number): [number, number] {
  reachesInside = false;
  const frame = frameOf(a, b);
  frameEdges(a, nearA, edgesNear(a, b, frame, tolerance_m, nearA), frame, framedA);
  frameEdges(b, nearB, edgesNear(b, a, frame, tolerance_m, nearB), frame, framedB);
  const areFew = framedA.count <= FEW && framedB.count <= FEW;
  return [
    directedLength(framedA, b, areFew ? framedB : null, frame, tolerance_m, sine),
    directedLength(framedB, a, areFew ? framedA : null, frame, tolerance_m, sine),
  ];
}

/** The shared length by those of both directions of the last bothLengths, see Contact. */
const sharedOf = (a_m: number, b_m: number): number =>
  reachesInside ? Math.max(a_m, b_m) : Math.min(a_m, b_m);

/**
 * How two parcels (GDA2020 degrees) meet within a tolerance in metres. Swapping them swaps a_m and b_m and changes nothing
 * else, to the last bit. Edges are straight in degrees; lengths hold to 0.1 % where the boxes meet along less than 15 km.
 * The two directions differ only where one parcel overlaps or contains the other, or is narrower than the tolerance.
 */
export function contactOf(a: EdgeBands, b: EdgeBands, tolerance_m: number): ParcelAdjacency {
  const [ab, ba] = bothLengths(a, b, tolerance_m, ANY);
  const a_m = Math.max(ab, 0);
  const b_m = Math.max(ba, 0);
  return { within: ab >= 0 || ba >= 0, a_m, b_m, shared_m: sharedOf(a_m, b_m) };
}

/**
 * The part of the shared length of two parcels along which their edges run beside each other, or one lies inside the other: without
 * what edges that part at an angle share for the tolerance.
 */
export const alongLength = (a: EdgeBands, b: EdgeBands, tolerance_m: number): number =>
  Math.max(0, ...bothLengths(a, b, tolerance_m, ALONG));
