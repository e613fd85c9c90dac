import type { Row, Table } from '../../schema/table.ts';
import type { Condition } from '../../store/tables/condition.ts';

/**
 * Which rows of an input a partition sees. The fingerprint of the partition covers exactly the cells they come from.
 * - `own`: rows that are looked for in the partition: by the home column of their table (schema/table.ts) where it has one, else those of its cell.
 *   In a stage by key
 *   a subject row needs its own rows, or of a table that is tracked by another column those with its own value there.
 * - `near`: rows within `halo_m` of the box around the cell, and with `around` around all that the rows of the named table in it are about
 *   too, which may be far more than the cell where a parcel is. Of a table of features those whose bounding box comes so near, of others
 *   the rows of the cells there. The partition of rows without coordinates has no place to be near to, and sees none. In a stage by key
 *   a subject row needs those alone that come so near to its own place (`placeColumns`), whatever else the partition sees. With `named`, of a table of features, a
 *   partition sees those rows alone whose value of that column is one of its subject rows' own, and the partition of rows without
 *   coordinates sees them wherever they are.
 * - `named`: rows whose `column` is among the keys that `of` takes from the subject rows; the fingerprint covers the whole table.
 * - `resource`: none; the stage's resource is built from the table, and the fingerprint covers all of it, or with `homes` the
 *   rows whose home column names one of the partitions that the rows of `homes.table` in this cell refer to, of those `homes.of` picks.
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

/** How subject rows lead to rows of another table: the value of its `column`, or null for none. */
export interface Keys<S = Record<string, unknown>> {
  column: string;
  of: (subject: S) => string | null;
}

export type StageInputs = Readonly<Record<string, StageInput>>;

export interface StageInput<T extends Table = Table, K extends string = string> {
  readonly table: T;
  readonly columns: readonly K[];
  readonly scope: Scope<never>;
  /** Which rows; a condition names columns of the table and no other. */
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

/** Rows of an input for the computation, sorted by the table's primary key. */
export type InputRows<I extends StageInput> =
  I extends StageInput<infer T, infer K> ? Pick<Row<T>, K & keyof Row<T>>[] : never;
