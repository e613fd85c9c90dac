/**
 * A table that PostGIS computes. Its queries take the subjects of the `halves` that they are given: `0`, `1`, or both, `0, 1`. The halves
 * stand in columns, so that the planner knows their size.
 */
export interface Result {
  readonly table: string;
  readonly columns: string;
  readonly key: string;
  /** Queries that run one after another; each adds rows. */
  readonly queries: readonly ((halves: string) => string)[];
  /** Statements after the table is filled and has its key. */
  readonly after?: readonly string[];
}
