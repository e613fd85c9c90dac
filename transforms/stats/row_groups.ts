/** Rows by group: group g has rows[starts[g], starts[g + 1]), ascending. */
export interface RowGroups {
  readonly starts: Int32Array;
  readonly rows: Int32Array;
}

/** Groups rows by a code from 0 to groups - 1; rows with code -1 are in no group. O(n). */
export function groupRows(codes: Int32Array, groups: number): RowGroups {
  const starts = new Int32Array(groups + 1);
  for (const code of codes) if (code >= 0) starts[code + 1]!++;
  for (let g = 0; g < groups; g++) starts[g + 1] = starts[g + 1]! + starts[g]!;
  const next = starts.slice(0, groups);
  const rows = new Int32Array(starts[groups]!);
  codes.forEach((code, row) => {
    if (code >= 0) rows[next[code]!++] = row;
  });
  return { starts, rows };
}

/** Returns the end of a group's rows below `limit`: rows[starts[group], end). O(log n). */
export function endBelow({ starts, rows }: RowGroups, group: number, limit: number): number {
  let lo = starts[group]!;
  let hi = starts[group + 1]!;
  while (lo < hi) {
    const middle = (lo + hi) >> 1;
    if (rows[middle]! < limit) lo = middle + 1;
    else hi = middle;
  }
  return lo;
}
