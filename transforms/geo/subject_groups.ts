/** Subjects ordered by the square of some grid that they lie in, so that those in one square stand together. */
export interface SubjectGroups {
  /** Numbers of the subjects. */
  readonly order: Int32Array;
  /** Group g holds order[starts[g]] up to order[starts[g + 1]], exclusive; there is one more start than groups. */
  readonly starts: Int32Array;
}

/** The items in ascending order of their values; equal ones keep their order. */
function sortedBy(items: Int32Array, values: Int32Array): Int32Array {
  let low = Infinity;
  let high = -Infinity;
  for (const item of items) {
    low = Math.min(low, values[item]!);
    high = Math.max(high, values[item]!);
  }
  if (items.length === 0 || low === high) return items;
  const next = new Int32Array(high - low + 2);
  for (const item of items) next[values[item]! - low + 1]!++;
  for (let k = 1; k < next.length; k++) next[k]! += next[k - 1]!;
  const out = new Int32Array(items.length);
  for (const item of items) out[next[values[item]! - low]!++] = item;
  return out;
}

/** Groups the given subjects by column and row; those with `alone` set get a group of their own. */
export function groupSubjects(
  subjects: Int32Array,
  cols: Int32Array,
  rows: Int32Array,
  alone: Uint8Array | null,
): SubjectGroups {
  const order = sortedBy(sortedBy(subjects, cols), rows);
  const starts: number[] = [];
  for (let k = 0; k < order.length; k++) {
    const own = order[k]!;
    const before = order[k - 1]!;
    const isFirst = k === 0 || cols[own] !== cols[before] || rows[own] !== rows[before];
    if (isFirst || alone?.[own] === 1 || alone?.[before] === 1) starts.push(k);
  }
  starts.push(order.length);
  return { order, starts: Int32Array.from(starts) };
}
