import Flatbush from 'flatbush';
import { append } from '../../schema/group_by.ts';
import { joinRings } from './geometry.ts';
import {
  CROSS,
  edgeContact,
  forEachEdgePair,
  nearEdge,
  ringNumbers,
  TOUCH_DEG,
  worstContact,
} from './ring_contacts.ts';

/** Maximum edge cuts per feature, in addition to ten per vertex: bounds the memory for a tangled ring. */
const MAX_CUTS = 100_000;

/** Maximum rounds of splitting: each can only create crossings as deep as the rounding of the one before. */
const ROUNDS = 5;

/** Snaps to a grid of TOUCH_DEG (0.1 mm), on which equal nodes are equal numbers. */
const snap = (v: number): number => Math.round(v / TOUCH_DEG) * TOUCH_DEG;

/**
 * Splits rings that cross or touch themselves or each other into simple rings with the same inside by the even-odd rule. Parts
 * covered twice vanish; the rings may touch in vertices but never cross. Vertices keep their coordinates; vertices within 0.1 mm of
 * each other are merged.
 * Null: the rings are too tangled. Empty list: they enclose nothing. Deterministic.
 */
export function splitRings(coords: Float64Array, ringEnds: readonly number[]): Float64Array[] | null {
  let current = { coords, ringEnds };
  for (let round = 0; round < ROUNDS; round++) {
    const rings = splitOnce(current.coords, current.ringEnds);
    if (rings === null || rings.length === 0) return rings;
    current = joinRings(rings);
    const worst = worstContact(current.coords, current.ringEnds);
    if (worst === null) return null;
    if (worst !== CROSS) return rings;
  }
  return null;
}

/** Splits once; rings without contacts are unchanged. Null: too tangled. */
function splitOnce(coords: Float64Array, ringEnds: readonly number[]): Float64Array[] | null {
  const c = coords.map(snap);
  const cuts = findCuts(c, ringEnds);
  if (cuts === null) return null;
  const edges = nodedEdges(coords, c, ringEnds, cuts);
  const rings = traceRings(edges);
  ringEnds.forEach((end, ring) => {
    if (cuts.meets[ring] === 0)
      rings.push({ ring, coords: coords.slice(2 * (ringEnds[ring - 1] ?? 0), 2 * end) });
  });
  return rings.sort((a, b) => a.ring - b.ring).map((each) => each.coords);
}

/** A ring found in a round, and the number of the ring with its first edge. */
interface FoundRing {
  ring: number;
  coords: Float64Array;
}

/** Edges of an arrangement: distinct nodes, and node pairs joined by an odd number of edges. */
interface NodedEdges {
  x: number[];
  y: number[];
  pairs: (readonly [a: number, b: number, ring: number])[];
  /** Further edges, which meet none of these, as x and y of both ends. */
  apart: Float64Array;
}

/** Cuts every edge at its crossings and touches, and keeps the pieces that are covered an odd number of times. */
function nodedEdges(
  coords: Float64Array,
  c: Float64Array,
  ringEnds: readonly number[],
  { cuts, meets }: Cuts,
): NodedEdges {
  const x: number[] = [];
  const y: number[] = [];
  const ids = new Map<string, number>();
  const exact = originals(c, ringEnds, meets);
  const node = (px: number, py: number): number => {
    const key = keyOf(px, py);
    let id = ids.get(key);
    if (id === undefined) {
      id = x.length;
      ids.set(key, id);
      const at = exact.get(key);
      x.push(at === undefined ? px : coords[at * 2]!);
      y.push(at === undefined ? py : coords[at * 2 + 1]!);
    }
    return id;
  };
  const odd = new Map<string, readonly [number, number, number]>();
  const toggle = (a: number, b: number, ring: number): void => {
    if (a === b) return;
    const key = a < b ? `${a},${b}` : `${b},${a}`;
    if (!odd.delete(key)) odd.set(key, [a, b, ring]);
  };
  const apart: number[] = [];
  ringEnds.forEach((end, ring) => {
    const from = ringEnds[ring - 1] ?? 0;
    if (meets[ring] === 0) {
      for (let i = from * 2; i < end * 2 - 2; i += 2)
        apart.push(coords[i]!, coords[i + 1]!, coords[i + 2]!, coords[i + 3]!);
      return;
    }
    let last = node(c[from * 2]!, c[from * 2 + 1]!);
    for (let i = from; i < end - 1; i++) {
      for (const [px, py] of alongEdge(c, i, cuts.get(i))) {
        const next = node(px, py);
        toggle(last, next, ring);
        last = next;
      }
    }
  });
  return { x, y, pairs: [...odd.values()], apart: Float64Array.from(apart) };
}

const keyOf = (px: number, py: number): string => `${px},${py}`;

/** Returns the first vertex at each grid point, of the rings with contacts. */
function originals(c: Float64Array, ringEnds: readonly number[], meets: Uint8Array): Map<string, number> {
  const first = new Map<string, number>();
  ringEnds.forEach((end, ring) => {
    for (let i = ringEnds[ring - 1] ?? 0; meets[ring] === 1 && i < end; i++) {
      const key = keyOf(c[i * 2]!, c[i * 2 + 1]!);
      if (!first.has(key)) first.set(key, i);
    }
  });
  return first;
}

type PlanePoint = readonly [number, number];

/** Cut positions of edges. */
interface Cuts {
  /** Points within edges, by the first vertex of each. */
  readonly cuts: ReadonlyMap<number, PlanePoint[]>;
  /** Per ring: 1 if one of its edges meets another one anywhere except in the vertex that neighbours share. */
  readonly meets: Uint8Array;
}

/** Finds the points at which each edge must be cut. Null: too many. */
function findCuts(c: Float64Array, ringEnds: readonly number[]): Cuts | null {
  const cuts = new Map<number, PlanePoint[]>();
  const ringOf = ringNumbers(c.length / 2, ringEnds);
  const meets = new Uint8Array(ringEnds.length);
  for (let i = 0; i + 1 < ringOf.length; i++)
    if (ringOf[i] === ringOf[i + 1] && isAt(c, i, c[i * 2 + 2]!, c[i * 2 + 3]!)) meets[ringOf[i]!] = 1;
  let cutsLeft = MAX_CUTS + 10 * (c.length / 2);
  const add = (edge: number, px: number, py: number): void => {
    cutsLeft--;
    if (isAt(c, edge, px, py) || isAt(c, edge + 1, px, py)) return;
    meets[ringOf[edge]!] = 1;
    append(cuts, edge, [px, py]);
  };
  const complete = forEachEdgePair(c, ringEnds, (i, j) => {
    let near = 0;
    for (const [edge, other] of [
      [i, j],
      [j, i],
    ] as const) {
      for (let v = other * 2; v <= other * 2 + 2; v += 2) {
        if (!nearEdge(c, edge, c[v]!, c[v + 1]!)) continue;
        near++;
        add(edge, c[v]!, c[v + 1]!);
      }
    }
    if (edgeContact(c, i, j) === CROSS) {
      const [px, py] = crossing(c, i, j);
      add(i, px, py);
      add(j, px, py);
      near = Infinity;
    }
    // Neighbours are close in the vertex that they share, counted once for each of them.
    if (near > (areNeighbours(ringOf, ringEnds, i, j) ? 2 : 0)) {
      meets[ringOf[i]!] = 1;
      meets[ringOf[j]!] = 1;
    }
    return cutsLeft < 0;
  });
  return complete && cutsLeft >= 0 ? { cuts, meets } : null;
}

const isAt = (c: Float64Array, vertex: number, x: number, y: number): boolean =>
  c[vertex * 2] === x && c[vertex * 2 + 1] === y;

/** Returns whether the edges from vertices i and j follow each other in their ring. */
function areNeighbours(ringOf: Uint32Array, ringEnds: readonly number[], i: number, j: number): boolean {
  const ring = ringOf[i]!;
  if (ring !== ringOf[j]) return false;
  const [low, high] = i < j ? [i, j] : [j, i];
  return high === low + 1 || (low === (ringEnds[ring - 1] ?? 0) && high === ringEnds[ring]! - 2);
}

/** Returns the crossing point of two edges, on the grid. */
function crossing(c: Float64Array, i: number, j: number): PlanePoint {
  const [ax, ay, cx, cy] = [c[i * 2]!, c[i * 2 + 1]!, c[j * 2]!, c[j * 2 + 1]!];
  const ux = c[i * 2 + 2]! - ax;
  const uy = c[i * 2 + 3]! - ay;
  const vx = c[j * 2 + 2]! - cx;
  const vy = c[j * 2 + 3]! - cy;
  const t = ((cx - ax) * vy - (cy - ay) * vx) / (ux * vy - uy * vx);
  return [snap(ax + t * ux), snap(ay + t * uy)];
}

/** Returns the points of an edge after its first vertex, in order, including its last vertex. */
function alongEdge(c: Float64Array, i: number, cuts: readonly PlanePoint[] | undefined): PlanePoint[] {
  const [ax, ay, bx, by] = [c[i * 2]!, c[i * 2 + 1]!, c[i * 2 + 2]!, c[i * 2 + 3]!];
  if (!cuts) return [[bx, by]];
  const along = ([px, py]: PlanePoint): number => (px - ax) * (bx - ax) + (py - ay) * (by - ay);
  const end = along([bx, by]);
  const inner = cuts.filter((p) => along(p) > 0 && along(p) < end);
  inner.sort((p, q) => along(p) - along(q) || p[0] - q[0] || p[1] - q[1]);
  return [...inner, [bx, by]];
}

/** Traces closed simple rings that together have exactly these edges; every node has an even number of edges. */
function traceRings(edges: NodedEdges): FoundRing[] {
  const { x, y, pairs } = edges;
  const around = edgesAround(edges);
  const insideLeft = insideSides(edges, around);
  const used = new Uint8Array(pairs.length);
  const rings: FoundRing[] = [];
  for (let start = 0; start < pairs.length; start++) {
    const path: number[] = [];
    for (let edge = start, n = pairs[start]![0]; !used[edge]; ) {
      used[edge] = 1;
      path.push(n);
      n = pairs[edge]![0] === n ? pairs[edge]![1] : pairs[edge]![0];
      // Continues along the other rim of the same inside wedge: insides that meet in a node are separated there.
      const spokes = around[n]!;
      const isLeft = (pairs[edge]![0] === n) === (insideLeft[edge] === 1);
      edge = spokes[(spokes.indexOf(edge) + (isLeft ? 1 : spokes.length - 1)) % spokes.length]!;
    }
    for (const loop of path.length > 0 ? simpleLoops(path) : []) {
      const coords = Float64Array.from([...loop, loop[0]!].flatMap((n) => [x[n]!, y[n]!]));
      rings.push({ ring: pairs[start]![2], coords });
    }
  }
  return rings;
}

/** Returns the edges of every node, counter-clockwise, starting just after south. */
function edgesAround({ x, y, pairs }: NodedEdges): number[][] {
  const around: number[][] = x.map(() => []);
  pairs.forEach(([a, b], edge) => {
    around[a]!.push(edge);
    around[b]!.push(edge);
  });
  around.forEach((edges, n) => {
    const angle = (edge: number): number => {
      const m = pairs[edge]![0] === n ? pairs[edge]![1] : pairs[edge]![0];
      return Math.atan2(y[m]! - y[n]!, x[m]! - x[n]!);
    };
    edges.sort((e, f) => angle(e) - angle(f) || e - f);
  });
  return around;
}

/**
 * Returns a function that tells whether the area just west of a node is inside: an odd number of edges is farther west at its
 * latitude. Edges are found by an index.
 */
function westOf({ x, y, pairs, apart }: NodedEdges): (node: number) => boolean {
  const count = pairs.length + apart.length / 4;
  const ends = new Float64Array(count * 4);
  for (const [i, [a, b]] of pairs.entries()) ends.set([x[a]!, y[a]!, x[b]!, y[b]!], i * 4);
  ends.set(apart, pairs.length * 4);
  const index = new Flatbush(count);
  let west = Infinity;
  for (let i = 0; i < ends.length; i += 4) {
    const [ax, ay, bx, by] = [ends[i]!, ends[i + 1]!, ends[i + 2]!, ends[i + 3]!];
    index.add(Math.min(ax, bx), Math.min(ay, by), Math.max(ax, bx), Math.max(ay, by));
    west = Math.min(west, ax, bx);
  }
  index.finish();
  return (node) => {
    const [px, py] = [x[node]!, y[node]!];
    let crossed = 0;
    for (const edge of index.search(west, py, px, py)) {
      if (edge < pairs.length && (pairs[edge]![0] === node || pairs[edge]![1] === node)) continue;
      const [ax, ay, bx, by] = [
        ends[edge * 4]!,
        ends[edge * 4 + 1]!,
        ends[edge * 4 + 2]!,
        ends[edge * 4 + 3]!,
      ];
      if (ay > py !== by > py && ax + ((py - ay) / (by - ay)) * (bx - ax) < px) crossed++;
    }
    return crossed % 2 === 1;
  };
}

/** Returns whether a node's connected component has a node with more than two edges, so that the position of the inside matters. */
function isBranched({ pairs }: NodedEdges, around: readonly number[][], start: number): boolean {
  const visited = new Set([start]);
  for (const n of visited) {
    if (around[n]!.length > 2) return true;
    for (const edge of around[n]!) {
      const [a, b] = pairs[edge]!;
      visited.add(a).add(b);
    }
  }
  return false;
}

/** Returns, for every edge, 1 if the inside is left of the direction from its first to its second node. */
function insideSides(edges: NodedEdges, around: readonly number[][]): Uint8Array {
  const { x, y, pairs } = edges;
  const UNKNOWN = 2;
  const leftState = new Uint8Array(pairs.length).fill(UNKNOWN);
  const visited = new Uint8Array(x.length);
  const westToEast = x.map((_, n) => n).sort((a, b) => x[a]! - x[b]! || y[a]! - y[b]!);
  let isInsideWestOf: ((node: number) => boolean) | null = null;
  const isInside = (node: number): boolean => {
    isInsideWestOf ??= westOf(edges);
    return isInsideWestOf(node);
  };
  for (const start of westToEast) {
    if (visited[start]) continue;
    // Only other components are west of the westmost node. If it is outside them, the wedge after the first edge is inside.
    const isFirstInside = !isBranched(edges, around, start) || !isInside(start);
    const stack: number[] = [start];
    while (stack.length > 0) {
      const n = stack.pop()!;
      if (visited[n]) continue;
      visited[n] = 1;
      const spokes = around[n]!;
      const knownSpoke = spokes.findIndex((edge) => leftState[edge] !== UNKNOWN);
      const knownLeft =
        knownSpoke < 0
          ? isFirstInside
          : (leftState[spokes[knownSpoke]!] === 1) === (pairs[spokes[knownSpoke]!]![0] === n);
      spokes.forEach((edge, k) => {
        // Wedges alternate between inside and outside.
        const isLeft = knownLeft === ((k - Math.max(knownSpoke, 0)) % 2 === 0);
        const [a, b] = pairs[edge]!;
        leftState[edge] = isLeft === (a === n) ? 1 : 0;
        stack.push(a === n ? b : a);
      });
    }
  }
  return leftState;
}

/** Cuts a closed walk at every node that it visits again. */
function simpleLoops(path: readonly number[]): number[][] {
  const loops: number[][] = [];
  const stack: number[] = [];
  const position = new Map<number, number>();
  for (const n of [...path, path[0]!]) {
    const earlier = position.get(n);
    if (earlier !== undefined) {
      const loop = stack.splice(earlier);
      for (const m of loop) position.delete(m);
      if (loop.length >= 3) loops.push(loop);
    }
    position.set(n, stack.length);
    stack.push(n);
  }
  return loops;
}
