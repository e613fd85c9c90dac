import type { ClientBase } from 'pg';
import type { Config } from '../../schema/config.ts';
import type { Reject } from '../../schema/errors.ts';
import type { Bbox } from '../../schema/grid.ts';
import type { Row, Table } from '../../schema/table.ts';

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
 * - `refs`: rows of the cells that the named stage's output for this cell refers to, and of them those whose `column` has a
 *   value that the rows of `table` in the cell itself have. They may be given more, never fewer. Where `cellColumn` of those rows names the
 *   cell of the row that they refer to, if it is not their own (null: it is, or there is none), all rows of the cell itself are given, and of other
 *   cells those that are referred to. With `elsewhere` rows of the cell itself are left out, because the partition has them from another input.
 * - `keys`: rows whose `column` is among the keys that `of` takes from the subject rows; the fingerprint covers the whole table.
 * - `resource`: none; the stage's resource is built from the table, and the fingerprint covers all of it, or with `homes` the
 *   rows whose home column names one of the cells that `homes.stage`'s output for this cell refers to, of those `homes.of` picks.
 * - `all`: every row. For partitions of the whole, and for small tables that every partition needs.
 */
export type Scope<S = Record<string, unknown>> =
  | { kind: 'own' }
  | { kind: 'home' }
  | { kind: 'group'; of: (cell: number) => number }
  | { kind: 'near'; halo_m: number; unplaced: Keys<S> }
  | { kind: 'reach'; halo_m: number; around?: Table }
  | { kind: 'around'; halo_m: number; of: 'cell' | 'extent' }
  | { kind: 'refs'; stage: string; within: Referrer; elsewhere?: true }
  | ({ kind: 'keys' } & Keys<S>)
  | { kind: 'resource'; homes?: { stage: string; of?: (home: number) => boolean } }
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

export interface StageInput<T extends Table = Table, K extends string = string> {
  readonly table: T;
  readonly columns: readonly K[];
  readonly scope: Scope<never>;
  /** Static SQL condition on the rows (no values from outside). */
  readonly where?: string;
}

/** Declares an input and keeps the types of its selected columns. */
export function input<T extends Table, const K extends keyof T['columns'] & string>(
  table: T,
  columns: readonly K[],
  scope: Scope<never> = { kind: 'own' },
  where?: string,
): StageInput<T, K> {
  return { table, columns, scope, where };
}

/** Rows of an input as the computation sees them, sorted by the table's primary key. */
export type InputRows<I extends StageInput> =
  I extends StageInput<infer T, infer K> ? Pick<Row<T>, K & keyof Row<T>>[] : never;

/** Account of the subject rows of a partition: `in = out + rejects + Σ drops`, or the run fails. */
export interface StageAccount {
  in: number;
  out: number;
  drops: Record<string, number>;
}

/** What a computation comes to besides the rows that it emitted. */
export interface StageResult {
  account: StageAccount;
  /** Rows are emitted: an array of them would be written nowhere. */
  rows?: never;
  rejects?: Reject[];
  /** Other cells that the rows refer to; downstream inputs of scope `refs` read them. */
  refs?: number[];
  /** Box around what the rows are about, which may reach beyond the cell; downstream inputs of scope `reach` and `around` are measured from it. */
  extent?: Bbox | null;
}

/** What a computation knows besides its rows. */
export interface PartitionContext<P, R = unknown, T extends Table = Table> {
  readonly cell: number;
  readonly params: P;
  /** What the stage's resource was built to; undefined where it declares none. */
  readonly resource: R;
  /** Takes a row of the output. It is encoded at once: the object may be garbage, or another row, as soon as the call returns. */
  readonly emit: (row: Row<T>) => void;
}

/**
 * Something large that many partitions share, such as an index over every address of a state: built once in each worker from
 * the inputs of scope `resource`, and kept while they and the key are the same.
 */
export interface Resource<R = unknown> {
  /** Which one a partition needs, for example its state; `homes` are those that its inputs of scope `resource` cover, ascending. */
  readonly keyOf: (cell: number, homes: readonly number[]) => string;
  /** Reads the tables and builds it; a pure function of their content and the key. */
  readonly build: (client: ClientBase, key: string) => Promise<R>;
  /** True: only one partition needs it, so it is not kept after its batch. */
  readonly isPassing?: boolean;
}

/**
 * A stage whose rows of a key (the column `tracked` of its output) depend on no row of another key: of its inputs of scope `own` and
 * `home` it needs the rows with that key, of the others whatever they give. The subject has one row for each key and no condition, a key counts
 * as written where it has rows, and what the rows refer to follows from the keys of the cell. Such a partition is computed for the changed keys alone where the tables that changed say which those are.
 */
export interface ByKey {
  /** Name under which subject rows without output are dropped; null: each has some. */
  readonly dropped: string | null;
}

/**
 * A stage computes one table, partition by partition, as a pure function of its input rows and parameters.
 * `version` changes whenever the same input would give other output.
 */
export interface Stage {
  readonly name: string;
  readonly version: number;
  readonly doc: string;
  /** Input whose rows are accounted for and whose cells are the partitions. */
  readonly subject: string;
  /** `cell`: one partition for each cell of the subject, or where its scope is `home` for each of its homes, or `group` for each group; `whole`: one partition. */
  readonly by: 'cell' | 'whole';
  /** Each partition is a batch of its own: it computes for so long that two of them are better done side by side. */
  readonly alone: boolean;
  /** Null: a partition is always computed as a whole. */
  readonly byKey: ByKey | null;
  readonly inputs: Readonly<Record<string, StageInput>>;
  readonly output: Table;
  readonly params: (config: Config) => Readonly<Record<string, unknown>>;
  readonly resource: Resource | null;
  readonly compute: (
    rows: Readonly<Record<string, Record<string, unknown>[]>>,
    context: PartitionContext<Readonly<Record<string, unknown>>>,
  ) => StageResult;
}

/** Declares a stage with typed inputs, parameters and output. */
export function stage<
  const I extends Readonly<Record<string, StageInput>>,
  T extends Table,
  P extends Readonly<Record<string, unknown>>,
  R = undefined,
>(declaration: {
  name: string;
  version: number;
  doc: string;
  subject: keyof I & string;
  by?: 'cell' | 'whole';
  alone?: boolean;
  byKey?: ByKey;
  inputs: I;
  output: T;
  params?: (config: Config) => P;
  resource?: Resource<R>;
  compute: (rows: { [K in keyof I]: InputRows<I[K]> }, context: PartitionContext<P, R, T>) => StageResult;
}): Stage {
  return {
    by: 'cell',
    alone: false,
    byKey: null,
    params: () => ({}),
    resource: null,
    ...declaration,
  } as unknown as Stage;
}
