import type { Bbox } from '../../schema/grid.ts';

/**
 * Returns the ring without vertices that only matter beyond a limit: of each run of vertices beyond it the first and the last stay.
 * `axis` 0 is x, 1 is y; `side` 1 keeps the part below the limit, -1 the part above it.
 * No coordinate is computed, so inside the limit the ring is unchanged to the last bit. Null: nothing of it is inside.
 */
export function dropBeyond(
  ring: Float64Array,
  axis: 0 | 1,
  side: 1 | -1,
  limit: number,
): Float64Array | null {
  const n = ring.length / 2 - 1;
  const beyond = (i: number): boolean => (ring[i * 2 + axis]! - limit) * side > 0;
  let start = 0;
  while (start < n && beyond(start)) start++;
  if (start === n) return null;
  const out = new Float64Array(ring.length);
  let at = 0;
  const keep = (i: number): void => {
    out[at++] = ring[i * 2]!;
    out[at++] = ring[i * 2 + 1]!;
  };
  // Starts and ends at a vertex inside: no run wraps around the end.
  let previousBeyond = false;
  for (let k = 0; k <= n; k++) {
    const i = (start + k) % n;
    const isBeyond = beyond(i);
    if (!isBeyond || !previousBeyond || !beyond((i + 1) % n)) keep(i);
    previousBeyond = isBeyond;
  }
  return at === out.length ? out : out.slice(0, at);
}

/** Clips to the half plane inside one side of a box (Sutherland–Hodgman); closed ring in, closed or empty list out. */
function clipHalfPlane(points: readonly number[], axis: 0 | 1, side: 1 | -1, limit: number): number[] {
  const out: number[] = [];
  const inside = (v: number): boolean => (v - limit) * side <= 0;
  const across = 1 - axis;
  for (let i = 0; i + 3 < points.length; i += 2) {
    const a = points[i + axis]!;
    const b = points[i + 2 + axis]!;
    if (inside(a)) out.push(points[i]!, points[i + 1]!);
    if (inside(a) === inside(b) || a === limit || b === limit) continue;
    // Computed from the lower end, so that both neighbours of the edge get the same point.
    const [low, high] = a < b ? [i, i + 2] : [i + 2, i];
    const lowAlong = points[low + axis]!;
    const share = (limit - lowAlong) / (points[high + axis]! - lowAlong);
    const lowAcross = points[low + across]!;
    const cross = lowAcross + share * (points[high + across]! - lowAcross);
    if (axis === 0) out.push(limit, cross);
    else out.push(cross, limit);
  }
  if (out.length > 0) out.push(out[0]!, out[1]!);
  return out;
}

/** Returns whether the three vertices are on one side line of the box, so that the middle one does not affect its inside. */
function onOneSide(p: readonly number[], a: number, b: number, c: number, box: Bbox): boolean {
  for (const axis of [0, 1] as const) {
    const v = p[b + axis]!;
    if ((v === box[axis] || v === box[axis + 2]) && p[a + axis] === v && p[c + axis] === v) return true;
  }
  return p[a] === p[b] && p[a + 1] === p[b + 1];
}

/** Removes the parts of a closed ring that run back and forth on the rim of the box; empty if nothing else is left. */
function withoutRimFolds(points: number[], box: Bbox): number[] {
  let ring = points.slice(0, -2);
  // Ends after two rounds without a change. Each round rotates the list by two vertices, so that its seam is checked too.
  for (let quiet = 0; quiet < 2 && ring.length > 0; ) {
    const before = ring.length;
    const out: number[] = [];
    for (let i = 0; i < ring.length; i += 2) {
      out.push(ring[i]!, ring[i + 1]!);
      while (out.length >= 6 && onOneSide(out, out.length - 6, out.length - 4, out.length - 2, box)) {
        out.splice(out.length - 4, 2);
      }
    }
    ring = out.length > 4 ? out.slice(4).concat(out.slice(0, 4)) : [];
    quiet = ring.length === before ? quiet + 1 : 0;
  }
  return ring.length < 6 ? [] : ring.concat(ring.slice(0, 2));
}

/** Clips a closed ring to a box. Cut edges are exactly on the rim. Null: no inside there. */
export function clipRingToBox(ring: Float64Array, box: Bbox): Float64Array | null {
  let points: number[] = Array.from(ring);
  for (const axis of [0, 1] as const) {
    points = clipHalfPlane(points, axis, -1, box[axis]);
    points = clipHalfPlane(points, axis, 1, box[axis + 2]!);
  }
  if (points.length > 0) points = withoutRimFolds(points, box);
  return points.length === 0 ? null : Float64Array.from(points);
}

/** Returns whether the ring is the rim of the box itself. */
export function isBox(ring: Float64Array, box: Bbox): boolean {
  if (ring.length !== 10) return false;
  for (let i = 0; i < 8; i += 2) {
    if (ring[i] !== box[0] && ring[i] !== box[2]) return false;
    if (ring[i + 1] !== box[1] && ring[i + 1] !== box[3]) return false;
    if ((ring[i] === ring[i + 2]) === (ring[i + 1] === ring[i + 3])) return false;
  }
  return true;
}
