/**
 * A table that PostGIS computes. Each query takes its subjects from the half of them with the number of its session, 0 or 1, because
 * PostgreSQL runs a search for the nearest in one process. The halves stand in columns, so that the planner knows their size.
 */
export interface Result {
  readonly table: string;
  readonly columns: string;
  readonly key: string;
  /** Queries that run one after another; each adds rows. */
  readonly queries: readonly ((half: 0 | 1) => string)[];
  /** Statements after the table is filled and has its key. */
  readonly after?: readonly string[];
}
