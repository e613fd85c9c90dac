import { append } from '../../schema/group_by.ts';

/** Coordinates on a seam closer than this are one point, degrees (0.1 mm). */
const SAME_DEG = 1e-9;

/** A seam: its constant axis (0 x, 1 y), and the coordinate there. */
export interface Seam {
  axis: 0 | 1;
  at: number;
}

type SeamPath = number[];

/** An edge along a seam, from one position to another. */
interface SeamEdge {
  seam: number;
  from: number;
  to: number;
}

/** Returns the number of the seam that contains both ends of an edge; -1: none. */
function seamOf(seams: readonly Seam[], ring: Float64Array, i: number): number {
  for (let s = 0; s < seams.length; s++) {
    const { axis, at } = seams[s]!;
    if (ring[i + axis] === at && ring[i + 2 + axis] === at) return s;
  }
  return -1;
}

/** Merges numbers that are close together, keeping the lowest of each group; sorted. */
function placesOf(values: number[]): number[] {
  values.sort((a, b) => a - b);
  return values.filter((value, i) => i === 0 || value - values[i - 1]! > SAME_DEG);
}

/** Returns the position of a value: the last one not above it. */
function placeOf(places: readonly number[], value: number): number {
  let i = places.length - 1;
  while (i > 0 && places[i]! > value) i--;
  return places[i]!;
}

/** Yields the steps of an edge from position to position. */
function* steps(places: readonly number[], from: number, to: number): Iterable<[number, number]> {
  const up = from < to;
  const between = places.filter((place) => place >= Math.min(from, to) && place <= Math.max(from, to));
  if (!up) between.reverse();
  for (let i = 0; i + 1 < between.length; i++) yield [between[i]!, between[i + 1]!];
}

/** Divides rings into paths off the seams and edges along them; rings without edges on seams are returned unchanged. */
function divide(
  rings: readonly Float64Array[],
  seams: readonly Seam[],
): { apart: Float64Array[]; paths: SeamPath[]; edges: SeamEdge[] } {
  const apart: Float64Array[] = [];
  const paths: SeamPath[] = [];
  const edges: SeamEdge[] = [];
  for (const ring of rings) {
    const n = ring.length / 2 - 1;
    const on = Array.from({ length: n }, (_, i) => seamOf(seams, ring, i * 2));
    const first = on.findIndex((seam) => seam >= 0);
    if (first < 0) {
      apart.push(ring);
      continue;
    }
    let path: SeamPath = [];
    for (let k = 0; k < n; k++) {
      const i = (first + k) % n;
      const seam = on[i]!;
      if (seam < 0) {
        if (path.length === 0) path.push(ring[i * 2]!, ring[i * 2 + 1]!);
        path.push(ring[i * 2 + 2]!, ring[i * 2 + 3]!);
        continue;
      }
      if (path.length > 0) paths.push(path);
      path = [];
      const along = 1 - seams[seam]!.axis;
      edges.push({ seam, from: ring[i * 2 + along]!, to: ring[i * 2 + 2 + along]! });
    }
    if (path.length > 0) paths.push(path);
  }
  return { apart, paths, edges };
}

/** Returns the clockwise angle from one direction to another, in (0, 2π]. */
function clockwise(fromX: number, fromY: number, toX: number, toY: number): number {
  const angle = Math.atan2(fromY, fromX) - Math.atan2(toY, toX);
  return angle <= 1e-12 ? angle + 2 * Math.PI : angle;
}

const keyOf = (x: number, y: number): string => `${x} ${y}`;

/**
 * Links paths end to start into closed rings. If several start at one point, the one that keeps closest to the inside on the left
 * is used. Null: a path has no successor.
 */
function link(paths: readonly SeamPath[]): number[][] | null {
  const starts = new Map<string, number[]>();
  paths.forEach((path, i) => {
    const key = keyOf(path[0]!, path[1]!);
    append(starts, key, i);
  });
  const done = new Uint8Array(paths.length);
  const rings: number[][] = [];
  for (let first = 0; first < paths.length; first++) {
    if (done[first]) continue;
    const ring: number[] = [paths[first]![0]!, paths[first]![1]!];
    let i = first;
    for (;;) {
      const path = paths[i]!;
      done[i] = 1;
      for (let k = 2; k < path.length; k++) ring.push(path[k]!);
      const [backX, backY] = [path.at(-4)! - path.at(-2)!, path.at(-3)! - path.at(-1)!];
      const next = (starts.get(keyOf(path.at(-2)!, path.at(-1)!)) ?? [])
        .filter((each) => !done[each] || each === first)
        .map((each) => {
          const other = paths[each]!;
          return { each, turn: clockwise(backX, backY, other[2]! - other[0]!, other[3]! - other[1]!) };
        })
        .sort((a, b) => a.turn - b.turn)[0];
      if (next === undefined) return null;
      if (next.each === first) break;
      i = next.each;
    }
    rings.push(ring);
  }
  return rings;
}

/** Returns a closed ring without vertices on seams that are on the straight line between their neighbours. Null: nothing is left. */
function withoutSeamVertices(ring: readonly number[], seams: readonly Seam[]): Float64Array | null {
  const n = ring.length / 2 - 1;
  const out: number[] = [];
  for (let i = 0; i < n; i++) {
    const [x, y] = [ring[i * 2]!, ring[i * 2 + 1]!];
    if (seams.some(({ axis, at }) => (axis === 0 ? x : y) === at)) {
      const p = ((i + n - 1) % n) * 2;
      const q = ((i + 1) % n) * 2;
      const [dx, dy] = [ring[q]! - ring[p]!, ring[q + 1]! - ring[p + 1]!];
      const off = Math.abs(dx * (y - ring[p + 1]!) - dy * (x - ring[p]!));
      const ahead = (ring[q]! - x) * (x - ring[p]!) + (ring[q + 1]! - y) * (y - ring[p + 1]!);
      if (ahead >= 0 && off <= SAME_DEG * Math.hypot(dx, dy)) continue;
    }
    out.push(x, y);
  }
  return out.length < 6 ? null : Float64Array.from([...out, out[0]!, out[1]!]);
}

/**
 * Joins rings on both sides of straight seams, with the inside on their left. Removes edges that both sides have along a seam, and
 * the vertices added by cutting. The sides may differ by rounding (0.1 mm) along the seam. Null: they do not fit together.
 */
export function joinAtSeams(rings: readonly Float64Array[], seams: readonly Seam[]): Float64Array[] | null {
  const { apart, paths, edges } = divide(rings, seams);
  if (edges.length === 0) return apart;
  const places = seams.map(({ axis }, seam) => {
    const along = 1 - axis;
    // A seam ends at the next seam, so a corner is the same position on both.
    const corners = seams.flatMap((other) => (other.axis === along ? [other.at] : []));
    const ends = edges.flatMap((edge) => (edge.seam === seam ? [edge.from, edge.to] : []));
    return { all: placesOf([...ends, ...corners]), along };
  });
  const balance = new Map<string, { seam: number; from: number; to: number; n: number }>();
  for (const { seam, from, to } of edges) {
    const { all } = places[seam]!;
    for (const [a, b] of steps(all, placeOf(all, from), placeOf(all, to))) {
      const key = `${seam} ${Math.min(a, b)}`;
      const step = balance.get(key) ?? { seam, from: Math.min(a, b), to: Math.max(a, b), n: 0 };
      step.n += a < b ? 1 : -1;
      balance.set(key, step);
    }
  }
  const pointOn = (seam: number, along: number): [number, number] =>
    seams[seam]!.axis === 0 ? [seams[seam]!.at, along] : [along, seams[seam]!.at];
  const remaining: SeamPath[] = [];
  for (const { seam, from, to, n } of balance.values()) {
    if (Math.abs(n) > 1) return null;
    if (n === 1) remaining.push([...pointOn(seam, from), ...pointOn(seam, to)]);
    if (n === -1) remaining.push([...pointOn(seam, to), ...pointOn(seam, from)]);
  }
  for (const path of paths) {
    for (const end of [0, path.length - 2])
      seams.forEach(({ axis, at }, seam) => {
        if (path[end + axis] === at) {
          const { all, along } = places[seam]!;
          const endPlace = placeOf(all, path[end + along]!);
          if (Math.abs(endPlace - path[end + along]!) <= SAME_DEG) path[end + along] = endPlace;
        }
      });
  }
  const linked = link([...paths, ...remaining]);
  if (linked === null) return null;
  return [...apart, ...linked.flatMap((ring) => withoutSeamVertices(ring, seams) ?? [])];
}
