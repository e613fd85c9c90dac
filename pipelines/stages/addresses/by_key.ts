/** Rows by gnaf_pid. */
export interface PidRows<T> {
  get(gnaf_pid: string): T | undefined;
}

/**
 * Rows that are usually requested in their own order, because inputs are sorted by gnaf_pid and a stage goes through its subject in that
 * order. Requests out of order use a map, built when first needed.
 */
class PidsInOrder<T extends { gnaf_pid: string }> implements PidRows<T> {
  readonly #rows: readonly T[];
  #at = 0;
  #map: Map<string, T> | null = null;

  constructor(rows: readonly T[]) {
    this.#rows = rows;
  }

  get(gnaf_pid: string): T | undefined {
    const rows = this.#rows;
    const { length } = rows;
    for (let at = this.#at, last = Math.min(length, at + AHEAD); at < last; at++) {
      const row = rows[at]!;
      if (row.gnaf_pid !== gnaf_pid) continue;
      this.#at = at;
      return row;
    }
    if (length === 0) return undefined;
    if (rows[0]!.gnaf_pid === gnaf_pid) {
      // Another pass over the rows begins.
      this.#at = 0;
      return rows[0];
    }
    this.#map ??= mapOf(rows);
    return this.#map.get(gnaf_pid);
  }
}

/** Maximum rows compared after the last one found, before the map is used. */
const AHEAD = 4;

function mapOf<T extends { gnaf_pid: string }>(rows: readonly T[]): Map<string, T> {
  const map = new Map<string, T>();
  for (const row of rows) map.set(row.gnaf_pid, row);
  return map;
}

/** Indexes rows by gnaf_pid, which must be unique. */
export const byPid = <T extends { gnaf_pid: string }>(rows: readonly T[]): PidRows<T> =>
  new PidsInOrder(rows);
