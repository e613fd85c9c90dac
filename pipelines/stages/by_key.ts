/** Rows by their gnaf_pid. */
export function byPid<T extends { gnaf_pid: string }>(rows: readonly T[]): Map<string, T> {
  return new Map(rows.map((row) => [row.gnaf_pid, row]));
}

/** Rows grouped by a key, groups and rows in the order of the input. */
export function groupBy<T, K>(rows: readonly T[], key: (row: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const row of rows) {
    const group = groups.get(key(row));
    if (group) group.push(row);
    else groups.set(key(row), [row]);
  }
  return groups;
}
