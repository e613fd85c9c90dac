import { type ConvexWindow, type Crossing, crossWindow } from './convex_window.ts';
import { type MultiPolygon, ringsOf } from './geometry.ts';
import { ringParity } from './point_in_polygon.ts';
import { planarArea } from './ring_nesting.ts';

/** Part of a border inside a window, from entry to exit; both also as positions on the window's ring. */
interface Chain {
  points: number[];
  entered: number;
  exited: number;
}

/** Position on the window's ring of a chain's entry or exit: edge number plus the share along it. */
interface WindowCrossing {
  at: number;
  chain: number;
  isEntry: boolean;
}

/** Thrown if rounding leaves it unclear what is inside. */
class Unclear extends Error {}

const crossing: Crossing = { from: 0, to: 1, entered: -1, exited: -1 };

/**
 * Returns the point at a share of the segment from a to b, and its position on the ring. It is exactly on edge `k` if that edge is
 * parallel to an axis.
 */
// Numbers, not an object: an object would be allocated for each call of the inner loop.
function gateAt(
  ring: Float64Array,
  k: number,
  share: number,
  a: readonly [number, number],
  b: readonly [number, number],
  points: number[],
): number {
  const x0 = ring[k * 2]!;
  const y0 = ring[k * 2 + 1]!;
  const dx = ring[k * 2 + 2]! - x0;
  const dy = ring[k * 2 + 3]! - y0;
  const x = dx === 0 ? x0 : a[0] + share * (b[0] - a[0]);
  const y = dy === 0 ? y0 : a[1] + share * (b[1] - a[1]);
  points.push(x, y);
  const along = ((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy);
  return k + Math.min(1, Math.max(0, along));
}

/** Appends the chains of a ring inside a window, traversed with the inside on the left. Returns true if the whole ring is inside. */
function chainsOf(ring: Float64Array, isLeft: boolean, window: ConvexWindow, chains: Chain[]): boolean {
  const n = ring.length / 2 - 1;
  const inside = new Uint8Array(n);
  let first = -1;
  for (let i = 0; i < n; i++) {
    if (window.holds(ring[i * 2]!, ring[i * 2 + 1]!)) inside[i] = 1;
    else if (first < 0) first = i;
  }
  if (first < 0) return true;
  const [west, south, east, north] = window.box;
  let chain: Chain | null = null;
  for (let step = 0, p = first; step < n; step++) {
    const q = isLeft ? (p + 1) % n : (p + n - 1) % n;
    const [ax, ay, bx, by] = [ring[p * 2]!, ring[p * 2 + 1]!, ring[q * 2]!, ring[q * 2 + 1]!];
    if (inside[p] && inside[q]) chain!.points.push(bx, by);
    else if (
      !(ax <= west && bx <= west) &&
      !(ax >= east && bx >= east) &&
      !(ay <= south && by <= south) &&
      !(ay >= north && by >= north) &&
      crossWindow(window, ax, ay, bx, by, crossing)
    ) {
      if (crossing.entered < 0 !== (inside[p] === 1) || crossing.exited < 0 !== (inside[q] === 1))
        throw new Unclear();
      if (!inside[p]) {
        chain = { points: [], entered: 0, exited: 0 };
        chain.entered = gateAt(
          window.ring,
          crossing.entered,
          crossing.from,
          [ax, ay],
          [bx, by],
          chain.points,
        );
      }
      if (inside[q]) chain!.points.push(bx, by);
      else {
        chain!.exited = gateAt(window.ring, crossing.exited, crossing.to, [ax, ay], [bx, by], chain!.points);
        chains.push(chain!);
        chain = null;
      }
    } else if (inside[p] || inside[q]) throw new Unclear();
    p = q;
  }
  return false;
}

/** Returns entries and exits in order along the window's ring, which must alternate. At equal positions the order is chosen so that they do. */
function gatesInTurn(chains: readonly Chain[]): WindowCrossing[] {
  const gates = chains.flatMap(({ entered, exited }, chain): WindowCrossing[] => [
    { at: entered, chain, isEntry: true },
    { at: exited, chain, isEntry: false },
  ]);
  gates.sort((a, b) => a.at - b.at);
  const n = gates.length;
  const isAlone = (i: number): boolean =>
    gates[(i + 1) % n]!.at !== gates[i]!.at && gates[(i + n - 1) % n]!.at !== gates[i]!.at;
  let start = 0;
  while (start < n && !isAlone(start)) start++;
  if (start === n) {
    if (n > 2) throw new Unclear();
    start = 0;
  }
  const turned = [...gates.slice(start), ...gates.slice(0, start)];
  for (let i = 1; i < n; i++) {
    const wantsExit = !turned[i - 1]!.isEntry;
    if (turned[i]!.isEntry === wantsExit) continue;
    let other = i + 1;
    while (other < n && turned[other]!.at === turned[i]!.at && turned[other]!.isEntry !== wantsExit) other++;
    if (other === n || turned[other]!.at !== turned[i]!.at) throw new Unclear();
    [turned[i], turned[other]] = [turned[other]!, turned[i]!];
  }
  return turned;
}

/** Adds the window's corners between two positions on its ring, anticlockwise. */
function addCorners(
  ring: Float64Array,
  from: number,
  to: number,
  isWrapped: boolean,
  points: number[],
): void {
  const edges = ring.length / 2 - 1;
  const last = isWrapped ? to + edges : to;
  for (let k = Math.floor(from) + 1; k < last; k++) {
    const corner = (k % edges) * 2;
    points.push(ring[corner]!, ring[corner + 1]!);
  }
}

/** Joins chains along the window's ring, which has the inside on its left from each exit to the next entry. */
function joinChains({ ring }: ConvexWindow, chains: readonly Chain[]): number[][] {
  const gates = gatesInTurn(chains);
  const n = gates.length;
  const next = new Int32Array(chains.length);
  const wraps = new Uint8Array(chains.length);
  gates.forEach((gate, i) => {
    if (gate.isEntry) return;
    const entry = gates[(i + 1) % n]!;
    next[gate.chain] = entry.chain;
    // Two gates at one position are adjacent, except for a single hole that touches the window: everything around the hole is
    // inside.
    const isHole = n === 2 && planarArea(Float64Array.from(chains[gate.chain]!.points)) < 0;
    wraps[gate.chain] = entry.at < gate.at || (entry.at === gate.at && isHole) ? 1 : 0;
  });
  const rings: number[][] = [];
  const done = new Uint8Array(chains.length);
  for (let start = 0; start < chains.length; start++) {
    const points: number[] = [];
    for (let c = start; !done[c]; c = next[c]!) {
      done[c] = 1;
      for (const value of chains[c]!.points) points.push(value);
      addCorners(ring, chains[c]!.exited, chains[next[c]!]!.entered, wraps[c] === 1, points);
    }
    if (points.length > 0) rings.push(points);
  }
  return rings;
}

/** Returns a closed ring without repeated vertices. Null: it encloses nothing. */
function closed(points: readonly number[]): Float64Array | null {
  const out: number[] = [];
  for (let i = 0; i < points.length; i += 2)
    if (out.length === 0 || points[i] !== out.at(-2) || points[i + 1] !== out.at(-1))
      out.push(points[i]!, points[i + 1]!);
  if (out.length < 6) return null;
  if (out[0] !== out.at(-2) || out[1] !== out.at(-1)) out.push(out[0]!, out[1]!);
  const ring = Float64Array.from(out);
  return ring.length >= 8 && planarArea(ring) !== 0 ? ring : null;
}

const reversed = (ring: Float64Array): Float64Array => {
  const out = new Float64Array(ring.length);
  for (let i = 0; i < ring.length; i += 2) {
    out[i] = ring[ring.length - 2 - i]!;
    out[i + 1] = ring[ring.length - 1 - i]!;
  }
  return out;
};

/**
 * Clips a valid multipolygon to the strict inside of a convex window. Returns closed rings with the inside on their left: shells
 * anticlockwise, holes clockwise. Vertices inside keep their coordinates.
 * Cost: one test per vertex, and one pass along the window per edge that may cross it. Null: rounding leaves the inside unclear,
 * for example if borders touch the window in many points.
 */
export function clipToWindow(shape: MultiPolygon, window: ConvexWindow): Float64Array[] | null {
  const { coords, ringEnds, polygonEnds } = shape;
  const chains: Chain[] = [];
  const rings: Float64Array[] = [];
  let crossed: Float64Array[] = [];
  const isShell = new Set([0, ...polygonEnds]);
  try {
    ringsOf(coords, ringEnds).forEach((ring, r) => {
      const isLeft = planarArea(ring) > 0 === isShell.has(r);
      if (chainsOf(ring, isLeft, window, chains)) rings.push(isLeft ? ring : reversed(ring));
      else crossed.push(ring);
    });
    if (chains.length > 0) crossed = joinChains(window, chains).flatMap((points) => closed(points) ?? []);
    else {
      // No border crosses the window, so one point decides for everything outside its inner rings.
      const [x, y] = middleOf(window.ring);
      let parity = 0;
      for (const ring of crossed) parity ^= ringParity(x, y, ring, 0, ring.length / 2);
      crossed = parity === 1 ? [window.ring] : [];
    }
  } catch (error) {
    if (error instanceof Unclear) return null;
    throw error;
  }
  return [...crossed, ...rings];
}

/** Returns the mean of a ring's corners, which is inside if the ring is convex. */
function middleOf(ring: Float64Array): [number, number] {
  const n = ring.length / 2 - 1;
  let x = 0;
  let y = 0;
  for (let i = 0; i < n; i++) {
    x += (ring[i * 2]! - ring[0]!) / n;
    y += (ring[i * 2 + 1]! - ring[1]!) / n;
  }
  return [ring[0]! + x, ring[1]! + y];
}
