import type { LimitFunction } from 'p-limit';
import type pg from 'pg';
import type { Config } from '../../schema/config.ts';
import { ident } from '../../schema/ddl.ts';
import { EtlError } from '../../schema/errors.ts';
import { partitionName } from '../../schema/partition.ts';
import { partitionColumn, recordedName, type Table } from '../../schema/table.ts';
import { readStageAccount } from '../../store/state/partition_records.ts';
import { outputTarget } from '../../store/tables/table_rows.ts';
import { batches, batchRows, largestFirst } from '../engine/batches.ts';
import { type PlannedPartition, planStage } from '../engine/plan.ts';
import type { RecordedState } from '../engine/recorded_state.ts';
import { endsRun, isTransient, isUnexplained, retrying } from '../engine/retry.ts';
import type { Stage } from '../engine/stage.ts';
import type { Progress, ProgressBar } from '../report/progress.ts';
import type { FailedPartition, StageReport } from '../report/report.ts';
import { now, type OnRunEvent } from '../report/run_event.ts';
import { type Distributed, type Executor, inThreads } from '../tasks/executor.ts';
import type { Workers } from '../tasks/workers.ts';
import type { SettingsSince } from '../views/changed_settings.ts';

/** State shared by the stages of a run. */
export interface StageContext {
  client: pg.ClientBase;
  recordedState: RecordedState;
  /** Settings that have changed since a run, by stage (changed_settings.ts). */
  settings: SettingsSince;
  workers: Workers;
  config: Config;
  runId: number;
  progress: Progress;
  onEvent: OnRunEvent;
  /** Partitions that failed. After the first one, no stage and no batch starts. */
  failed: FailedPartition[];
  /** Starts batches: as many at a time as there are threads. */
  batchSlots: LimitFunction;
  /** Serialises use of the client by concurrent stages. */
  exclusively: LimitFunction;
  /** Error that the run must end with; stages and batches that have not begun are abandoned. */
  stop: { reason: unknown };
  /** Computes batches on several machines; null: only on this machine. */
  distributed: Distributed | null;
}

/** A stage in progress. */
interface Running {
  stage: Stage;
  context: StageContext;
  bar: ProgressBar;
  written: number;
  computed: PlannedPartition[];
  /** Partitions that other machines computed. */
  elsewhere: number;
  executor: Executor;
}

const checkStop = ({ stop }: StageContext): void => {
  if (stop.reason !== undefined) throw stop.reason;
};

/** Checks that the run may start more stages. @throws the error that ends the run; `partition_failed` names all partitions that failed */
export function checkMayStart(context: StageContext): void {
  checkStop(context);
  const { failed } = context;
  const [first] = failed;
  if (first === undefined) return;
  const names = failed.map(({ stage, partition }) => `${stage} ${partition}`).join(', ');
  throw new EtlError(
    'partition_failed',
    `${failed.length === 1 ? '1 partition' : `${failed.length} partitions`} could not be computed: ${names}. Running batches were finished; no other batch was started and nothing was published. ${failed.length === 1 ? 'It' : 'The first one'} was tried ${first.attempts === 1 ? 'once' : `${first.attempts} times`} and failed with ${first.code}: ${first.message}`,
    { details: { set_aside: failed } },
  );
}

/** Gives partitions to a worker as one batch, with retries if they can help. */
async function attempt(running: Running, partitions: PlannedPartition[]): Promise<void> {
  const { stage, context, bar, executor } = running;
  const { config, runId, onEvent } = context;
  const cells = partitions.map((partition) => partition.cell);
  // A failed batch of several partitions is split into single ones, so only transient failures are worth a retry.
  const again = (error: unknown): boolean =>
    !['run_superseded', 'disk_full'].includes((error as EtlError).code) &&
    (partitions.length === 1 ? isUnexplained(error) : isTransient(error));
  const done = await retrying(
    config.retry,
    again,
    (failed) => onEvent({ event: 'retrying', run_id: runId, subject: stage.name, cells, ...failed }),
    () => {
      checkStop(context);
      return executor.run({ kind: 'batch', runId, stage: stage.name, partitions });
    },
  );
  running.written += done.rows;
  running.elsewhere += done.elsewhere;
  running.computed.push(...partitions);
  bar.done(cells.length);
  bar.rows(done.rows);
  onEvent({ event: 'batch_done', run_id: runId, stage: stage.name, cells, rows: done.rows });
}

/** Notes a partition that cannot be computed. @throws EtlError `partition_failed` if there are too many */
function noteFailed({ stage, context }: Running, cell: number, error: EtlError): void {
  const { config, runId, onEvent, failed } = context;
  const attempts = isUnexplained(error) ? config.retry.attempts : 1;
  const partition = {
    stage: stage.name,
    partition: partitionName(stage.output.partition, cell),
    attempts,
    code: error.code ?? 'internal',
    message: error.message,
  };
  failed.push(partition);
  onEvent({ event: 'partition_failed', run_id: runId, partition });
  if (failed.length <= config.retry.set_aside_max) return;
  throw new EtlError(
    'partition_failed',
    `More than ${config.retry.set_aside_max} partitions failed, the last one ${partition.partition} of stage ${stage.name}: ${error.message} The fault is not in a single partition.`,
    { cause: error },
  );
}

/** Computes a batch. If it fails, its partitions are computed one by one, and failing ones are noted. */
async function computeBatch(running: Running, partitions: PlannedPartition[]): Promise<void> {
  try {
    await attempt(running, partitions);
  } catch (error) {
    if (endsRun(error) || running.context.stop.reason !== undefined) throw error;
    if (partitions.length === 1) return noteFailed(running, partitions[0]!.cell, error as EtlError);
    for (const partition of partitions) await computeBatch(running, [partition]);
  }
}

/** Batches per local thread if other machines may take some. */
const DISTRIBUTED_SHARE = 4;

/**
 * Computes all batches; once a partition of the run failed, those that have begun. Waits for all of them before throwing the first error,
 * so that no work continues unnoticed. Batches given to the queue have begun.
 */
async function computeAll(running: Running, partitions: readonly PlannedPartition[]): Promise<void> {
  const { config, workers, stop, distributed, failed, batchSlots } = running.context;
  const { stage } = running;
  const threads = workers.count * (distributed === null ? 1 : DISTRIBUTED_SHARE);
  const all = stage.isBatchedAlone
    ? largestFirst(partitions.map((partition) => [partition]))
    : batches(partitions, batchRows(partitions, config.batch_rows, threads));
  // A single batch is finished before other machines could take it.
  const isDistributed = distributed !== null && all.length > 1;
  if (isDistributed) running.executor = distributed;
  const begin = async (batch: PlannedPartition[]): Promise<void> => {
    if (failed.length === 0) await computeBatch(running, batch);
  };
  const results = await Promise.allSettled(
    all.map((batch) =>
      (isDistributed ? begin(batch) : batchSlots(() => begin(batch))).catch((error) => {
        stop.reason ??= error;
        workers.drop(stop.reason as Error);
        distributed?.drop(stop.reason as Error);
        throw stop.reason;
      }),
    ),
  );
  for (const one of results) if (one.status === 'rejected') throw one.reason;
}

/** Minimum share of an output table's rows that must be rewritten before it is analysed again. */
const ANALYZE_SHARE = 0.1;

/** Returns the columns used by selections and joins; plans need statistics of no others. */
function searchedColumns(table: Table): string[] {
  const { columns, primaryKey, home, indexes } = table;
  const names = [
    ...[partitionColumn(table)].filter((name) => name !== null),
    ...primaryKey,
    ...(home === null ? [] : [home]),
    ...indexes.flatMap((index) => index.columns),
  ];
  return [...new Set(names)].filter((name) => name in columns);
}

const rowsOf = (table: Table, state: RecordedState): number =>
  [...state.cells(recordedName(table)).values()].reduce((sum, { rows }) => sum + rows, 0);

/** Statistics target of tables that are read only by cell and key: their plans depend on row counts per cell or key only. */
const KEY_STATISTICS = 10;

const isReadByKeyAlone = (table: Table): boolean =>
  table.schema === 'asset' ||
  table.indexes.every(({ columns }) => columns.length === 1 && columns[0] === partitionColumn(table));

/** Analyses an output table. Without statistics the server assumes that a newly filled table is empty, and joins it row by row. */
async function analyze(client: pg.ClientBase, { output }: Stage): Promise<void> {
  const columns = searchedColumns(output).map(ident).join(', ');
  const sql = `ANALYZE ${outputTarget(output)} (${columns})`;
  await client.query(
    isReadByKeyAlone(output)
      ? `SET default_statistics_target = ${KEY_STATISTICS}; ${sql}; RESET default_statistics_target`
      : sql,
  );
}

/** Updates the recorded state of a stage, and analyses its table if much of it changed. */
async function endStage({ stage, context, written }: Running): Promise<void> {
  const { client, recordedState: books } = context;
  await books.reload(client, stage.name);
  if (written > rowsOf(stage.output, books) * ANALYZE_SHARE) await analyze(client, stage);
}

/** Plans and computes one stage. Partitions of a batch share their reads and one transaction. */
export async function runStage(stage: Stage, context: StageContext): Promise<StageReport> {
  const { client, recordedState: books, config, runId, progress, onEvent, exclusively: alone } = context;
  const started = performance.now();
  const { partitions, unchanged } = planStage(stage, stage.params(config), books, context.settings);
  let written = 0;
  let elsewhere = 0;
  const computed: PlannedPartition[] = [];
  if (partitions.length > 0) {
    onEvent({
      event: 'stage_started',
      run_id: runId,
      stage: stage.name,
      partitions: partitions.length,
      at: now(),
    });
    const bar = progress.start(`stage ${stage.name}`, partitions.length);
    const executor = inThreads(context.workers);
    const running: Running = { stage, context, bar, written: 0, computed, elsewhere: 0, executor };
    await computeAll(running, partitions);
    ({ written, elsewhere } = running);
    bar.end();
    await alone(() => endStage(running));
  }
  const reasons: Record<string, number> = {};
  for (const { reason } of computed) reasons[reason] = (reasons[reason] ?? 0) + 1;
  const { rows, ...account } = await alone(() => readStageAccount(client, stage.name));
  const removed = computed.filter((partition) => partition.action === 'remove').length;
  const report: StageReport = {
    stage: stage.name,
    partitions_run: computed.length - removed,
    partitions_removed: removed,
    partitions_unchanged: unchanged,
    partitions_elsewhere: elsewhere,
    reasons,
    account,
    rows,
    rows_written: written,
    seconds: (performance.now() - started) / 1000,
  };
  if (partitions.length > 0) onEvent({ event: 'stage_done', run_id: runId, stage: report, at: now() });
  return report;
}
