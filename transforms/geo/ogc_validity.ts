// @ts-expect-error: the package names a types file that it does not contain
import { orient2d } from 'robust-predicates';
import { type MultiPolygon, ringsOf } from './geometry.ts';
import { forEachEdgePair } from './ring_contacts.ts';
import { isArea, nestedPolygons, nestRings } from './ring_nesting.ts';
import { splitRings } from './ring_split.ts';

/** Reason why a multipolygon is invalid under OGC Simple Features, and a point nearby. */
export interface OgcFault {
  fault:
    | 'too few points'
    | 'a ring meets itself'
    | 'rings cross or share an edge'
    | 'a ring lies in the wrong one'
    | 'the inside is in several pieces'
    | 'too tangled to be looked at';
  x: number;
  y: number;
}

type Coords = Float64Array;

/** Twice the area of the triangle a, b, c, with its exact sign. */
const area2: (ax: number, ay: number, bx: number, by: number, cx: number, cy: number) => number = orient2d;

/** Returns the side of vertex r relative to the line through vertices p and p + 1; the sign is exact. */
const side = (c: Coords, p: number, r: number): number =>
  Math.sign(area2(c[p * 2]!, c[p * 2 + 1]!, c[p * 2 + 2]!, c[p * 2 + 3]!, c[r * 2]!, c[r * 2 + 1]!));

const equal = (c: Coords, p: number, q: number): boolean =>
  c[p * 2] === c[q * 2] && c[p * 2 + 1] === c[q * 2 + 1];

/** Returns whether vertex r is in the box of the edge from vertex p; if `side` is also 0, it is on the edge. */
function inEdgeBox(c: Coords, p: number, r: number): boolean {
  const [ax, ay, bx, by] = [c[p * 2]!, c[p * 2 + 1]!, c[p * 2 + 2]!, c[p * 2 + 3]!];
  const [x, y] = [c[r * 2]!, c[r * 2 + 1]!];
  return x >= Math.min(ax, bx) && x <= Math.max(ax, bx) && y >= Math.min(ay, by) && y <= Math.max(ay, by);
}

/** Returns how two edges meet: not at all, in a vertex of one of them (its number), or in more than that. */
function meeting(c: Coords, i: number, j: number): 'apart' | 'across' | number {
  const [a, b] = [side(c, i, j), side(c, i, j + 1)];
  const [d, e] = [side(c, j, i), side(c, j, i + 1)];
  if (a === 0 && b === 0) {
    const on = [j, j + 1]
      .filter((v) => inEdgeBox(c, i, v))
      .concat([i, i + 1].filter((v) => inEdgeBox(c, j, v)));
    if (on.length === 0) return 'apart';
    return on.every((v) => equal(c, v, on[0]!)) ? on[0]! : 'across';
  }
  if (a === 0 && inEdgeBox(c, i, j)) return j;
  if (b === 0 && inEdgeBox(c, i, j + 1)) return j + 1;
  if (d === 0 && inEdgeBox(c, j, i)) return i;
  if (e === 0 && inEdgeBox(c, j, i + 1)) return i + 1;
  return a * b < 0 && d * e < 0 ? 'across' : 'apart';
}

/**
 * Returns the ring vertices before and after the point `met` on the edge from vertex `edge`. The ring has the vertices `from` to
 * `end`, exclusive.
 */
function around(c: Coords, from: number, end: number, edge: number, met: number): readonly [number, number] {
  if (equal(c, edge, met)) return [edge === from ? end - 2 : edge - 1, edge + 1];
  if (equal(c, edge + 1, met)) return [edge, edge + 1 === end - 1 ? from + 1 : edge + 2];
  return [edge, edge + 1];
}

/** Returns whether the direction from `q` to `p` is between the directions from `q` to `a` and to `b`, in one sense of rotation. */
function isBetween(c: Coords, q: number, a: number, b: number, p: number): boolean {
  const turn = (u: number, v: number): number =>
    area2(c[q * 2]!, c[q * 2 + 1]!, c[u * 2]!, c[u * 2 + 1]!, c[v * 2]!, c[v * 2 + 1]!);
  return turn(a, b) > 0 ? turn(a, p) > 0 && turn(p, b) > 0 : !(turn(b, p) > 0 && turn(p, a) > 0);
}

/** Graph of rings and their touching points, per polygon: a cycle means that the inside is divided. */
class TouchGraph {
  readonly #parent = new Map<string, string>();
  readonly #edges = new Set<string>();

  #root(node: string): string {
    let at = node;
    for (let up = this.#parent.get(at); up !== undefined; up = this.#parent.get(at)) at = up;
    return at;
  }

  /** Returns false if the ring is already connected to the point through others. */
  add(ring: number, point: string): boolean {
    const edge = `${ring} ${point}`;
    if (this.#edges.has(edge)) return true;
    this.#edges.add(edge);
    const [a, b] = [this.#root(`ring ${ring}`), this.#root(point)];
    if (a === b) return false;
    this.#parent.set(a, b);
    return true;
  }
}

/** Returns the first ring of every polygon, the polygon of every ring, and the ring of every vertex. */
function owners({ ringEnds, polygonEnds, coords }: MultiPolygon): {
  polygonOf: Uint32Array;
  ringOf: Uint32Array;
} {
  const polygonOf = new Uint32Array(ringEnds.length);
  let ring = 0;
  for (const [polygon, end] of polygonEnds.entries()) for (; ring < end; ring++) polygonOf[ring] = polygon;
  const ringOf = new Uint32Array(coords.length / 2);
  let from = 0;
  for (const [r, end] of ringEnds.entries()) {
    ringOf.fill(r, from, end);
    from = end;
  }
  return { polygonOf, ringOf };
}

/** Returns whether the rings nest as their polygons state. */
function isNested(g: MultiPolygon, rings: readonly Float64Array[]): boolean {
  const { nests, duplicate } = nestRings(rings);
  if (duplicate || nests.length !== g.polygonEnds.length) return false;
  const holesOf = new Map(nests.map(({ shell, holes }) => [shell, holes]));
  let from = 0;
  for (const end of g.polygonEnds) {
    const holes = holesOf.get(from);
    if (holes === undefined || holes.length !== end - from - 1) return false;
    if (!holes.every((hole) => hole > from && hole < end)) return false;
    from = end;
  }
  return true;
}

/** Returns why a multipolygon is invalid under the OGC rules. Null: valid. Signs are exact, as in GEOS and JTS. */
export function ogcFault(g: MultiPolygon): OgcFault | null {
  const { coords: c, ringEnds } = g;
  let from = 0;
  for (const end of ringEnds) {
    if (end - from < 4 || !equal(c, from, end - 1))
      return { fault: 'too few points', x: c[from * 2]!, y: c[from * 2 + 1]! };
    from = end;
  }
  const { polygonOf, ringOf } = owners(g);
  const startOf = (ring: number): number => (ring === 0 ? 0 : ringEnds[ring - 1]!);
  const touches = new TouchGraph();
  let firstFault: OgcFault | null = null;
  const at = (fault: OgcFault['fault'], v: number): true => {
    firstFault = { fault, x: c[v * 2]!, y: c[v * 2 + 1]! };
    return true;
  };
  const complete = forEachEdgePair(c, ringEnds, (one, other) => {
    const [i, j] = one < other ? [one, other] : [other, one];
    const [r, s] = [ringOf[i]!, ringOf[j]!];
    if (r === s) {
      const isNext = j === i + 1;
      const isAround = i === startOf(r) && j === ringEnds[r]! - 2;
      const met = meeting(c, i, j);
      if (met === 'apart' || (met !== 'across' && (isNext || isAround))) return false;
      return at('a ring meets itself', met === 'across' ? i : met);
    }
    const met = meeting(c, i, j);
    if (met === 'apart') return false;
    if (met === 'across') return at('rings cross or share an edge', i);
    // Rings that meet in a vertex cross there if one continues on both sides of the other.
    const [a, b] = around(c, startOf(r), ringEnds[r]!, i, met);
    const [p, q] = around(c, startOf(s), ringEnds[s]!, j, met);
    if (isBetween(c, met, a, b, p) !== isBetween(c, met, a, b, q))
      return at('rings cross or share an edge', met);
    if (polygonOf[r] !== polygonOf[s]) return false;
    const point = `${c[met * 2]} ${c[met * 2 + 1]}`;
    const isTree = touches.add(r, point) && touches.add(s, point);
    // A shared edge, found later, is the more precise fault.
    if (!isTree) at('the inside is in several pieces', met);
    return false;
  });
  if (firstFault !== null) return firstFault;
  if (!complete) return { fault: 'too tangled to be looked at', x: c[0]!, y: c[1]! };
  if (ringEnds.length > 1 && !isNested(g, ringsOf(c, ringEnds)))
    return { fault: 'a ring lies in the wrong one', x: c[0]!, y: c[1]! };
  return null;
}

/**
 * Returns a multipolygon with the same inside that is valid under the OGC rules. Rings that share an edge are merged; a divided
 * inside becomes several polygons. Valid input is returned unchanged, to the last bit. Null: nothing is left.
 */
export function madeValid(g: MultiPolygon): MultiPolygon | null {
  if (ogcFault(g) === null) return g;
  const split = splitRings(g.coords, g.ringEnds);
  if (split === null) return g;
  const rings = split.filter(isArea);
  return rings.length === 0 ? null : nestedPolygons(rings, nestRings(rings).nests);
}
