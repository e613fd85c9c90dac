import type { Config } from '../../schema/config.ts';
import type { Reject } from '../../schema/errors.ts';
import type { Row, Table } from '../../schema/table.ts';

/**
 * Which rows of an input a partition sees. The fingerprint of the partition covers exactly the cells they come from.
 * - `own`: rows of the partition's cell.
 * - `near`: features whose bounding box comes within `halo_m` of the cell. The partition of rows without coordinates has no
 *   place to be near to: it sees the rows that `unplaced` finds by key, as with `keys`.
 * - `reach`: features whose bounding box comes within `halo_m` of the box around the subject's own features, which may be
 *   far larger than the cell where a parcel is.
 * - `refs`: rows of the cells that the named stage's output for this cell refers to, and of them those whose `column` has a
 *   value that the rows of `table` in the cell itself have. They may be given more, never fewer.
 * - `keys`: rows whose `column` is among the keys that `of` takes from the subject rows; the fingerprint covers the whole table.
 * - `all`: every row. Only for partitions of the whole.
 */
export type Scope<S = Record<string, unknown>> =
  | { kind: 'own' }
  | { kind: 'near'; halo_m: number; unplaced: Keys<S> }
  | { kind: 'reach'; halo_m: number }
  | { kind: 'refs'; stage: string; within: { table: Table; column: string } }
  | ({ kind: 'keys' } & Keys<S>)
  | { kind: 'all' };

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

export interface StageResult<T extends Table = Table> {
  rows: Row<T>[];
  account: StageAccount;
  rejects?: Reject[];
  /** Other cells that the rows refer to; downstream inputs of scope `refs` read them. */
  refs?: number[];
}

/** What a computation knows besides its rows. */
export interface PartitionContext<P> {
  readonly cell: number;
  readonly params: P;
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
  /** `cell`: one partition for each cell of the subject; `whole`: one partition. */
  readonly by: 'cell' | 'whole';
  readonly inputs: Readonly<Record<string, StageInput>>;
  readonly output: Table;
  readonly params: (config: Config) => Readonly<Record<string, unknown>>;
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
>(declaration: {
  name: string;
  version: number;
  doc: string;
  subject: keyof I & string;
  by?: 'cell' | 'whole';
  inputs: I;
  output: T;
  params?: (config: Config) => P;
  compute: (rows: { [K in keyof I]: InputRows<I[K]> }, context: PartitionContext<P>) => StageResult<T>;
}): Stage {
  return { by: 'cell', params: () => ({}), ...declaration } as unknown as Stage;
}
