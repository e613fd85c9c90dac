/**
 * A table that PostGIS computes. `query` takes its subjects from a half of them: `half` stands for the number of the session, 0 or 1,
 * because PostgreSQL runs a search for the nearest in one process.
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

/** Whether a session takes a row. */
export const isHalf = (id: string, half: 0 | 1): string => `${id} % 2 = ${half}`;
