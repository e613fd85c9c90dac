/** Subjects sorted by grid square, so that subjects of one square are contiguous. */
export interface SubjectGroups {
  /** Subject numbers. */
  readonly order: Int32Array;
  /** Group g is order[starts[g]] to order[starts[g + 1]], exclusive; there is one more start than groups. */
  readonly starts: Int32Array;
}

/** Returns the items in ascending order of their values; ties keep their order. */
function sortedBy(items: Int32Array, values: Int32Array): Int32Array {
  let low = Infinity;
  let high = -Infinity;
  for (let k = 0; k < items.length; k++) {
    const value = values[items[k]!]!;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (items.length === 0 || low === high) return items;
  const next = new Int32Array(high - low + 2);
  for (let k = 0; k < items.length; k++) next[values[items[k]!]! - low + 1]!++;
  for (let k = 1; k < next.length; k++) next[k]! += next[k - 1]!;
  const out = new Int32Array(items.length);
  for (let k = 0; k < items.length; k++) {
    const item = items[k]!;
    out[next[values[item]! - low]!++] = item;
  }
  return out;
}

/**
 * Groups the given subjects by column and row; subjects with `singles` set get a group of their own. The lowest `bits` of a column
 * only sort subjects inside a group: columns that differ only in these bits are one.
 */
export function groupSubjects(
  subjects: Int32Array,
  cols: Int32Array,
  rows: Int32Array,
  singles: Uint8Array | null,
  bits = 0,
): SubjectGroups {
  const order = sortedBy(sortedBy(subjects, cols), rows);
  const starts = new Int32Array(order.length + 1);
  let groups = 0;
  let before = -1;
  for (let k = 0; k < order.length; k++) {
    const subject = order[k]!;
    const isFirst =
      k === 0 || cols[subject]! >> bits !== cols[before]! >> bits || rows[subject] !== rows[before];
    if (isFirst || (singles !== null && (singles[subject] === 1 || singles[before] === 1)))
      starts[groups++] = k;
    before = subject;
  }
  starts[groups] = order.length;
  return { order, starts: starts.slice(0, groups + 1) };
}
