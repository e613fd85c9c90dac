import type { Config } from '../../schema/config.ts';
import type { Reject } from '../../schema/errors.ts';
import type { Row, Table } from '../../schema/table.ts';
import type { DeclaredReader } from './declared_reader.ts';
import type { ForeignQuery } from './foreign_query.ts';
import type { InputRows, StageInput, StageInputs } from './input.ts';

/** Account of the subject rows of a partition: `in = out + rejects + Σ drops`, or the run fails. */
export interface StageAccount {
  in: number;
  out: number;
  drops: Record<string, number>;
}

/** Result of a computation besides its emitted rows. */
export interface StageResult {
  account: StageAccount;
  /** Rows are emitted: an array of them would be written nowhere. */
  rows?: never;
  rejects?: Reject[];
  /** Partitions of other tables that the rows refer to; downstream inputs of scope `resource` are told them. */
  refs?: number[];
}

/** Context of a computation besides its rows. */
export interface PartitionContext<P, R = unknown, T extends Table = Table> {
  readonly cell: number;
  readonly params: P;
  /** What the stage's resource was built to; undefined where it declares none. */
  readonly resource: R;
  /** Takes a row of the output. It is encoded at once: the object may be garbage, or another row, as soon as the call returns. */
  readonly emit: (row: Row<T>) => void;
}

/**
 * A large object shared by many partitions, such as an index over every address of a state: built once in each worker from the inputs
 * of scope `resource`, and kept while they and the key stay the same.
 */
export interface StageResource<R = unknown, I extends StageInputs = StageInputs> {
  /** Which one a partition needs, for example its state; `homes` are those that its inputs of scope `resource` cover, ascending. */
  readonly keyOf: (cell: number, homes: readonly number[]) => string;
  /** Builds it from what the reader gives, which is what the inputs of scope `resource` declare; a pure function of that and the key. */
  readonly build: (reader: DeclaredReader<I>, key: string) => Promise<R>;
  /** True: only one partition needs it, so it is not kept after its batch. */
  readonly isPassing?: boolean;
}

/** Computes the rows of a partition from those of its inputs. */
type Compute = (
  rows: Readonly<Record<string, Record<string, unknown>[]>>,
  context: PartitionContext<Readonly<Record<string, unknown>>>,
) => StageResult;

/** A statement that returns the rows of a stage (sql_stage.ts). */
export interface Statement {
  /** A query over the inputs by their names. */
  readonly sql: string;
  /** Subject rows that count nowhere: SQL conditions, which may ask for a value of the other inputs, of which at most one holds for a row, by the names of the drops. */
  readonly dropped: Readonly<Record<string, string>>;
  /** Name under which subject rows are dropped that have no output: each has its own value of the first column of the output's key. Null: all have some, or `dropped` says which. */
  readonly without: string | null;
  /** It is an operator's query. Null: it is the program's. */
  readonly foreignQuery: ForeignQuery | null;
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
  /**
   * `whole`: one partition, as the output is. `cell`: one partition for each cell of the subject, or each home where its table has a home
   * column. `key`: as `cell`, where subject and output are tracked by the same column. The rows of such a key follow from no subject row of
   * another key: of inputs of scope `own` it needs its own rows, or those that its subject row names (`namedBy`), of scope `near`
   * those near its own place, of others whatever they give. Subject rows without output are dropped under one name. Where the log of changes
   * says which keys changed, those are computed and no others.
   */
  readonly by: 'cell' | 'whole' | 'key';
  /**
   * Input whose content alone decides when a partition is computed again: what the others say counts as it is then. Null: all do. Such a
   * stage is no function of what is loaded, so its output is what a rebuild elsewhere must be given.
   */
  readonly frozenBy: string | null;
  /** Each partition is a batch of its own: it computes for so long that two of them are better done side by side. */
  readonly alone: boolean;
  readonly inputs: StageInputs;
  readonly output: Table;
  /** Settings, and the values of schema/ that rows are computed by: all are part of the fingerprint. */
  readonly params: (config: Config) => Readonly<Record<string, unknown>>;
  readonly resource: StageResource | null;
  readonly compute: Compute | Statement;
}

/** A stage computed in TypeScript. */
export interface ComputedStage extends Stage {
  readonly compute: Compute;
}

/** What the partitions of a stage are, which follows from its subject and its output. */
export function partitionedBy(subject: StageInput, output: Table): Stage['by'] {
  if (output.partition === 'whole') return 'whole';
  const { table, where } = subject;
  return table.tracked !== null && table.tracked === output.tracked && where === undefined ? 'key' : 'cell';
}

/** Declares a stage with typed inputs, parameters and output. */
export function stage<
  const I extends StageInputs,
  T extends Table,
  P extends Readonly<Record<string, unknown>>,
  R = undefined,
>(declaration: {
  name: string;
  version: number;
  doc: string;
  subject: keyof I & string;
  alone?: boolean;
  inputs: I;
  output: T;
  params?: (config: Config) => P;
  resource?: StageResource<R, I>;
  compute: (rows: { [K in keyof I]: InputRows<I[K]> }, context: PartitionContext<P, R, T>) => StageResult;
}): ComputedStage {
  return {
    by: partitionedBy(declaration.inputs[declaration.subject]!, declaration.output),
    frozenBy: null,
    alone: false,
    params: () => ({}),
    resource: null,
    ...declaration,
  } as unknown as ComputedStage;
}
