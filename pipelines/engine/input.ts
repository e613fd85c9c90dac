import type { Row, Table } from '../../schema/table.ts';
import type { Condition } from '../../store/condition.ts';

/**
 * Which rows of an input a partition sees. The fingerprint of the partition covers exactly the cells they come from.
 * - `own`: rows of the partition's cell.
 * - `home`: rows whose home column (schema/table.ts) names the partition's cell, whichever partitions made them.
 * - `group`: rows of every home, or where the table has no home column of every cell, that `of` maps to the partition's number:
 *   as the subject's scope it makes one partition for each number.
 * - `near`: features whose bounding box comes within `halo_m` of the cell. The partition of rows without coordinates has no
 *   place to be near to: it sees the rows that `unplaced` finds by key, as with `keys`.
 * - `reach`: features whose bounding box comes within `halo_m` of the box around the subject's own features, which may be
 *   far larger than the cell where a parcel is. With `around` of the box around the cell and the rows that the named table has in it. Of
 *   a table that a stage computes, it is the box that the stage tells (StageResult).
 * - `around`: rows of the cells within `halo_m` of the cell, or of the box around the subject's own features where `of` is
 *   `extent`: for tables whose rows lie in the cell they name (points, pieces of areas). Rows without coordinates see none.
 * - `refs`: rows of the cells that the rows of `table` in this cell refer to, and of them those whose `column` has a
 *   value that those rows have. They may be given more, never fewer. Where `cellColumn` of those rows names the
 *   cell of the row that they refer to, if it is not their own (null: it is, or there is none), all rows of the cell itself are given, and of other
 *   cells those that are referred to. With `elsewhere` rows of the cell itself are left out, because the partition has them from another input.
 * - `keys`: rows whose `column` is among the keys that `of` takes from the subject rows; the fingerprint covers the whole table.
 * - `resource`: none; the stage's resource is built from the table, and the fingerprint covers all of it, or with `homes` the
 *   rows whose home column names one of the cells that the rows of `homes.table` in this cell refer to, of those `homes.of` picks. With
 *   `toldBy` it covers nothing: the rows of the input named there change whenever these do, as an identifier made from all of them does.
 * - `all`: every row. For partitions of the whole, and for small tables that every partition needs.
 */
export type Scope<S = Record<string, unknown>> =
  | { kind: 'own' }
  | { kind: 'home' }
  | { kind: 'group'; of: (cell: number) => number }
  | { kind: 'near'; halo_m: number; unplaced: Keys<S> }
  | { kind: 'reach'; halo_m: number; around?: Table }
  | { kind: 'around'; halo_m: number; of: 'cell' | 'extent' }
  | { kind: 'refs'; within: Referrer; elsewhere?: true }
  | ({ kind: 'keys' } & Keys<S>)
  | { kind: 'resource'; homes?: { table: Table; of?: (home: number) => boolean }; toldBy?: string }
  | { kind: 'all' };

/** Rows that refer to others by the value of `column`; `cellColumn` as in the scope `refs`. */
export interface Referrer {
  readonly table: Table;
  readonly column: string;
  readonly cellColumn?: string;
}

/** How subject rows lead to rows of another table: the value of its `column`, or null for none. */
export interface Keys<S = Record<string, unknown>> {
  column: string;
  of: (subject: S) => string | null;
}

export type Inputs = Readonly<Record<string, StageInput>>;

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

/** Rows of an input as the computation sees them, sorted by the table's primary key. */
export type InputRows<I extends StageInput> =
  I extends StageInput<infer T, infer K> ? Pick<Row<T>, K & keyof Row<T>>[] : never;
