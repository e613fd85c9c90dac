/** Depth, in degrees (0.1 mm), below which a crossing counts as a touch: rounding of published coordinates can cause it. */
export const TOUCH_DEG = 1e-9;

/** Edges per leaf of the tree. */
const LEAF = 8;

/**
 * Maximum pairs of leaves to compare, at 1.3 µs each: linear in the number of edges. Published parcels, zones, overlays and regions
 * need at most 3.4 pairs per edge.
 */
const maxLeafPairs = (edges: number): number => 500_000 + 8 * edges;

/** Maximum vertices for which comparing all pairs of edges is faster than a tree. */
const SMALL_RING = 24;

/** Called with the first vertices of two edges whose boxes meet; returns true to stop. */
export type OnPair = (i: number, j: number) => boolean;

/**
 * Visits pairs of edges whose boxes, widened by TOUCH_DEG, meet. Edges run from vertex i to i + 1 of closed rings.
 * The tree halves the vertex order, in which neighbours are close together, so it takes n log n for ordinary rings. Returns false
 * if it gives up because almost every edge meets almost every other.
 */
export function forEachEdgePair(coords: Float64Array, ringEnds: readonly number[], onPair: OnPair): boolean {
  const edges = edgeStarts(coords, ringEnds);
  const leaves = Math.ceil(edges.length / LEAF);
  let size = 1;
  while (size < leaves) size *= 2;
  const boxes = treeBoxes(coords, edges, size);
  const stack: number[] = [1, 1];
  for (let budget = maxLeafPairs(edges.length); stack.length > 0; ) {
    const b = stack.pop()!;
    const a = stack.pop()!;
    if (!boxesMeet(boxes, a * 4, b * 4)) continue;
    if (a >= size) {
      if (--budget < 0) return false;
      if (leafPairs(coords, edges, a - size, b - size, onPair)) return true;
    } else {
      stack.push(2 * a, 2 * b, 2 * a, 2 * b + 1, 2 * a + 1, 2 * b + 1);
      if (a !== b) stack.push(2 * a + 1, 2 * b);
    }
  }
  return true;
}

/** Returns whether two boxes of the tree, widened by TOUCH_DEG, meet. */
function boxesMeet(boxes: Float64Array, a: number, b: number): boolean {
  return (
    boxes[a]! <= boxes[b + 2]! + TOUCH_DEG &&
    boxes[b]! <= boxes[a + 2]! + TOUCH_DEG &&
    boxes[a + 1]! <= boxes[b + 3]! + TOUCH_DEG &&
    boxes[b + 1]! <= boxes[a + 3]! + TOUCH_DEG
  );
}

/** Returns the first vertices of all edges: every vertex except the closing one of each ring. */
function edgeStarts(coords: Float64Array, ringEnds: readonly number[]): Uint32Array {
  const edges = new Uint32Array(coords.length / 2 - ringEnds.length);
  let n = 0;
  let from = 0;
  for (const end of ringEnds) {
    for (let i = from; i < end - 1; i++) edges[n++] = i;
    from = end;
  }
  return edges;
}

/** Returns the boxes of a complete binary tree over runs of LEAF edges; node 1 is the root, leaves start at `size`. */
function treeBoxes(coords: Float64Array, edges: Uint32Array, size: number): Float64Array {
  const boxes = new Float64Array(size * 8).fill(Infinity);
  for (let k = 2; k < boxes.length; k += 4) boxes[k] = boxes[k + 1] = -Infinity;
  for (let e = 0; e < edges.length; e++) {
    const i = edges[e]! * 2;
    const k = (size + Math.floor(e / LEAF)) * 4;
    for (let v = i; v <= i + 2; v += 2) {
      const x = coords[v]!;
      const y = coords[v + 1]!;
      if (x < boxes[k]!) boxes[k] = x;
      if (y < boxes[k + 1]!) boxes[k + 1] = y;
      if (x > boxes[k + 2]!) boxes[k + 2] = x;
      if (y > boxes[k + 3]!) boxes[k + 3] = y;
    }
  }
  for (let k = size * 4 - 4; k > 0; k -= 4) {
    for (let side = 0; side < 4; side++) {
      const p = boxes[k * 2 + side]!;
      const q = boxes[k * 2 + 4 + side]!;
      boxes[k + side] = side < 2 ? Math.min(p, q) : Math.max(p, q);
    }
  }
  return boxes;
}

/** Returns whether the boxes of the edges from vertices i and j, widened by TOUCH_DEG, meet. */
function edgeBoxesMeet(c: Float64Array, i: number, j: number): boolean {
  const ax = c[i * 2]!;
  const bx = c[i * 2 + 2]!;
  const cx = c[j * 2]!;
  const dx = c[j * 2 + 2]!;
  if (Math.max(ax, bx) + TOUCH_DEG < Math.min(cx, dx)) return false;
  if (Math.max(cx, dx) + TOUCH_DEG < Math.min(ax, bx)) return false;
  const ay = c[i * 2 + 1]!;
  const by = c[i * 2 + 3]!;
  const cy = c[j * 2 + 1]!;
  const dy = c[j * 2 + 3]!;
  if (Math.max(ay, by) + TOUCH_DEG < Math.min(cy, dy)) return false;
  return Math.max(cy, dy) + TOUCH_DEG >= Math.min(ay, by);
}

function leafPairs(coords: Float64Array, edges: Uint32Array, a: number, b: number, onPair: OnPair): boolean {
  const endA = Math.min((a + 1) * LEAF, edges.length);
  const endB = Math.min((b + 1) * LEAF, edges.length);
  for (let e = a * LEAF; e < endA; e++) {
    for (let f = a === b ? e + 1 : b * LEAF; f < endB; f++) {
      const i = edges[e]!;
      const j = edges[f]!;
      if (edgeBoxesMeet(coords, i, j) && onPair(i, j)) return true;
    }
  }
  return false;
}

/** Returns twice the signed area of the triangle p, q, r, computed relative to p: positive if r is left of p → q. */
function turn(c: Float64Array, p: number, q: number, r: number): number {
  const x = c[p * 2]!;
  const y = c[p * 2 + 1]!;
  return (c[q * 2]! - x) * (c[r * 2 + 1]! - y) - (c[q * 2 + 1]! - y) * (c[r * 2]! - x);
}

/** Returns whether the point (x, y) is within TOUCH_DEG of the edge from vertex p. */
export function nearEdge(c: Float64Array, p: number, x: number, y: number): boolean {
  const ux = c[p * 2 + 2]! - c[p * 2]!;
  const uy = c[p * 2 + 3]! - c[p * 2 + 1]!;
  const vx = x - c[p * 2]!;
  const vy = y - c[p * 2 + 1]!;
  const uu = ux * ux + uy * uy;
  const t = uu === 0 ? 0 : Math.max(0, Math.min(1, (vx * ux + vy * uy) / uu));
  const ex = vx - t * ux;
  const ey = vy - t * uy;
  return ex * ex + ey * ey <= TOUCH_DEG * TOUCH_DEG;
}

/** Returns whether vertex r is within TOUCH_DEG of the edge from vertex p. */
const vertexNear = (c: Float64Array, p: number, r: number): boolean =>
  nearEdge(c, p, c[r * 2]!, c[r * 2 + 1]!);

/** How edges meet: not at all; within TOUCH_DEG without crossing, in two rings or in one ring; crossing. Higher is worse. */
export type ContactSeverity = 0 | 1 | 2 | 3;
export const APART = 0;
export const RINGS_TOUCH = 1;
export const SELF_TOUCH = 2;
export const CROSS = 3;

/** Returns the contact of the edges from vertices i and j of one ring. Edges that share an end vertex touch. */
export function edgeContact(c: Float64Array, i: number, j: number): 0 | 2 | 3 {
  const a = turn(c, i, i + 1, j);
  const b = turn(c, i, i + 1, j + 1);
  // Both ends of the second edge are on one side of the first, and clear of it.
  const slack = TOUCH_DEG * (Math.abs(c[i * 2 + 2]! - c[i * 2]!) + Math.abs(c[i * 2 + 3]! - c[i * 2 + 1]!));
  if ((a > slack && b > slack) || (a < -slack && b < -slack)) return APART;
  if (vertexNear(c, i, j) || vertexNear(c, i, j + 1) || vertexNear(c, j, i) || vertexNear(c, j, i + 1)) {
    return SELF_TOUCH;
  }
  if (a > 0 === b > 0) return APART;
  return turn(c, j, j + 1, i) > 0 === turn(c, j, j + 1, i + 1) > 0 ? APART : CROSS;
}

/** Returns whether the edge from vertex j, which follows the one from vertex i, runs back over it. */
function isSpike(c: Float64Array, i: number, j: number): boolean {
  const ux = c[i * 2 + 2]! - c[i * 2]!;
  const uy = c[i * 2 + 3]! - c[i * 2 + 1]!;
  const vx = c[j * 2 + 2]! - c[j * 2]!;
  const vy = c[j * 2 + 3]! - c[j * 2 + 1]!;
  if (ux * vx + uy * vy >= 0) return false;
  return nearEdge(c, i, c[j * 2 + 2]!, c[j * 2 + 3]!) || nearEdge(c, j, c[i * 2]!, c[i * 2 + 1]!);
}

/**
 * Returns the worst contact between the edges of closed rings. Consecutive edges meet in their common vertex; that only counts if
 * one runs back over the other. Null: too tangled to check.
 */
export function worstContact(coords: Float64Array, ringEnds: readonly number[]): ContactSeverity | null {
  if (ringEnds.length === 1 && coords.length <= 2 * SMALL_RING) return smallRingContact(coords);
  let worst: ContactSeverity = APART;
  const ringOf = ringEnds.length > 1 ? ringNumbers(coords.length / 2, ringEnds) : null;
  const complete = forEachEdgePair(coords, ringEnds, (i, j) => {
    const low = Math.min(i, j);
    const high = Math.max(i, j);
    const ring = ringOf ? ringOf[low]! : 0;
    const sameRing = ringOf === null || ringOf[high] === ring;
    let contact: ContactSeverity;
    if (sameRing && high === low + 1) contact = isSpike(coords, low, high) ? SELF_TOUCH : APART;
    else if (sameRing && high === ringEnds[ring]! - 2 && low === (ring === 0 ? 0 : ringEnds[ring - 1]!)) {
      contact = isSpike(coords, high, low) ? SELF_TOUCH : APART;
    } else {
      contact = edgeContact(coords, i, j);
      if (contact === SELF_TOUCH && !sameRing) contact = RINGS_TOUCH;
    }
    if (contact > worst) worst = contact;
    return worst === CROSS;
  });
  return complete ? worst : null;
}

/** Returns the ring of every vertex. */
export function ringNumbers(vertices: number, ringEnds: readonly number[]): Uint32Array {
  const ringOf = new Uint32Array(vertices);
  for (let r = 1; r < ringEnds.length; r++) ringOf.fill(r, ringEnds[r - 1]!, ringEnds[r]!);
  return ringOf;
}

/** Returns `worstContact` of one ring by comparing all pairs. */
function smallRingContact(c: Float64Array): ContactSeverity {
  const last = c.length / 2 - 2;
  let worst: ContactSeverity = isSpike(c, last, 0) ? SELF_TOUCH : APART;
  for (let i = 0; i < last; i++) {
    if (isSpike(c, i, i + 1)) worst = SELF_TOUCH;
    for (let j = i + 2; j <= last; j++) {
      if ((i === 0 && j === last) || !edgeBoxesMeet(c, i, j)) continue;
      const contact = edgeContact(c, i, j);
      if (contact === CROSS) return CROSS;
      if (contact > worst) worst = contact;
    }
  }
  return worst;
}
