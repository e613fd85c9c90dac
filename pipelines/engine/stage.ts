import type { Config } from '../../schema/config.ts';
import type { Reject } from '../../schema/errors.ts';
import type { Row, Table } from '../../schema/table.ts';
import type { DeclaredReader } from './declared_reader.ts';
import type { ForeignQuery } from './foreign_query.ts';
import type { InputRows, StageInput, StageInputs } from './input.ts';

/** Account of the subject rows of a partition. `in = out + rejects + Σ drops`, or the run fails. */
export interface StageAccount {
  in: number;
  out: number;
  drops: Record<string, number>;
}

/** Result of a computation besides its emitted rows. */
export interface StageResult {
  account: StageAccount;
  /** Rows must be emitted; a returned array would be lost. */
  rows?: never;
  rejects?: Reject[];
  /** Partitions of other tables that the rows refer to; they select the cells of downstream inputs of scope `resource`. */
  refs?: number[];
}

/** Context of a computation, besides its rows. */
export interface PartitionContext<P, R = unknown, T extends Table = Table> {
  readonly cell: number;
  readonly params: P;
  /** The stage's resource; undefined: it declares none. */
  readonly resource: R;
  /** Writes an output row. It is encoded at once, so the caller may reuse or change the object afterwards. */
  readonly emit: (row: Row<T>) => void;
}

/**
 * Large object shared by many partitions, such as an index over all addresses of a state. Each worker builds it once from the inputs of
 * scope `resource`, and keeps it while they and its key stay the same.
 */
export interface StageResource<R = unknown, I extends StageInputs = StageInputs> {
  /**
   * Returns the key of the resource that a partition needs, for example its state. `homes`: home cells that its inputs of scope `resource`
   * cover, ascending.
   */
  readonly keyOf: (cell: number, homes: readonly number[]) => string;
  /** Builds the resource from inputs of scope `resource`; a pure function of their rows and the key. */
  readonly build: (reader: DeclaredReader<I>, key: string) => Promise<R>;
}

/** Computes the rows of a partition from its inputs. */
type Compute = (
  rows: Readonly<Record<string, Record<string, unknown>[]>>,
  context: PartitionContext<Readonly<Record<string, unknown>>>,
) => StageResult;

/** SQL statement that returns the rows of a stage (sql_stage.ts). */
export interface Statement {
  /** Query over the inputs by name. */
  readonly sql: string;
  /** SQL conditions for subject rows without output, by drop name. They may refer to other inputs; at most one holds for a row. */
  readonly dropped: Readonly<Record<string, string>>;
  /**
   * Drop name for subject rows without output; each subject row has its own value of the output's first key column. Null: all have output,
   * or `dropped` decides.
   */
  readonly without: string | null;
  /** Set for an operator's query; null: the query is part of the program. */
  readonly foreignQuery: ForeignQuery | null;
}

/**
 * A stage computes one table, partition by partition, as a pure function of its input rows and parameters. `version` must change whenever
 * the same input would give different output.
 */
export interface Stage {
  readonly name: string;
  readonly version: number;
  readonly doc: string;
  /** Input whose rows are accounted for and whose cells are the partitions. */
  readonly subject: string;
  /**
   * `whole`: one partition, because the output is one. `cell`: one partition for each cell of the subject, or each home cell if its table
   * has a home column. `key`: as `cell`, if subject and output are tracked by the same column. The rows of a key then depend on no subject
   * row of another key. From inputs of scope `own` it needs only its own rows, or the rows that its subject row names (`namedBy`). From
   * scope `near` it needs only rows near its own location; from other scopes it may use any row. Subject rows without output are dropped
   * under one name. If the change log lists the changed keys, only they are computed.
   */
  readonly by: 'cell' | 'whole' | 'key';
  /**
   * Input whose content alone decides when a partition is recomputed; other inputs are read as they are then. Null: all inputs decide. The
   * output of such a stage is no function of the loaded data, so a rebuild elsewhere must receive it as input.
   */
  readonly frozenBy: string | null;
  /** Whether each partition is a batch of its own, because it computes long; its resource is dropped after the batch. */
  readonly isBatchedAlone: boolean;
  readonly inputs: StageInputs;
  readonly output: Table;
  /** Settings, and values from schema/ that the computation uses: all are part of the fingerprint. */
  readonly params: (config: Config) => Readonly<Record<string, unknown>>;
  readonly resource: StageResource | null;
  readonly compute: Compute | Statement;
}

export interface ComputedStage extends Stage {
  readonly compute: Compute;
}

/** Returns the partitioning of a stage, which follows from its subject and its output. */
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
  isBatchedAlone?: boolean;
  inputs: I;
  output: T;
  params?: (config: Config) => P;
  resource?: StageResource<R, I>;
  compute: (rows: { [K in keyof I]: InputRows<I[K]> }, context: PartitionContext<P, R, T>) => StageResult;
}): ComputedStage {
  return {
    by: partitionedBy(declaration.inputs[declaration.subject]!, declaration.output),
    frozenBy: null,
    isBatchedAlone: false,
    params: () => ({}),
    resource: null,
    ...declaration,
  } as unknown as ComputedStage;
}
