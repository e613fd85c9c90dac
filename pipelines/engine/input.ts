import type { Row, Table } from '../../schema/table.ts';
import type { Condition } from '../../store/tables/condition.ts';

/**
 * Which rows of an input a partition sees. The partition's fingerprint covers exactly the cells of those rows.
 * - `own`: rows of the partition, by the table's home column (schema/table.ts) if it has one, else by cell. In a stage by key, a subject
 *   row sees the rows with its own key. If the table is tracked by another column, it sees the rows with its own value of that column.
 * - `near`: rows within `halo_m` of the cell's box. With `around`, the box also covers the extents of the named table's rows in the cell,
 *   which may reach far beyond it. For a table of features: features whose bounding box is in range. For other tables: all rows of the
 *   cells in range. The partition without coordinates sees none. In a stage by key, a subject row must need only rows near its own location
 *   (`placeColumns`). With `named` (tables of features only), a partition sees only rows whose value of that column occurs in its subject
 *   rows. The partition without coordinates then sees such rows wherever they are.
 * - `named`: rows whose `column` is among the keys that `of` takes from the subject rows. The fingerprint covers the whole table.
 * - `resource`: none; the stage's resource is built from the table. The fingerprint covers the whole table. With `homes`, it covers the
 *   rows in home cells that `homes.table` refers to from this cell, if `homes.of` accepts them.
 * - `all`: every row. For partitions of the whole, and for small tables that every partition needs.
 */
export type Scope<S = Record<string, unknown>> =
  | { kind: 'own' }
  | {
      kind: 'near';
      halo_m: number;
      around?: Table;
      named?: string;
    }
  | ({ kind: 'named' } & Keys<S>)
  | { kind: 'resource'; homes?: { table: Table; of?: (home: number) => boolean } }
  | { kind: 'all' };

/** How subject rows select rows of another table: the value of its `column`; null: none. */
export interface Keys<S = Record<string, unknown>> {
  column: string;
  of: (subject: S) => string | null;
}

export type StageInputs = Readonly<Record<string, StageInput>>;

export interface StageInput<T extends Table = Table, K extends string = string> {
  readonly table: T;
  readonly columns: readonly K[];
  readonly scope: Scope<never>;
  /** Condition on rows; it may name columns of the table only. */
  readonly where?: Condition;
}

/** Declares an input and keeps the types of its selected columns. */
export function input<T extends Table, const K extends keyof T['columns'] & string>(
  table: T,
  columns: readonly K[],
  scope: Scope<never> = { kind: 'own' },
  where?: Condition<T>,
): StageInput<T, K> {
  return { table, columns, scope, where: where as Condition | undefined };
}

/** Rows of an input as the computation receives them, sorted by the table's primary key. */
export type InputRows<I extends StageInput> =
  I extends StageInput<infer T, infer K> ? Pick<Row<T>, K & keyof Row<T>>[] : never;
