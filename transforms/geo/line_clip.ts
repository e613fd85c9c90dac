import type { Bbox } from '../../schema/grid.ts';

/**
 * Returns the runs of a line's segments that are not wholly beyond a limit; `axis` and `side` as in dropBeyond. No coordinate is
 * computed, so kept parts are unchanged to the last bit.
 */
export function keepSegments(line: Float64Array, axis: 0 | 1, side: 1 | -1, limit: number): Float64Array[] {
  const n = line.length / 2;
  const beyond = (i: number): boolean => (line[i * 2 + axis]! - limit) * side > 0;
  const runs: Float64Array[] = [];
  let from = -1;
  for (let i = 0; i + 1 < n; i++) {
    const isKept = !beyond(i) || !beyond(i + 1);
    if (isKept && from < 0) from = i;
    if (!isKept && from >= 0) {
      runs.push(line.subarray(from * 2, (i + 1) * 2));
      from = -1;
    }
  }
  if (from >= 0) runs.push(line.subarray(from * 2));
  return runs;
}

/** Returns the shares [t0, t1] of the segment from vertex i inside the box (Liang–Barsky). Null: none. */
function insideShares(line: Float64Array, i: number, box: Bbox): [number, number] | null {
  let t0 = 0;
  let t1 = 1;
  for (const axis of [0, 1] as const) {
    const a = line[i + axis]!;
    const step = line[i + 2 + axis]! - a;
    if (step === 0) {
      if (a < box[axis] || a > box[axis + 2]!) return null;
      continue;
    }
    const toLow = (box[axis] - a) / step;
    const toHigh = (box[axis + 2]! - a) / step;
    t0 = Math.max(t0, Math.min(toLow, toHigh));
    t1 = Math.min(t1, Math.max(toLow, toHigh));
  }
  return t0 < t1 ? [t0, t1] : null;
}

/** Returns the parts of a line inside a box, in its direction; empty if it has no length there. Vertices inside are unchanged. */
export function clipLineToBox(line: Float64Array, box: Bbox): Float64Array[] {
  const parts: Float64Array[] = [];
  let part: number[] = [];
  const flush = (): void => {
    if (part.length >= 4) parts.push(Float64Array.from(part));
    part = [];
  };
  const at = (i: number, t: number): [number, number] => {
    if (t <= 0) return [line[i]!, line[i + 1]!];
    if (t >= 1) return [line[i + 2]!, line[i + 3]!];
    return [line[i]! + t * (line[i + 2]! - line[i]!), line[i + 1]! + t * (line[i + 3]! - line[i + 1]!)];
  };
  for (let i = 0; i + 3 < line.length; i += 2) {
    const shares = insideShares(line, i, box);
    if (shares === null) {
      // A repeated vertex has no length and does not end a part.
      if (line[i] !== line[i + 2] || line[i + 1] !== line[i + 3]) flush();
      continue;
    }
    const [t0, t1] = shares;
    if (t0 > 0) flush();
    if (part.length === 0) part.push(...at(i, t0));
    part.push(...at(i, t1));
    if (t1 < 1) flush();
  }
  flush();
  return parts;
}
