import type { Frame } from './frame.ts';
import type { Shape } from './shape.ts';

/** How two parcels of the plane meet. */
export interface Meeting {
  readonly a: number;
  readonly b: number;
  /** True metres of boundary in common, gaps and overlaps of a few centimetres included. */
  readonly shared_m: number;
  /** They come together in a point or less than half a metre of boundary. */
  readonly corner: boolean;
  /** The shared length is so near to CORNER_M that the tolerance of a method decides. */
  readonly borderline: boolean;
}

/** Two boundaries this near are the same one: misfits are 5 cm at most, 7 cm between corners. */
const SAME_M = 0.08;
/** Less shared boundary than this is a corner. */
const CORNER_M = 0.5;
const BORDERLINE_M = [0.15, 1] as const;

interface Segments {
  readonly flat: Float64Array;
  readonly box: readonly [number, number, number, number];
}

/**
 * All pairs of shapes that meet, found by comparing every edge with every edge (the oracle: no index, no shortcut but
 * bounding boxes). Pairs are ordered by `a`, then `b`, with `a` < `b`.
 */
export function meetings(frame: Frame, shapes: readonly Shape[]): Meeting[] {
  const all = shapes.map(segmentsOf);
  const found: Meeting[] = [];
  for (let a = 0; a < all.length; a++) {
    for (let b = a + 1; b < all.length; b++) {
      if (!boxesMeet(all[a]!, all[b]!)) continue;
      const { shared, touch } = compare(frame, all[a]!.flat, all[b]!.flat);
      if (touch)
        found.push({
          a,
          b,
          shared_m: shared,
          corner: shared < CORNER_M,
          borderline: shared > BORDERLINE_M[0] && shared < BORDERLINE_M[1],
        });
    }
  }
  return found;
}

function segmentsOf({ rings }: Shape): Segments {
  const flat: number[] = [];
  const box: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const ring of rings) {
    for (let i = 0; i < ring.length; i += 2) {
      const j = (i + 2) % ring.length;
      flat.push(ring[i]!, ring[i + 1]!, ring[j]!, ring[j + 1]!);
      box[0] = Math.min(box[0], ring[i]!);
      box[1] = Math.min(box[1], ring[i + 1]!);
      box[2] = Math.max(box[2], ring[i]!);
      box[3] = Math.max(box[3], ring[i + 1]!);
    }
  }
  return { flat: Float64Array.from(flat), box };
}

const boxesMeet = ({ box: p }: Segments, { box: q }: Segments): boolean =>
  p[0] <= q[2] + SAME_M && q[0] <= p[2] + SAME_M && p[1] <= q[3] + SAME_M && q[1] <= p[3] + SAME_M;

function compare(frame: Frame, p: Float64Array, q: Float64Array): { shared: number; touch: boolean } {
  let shared = 0;
  let touch = false;
  for (let i = 0; i < p.length; i += 4) {
    const [ax, ay, bx, by] = [p[i]!, p[i + 1]!, p[i + 2]!, p[i + 3]!];
    const length = Math.hypot(bx - ax, by - ay);
    if (length === 0) continue;
    const [ux, uy] = [(bx - ax) / length, (by - ay) / length];
    for (let j = 0; j < q.length; j += 4) {
      const [cx, cy, dx, dy] = [q[j]! - ax, q[j + 1]! - ay, q[j + 2]! - ax, q[j + 3]! - ay];
      const [offC, offD] = [cy * ux - cx * uy, dy * ux - dx * uy];
      if (Math.min(offC, offD) > SAME_M || Math.max(offC, offD) < -SAME_M) continue;
      const [alongC, alongD] = [cx * ux + cy * uy, dx * ux + dy * uy];
      const from = Math.max(0, Math.min(alongC, alongD));
      const to = Math.min(length, Math.max(alongC, alongD));
      if (to < from - SAME_M) continue;
      if (Math.abs(offC) <= SAME_M && Math.abs(offD) <= SAME_M) {
        touch = true;
        // a misfit of a few centimetres may turn an end edge parallel: an overlap that short is no boundary
        if (to - from > 2 * SAME_M)
          shared += frame.length(ax + ux * from, ay + uy * from, ax + ux * to, ay + uy * to);
      } else if (crossesNear(from, to, length, alongC, offC, alongD, offD)) touch = true;
    }
  }
  return { shared, touch };
}

/** Whether segment C→D, in coordinates along and across an edge of `length`, comes within the tolerance of that edge. */
function crossesNear(
  from: number,
  to: number,
  length: number,
  alongC: number,
  offC: number,
  alongD: number,
  offD: number,
): boolean {
  if (offC * offD < 0) {
    const crossing = alongC + ((alongD - alongC) * offC) / (offC - offD);
    if (crossing >= -SAME_M && crossing <= length + SAME_M) return true;
  }
  const at = (along: number): number =>
    alongC === alongD
      ? Math.min(Math.abs(offC), Math.abs(offD))
      : offC + ((offD - offC) * (along - alongC)) / (alongD - alongC);
  return Math.abs(at(from)) <= SAME_M || Math.abs(at(to)) <= SAME_M;
}
