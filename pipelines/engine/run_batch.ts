import type pg from 'pg';
import { EtlError } from '../../schema/errors.ts';
import { type KeyedRows, listBatchKeys } from '../../store/increments/batch_keys.ts';
import { writeKeyChanges } from '../../store/increments/key_changes.ts';
import { replaceRows } from '../../store/increments/replace_rows.ts';
import { claim } from '../../store/state/claims.ts';
import { withoutNestloop } from '../../store/state/without_nestloop.ts';
import { inTransaction } from '../../store/transaction.ts';
import { computeAndWrite } from './compute_partitions.ts';
import { difference, type Fingerprint } from './fingerprint.ts';
import { carryForward } from './increments/carry_forward.ts';
import type { PlannedPartition } from './plan.ts';
import { readInputs } from './read_inputs.ts';
import { type Computed, record, writeRejects } from './record.ts';
import { ResourceCache } from './resources.ts';
import { isFeature, partitionSqlOf } from './slice.ts';
import { runStatement } from './sql_stage.ts';
import type { Stage } from './stage.ts';

/**
 * Stops a run that was declared dead from writing. Locks the run's row until commit: closing the run locks it FOR UPDATE and so waits for
 * this commit. Progress updates of the run do not wait.
 */
export async function checkRun(client: pg.ClientBase, runId: number): Promise<void> {
  const locked = await client.query(
    `SELECT 1 FROM control.run WHERE run_id = $1 AND state = 'running' FOR KEY SHARE`,
    [runId],
  );
  if (locked.rowCount === 0)
    throw new EtlError('run_superseded', `Run ${runId} is not running any more; another took over.`);
}

/** Deletes the rejects of cells that are replaced as a whole. */
async function clearRejects(client: pg.ClientBase, stage: Stage, cells: readonly number[]): Promise<void> {
  if (cells.length === 0) return;
  await client.query('DELETE FROM control.reject WHERE stage = $1 AND cell = ANY ($2)', [stage.name, cells]);
}

/** Partitions of one stage that are computed together, with their plans. */
export interface PartitionBatch {
  runId: number;
  stage: string;
  partitions: readonly PlannedPartition[];
}

export interface BatchSummary {
  /** Cells that were computed or removed, without cells that the run had recorded before. */
  cells: number[];
  /** Rows of all requested partitions. */
  rows: number;
}

/** Claims the partitions still to be computed for this transaction; also returns the rows of those that the run recorded before. */
async function claimed(
  client: pg.ClientBase,
  stage: Stage,
  planned: readonly PlannedPartition[],
  runId: number,
): Promise<{ partitions: readonly PlannedPartition[]; before: number }> {
  const cells = planned.map((partition) => partition.cell);
  const claimedCells = await claim<Fingerprint>(client, runId, stage.name, cells);
  const isDone = ({ action, cell, fingerprint }: PlannedPartition): boolean =>
    action === 'run' &&
    claimedCells.has(cell) &&
    difference(claimedCells.get(cell)!.fingerprint, fingerprint) === null;
  const done = planned.filter(isDone);
  return {
    partitions: planned.filter((partition) => !isDone(partition)),
    before: done.reduce((sum, { cell }) => sum + claimedCells.get(cell)!.rows, 0),
  };
}

/** What a batch is computed with. */
interface BatchContext {
  client: pg.ClientBase;
  stage: Stage;
  params: Readonly<Record<string, unknown>>;
  runId: number;
  resources: ResourceCache;
}

/** Computes partitions, or only their keys listed in this transaction, and writes the rows to `target`. */
async function compute(
  { client, stage, params, resources }: BatchContext,
  run: readonly PlannedPartition[],
  target: string,
): Promise<Computed[]> {
  const { compute } = stage;
  if (typeof compute !== 'function') {
    const statement = () => runStatement(client, stage, compute, run, target);
    // Whole partitions have many rows, but the server estimates few.
    return run[0]!.changes === null ? withoutNestloop(client, statement) : statement();
  }
  const inputs = await readInputs(client, stage, run);
  // All partitions of a batch need the same resource (batches.ts).
  const resource = await resources.get(client, stage, run[0]!);
  return computeAndWrite({ client, stage: { ...stage, compute }, params, resource, target }, run, inputs);
}

/** Returns how to find the subject rows of a stage's keys. */
function subjectsOf({ inputs, subject, output }: Stage): KeyedRows {
  const input = inputs[subject]!;
  const looksAround = Object.values(inputs).some(
    ({ scope, table }) => scope.kind === 'near' && isFeature(table),
  );
  return { table: input.table, partition: partitionSqlOf(input), key: output.tracked!, looksAround };
}

/** Executes the transaction of a batch, from reading rows to recording the result. */
async function transact(context: BatchContext, planned: readonly PlannedPartition[]): Promise<BatchSummary> {
  const { client, stage, runId } = context;
  await checkRun(client, runId);
  const { partitions, before: known } = await claimed(client, stage, planned, runId);
  const cells = partitions.map((partition) => partition.cell);
  if (cells.length === 0) return { cells, rows: known };
  const run = partitions.filter((partition) => partition.action === 'run');
  // Either all partitions of a batch are computed by key or none (batches.ts).
  const isByKey = run.some((partition) => partition.changes !== null);
  if (isByKey) await listBatchKeys(client, run, subjectsOf(stage));
  const replacedCells = isByKey ? [] : partitions.filter(({ replaces }) => replaces).map(({ cell }) => cell);
  const replaced = isByKey ? 'listed' : replacedCells;
  const {
    result: results,
    made,
    changes,
    made_in,
  } = await replaceRows(client, stage.output, replaced, async (target) => {
    await clearRejects(client, stage, replacedCells);
    return run.length === 0 ? [] : compute(context, run, target);
  });
  const removed = partitions.filter(({ action }) => action === 'remove').map(({ cell }) => cell);
  if (removed.length > 0)
    await client.query('DELETE FROM control.partition WHERE stage = $1 AND cell = ANY ($2)', [
      stage.name,
      removed,
    ]);
  if (isByKey) await carryForward(client, stage, results, made, runId);
  else {
    for (const { partition, rejects } of results) await writeRejects(client, stage, partition.cell, rejects);
    await record(client, stage, results, runId, made_in);
  }
  await writeKeyChanges(client, stage.name, runId, changes);
  return { cells, rows: results.reduce((sum, result) => sum + result.rows, known) };
}

/**
 * Computes a batch of partitions and writes rows, digests, accounts and fingerprints in one transaction. It may run twice: partitions that
 * the run already recorded are skipped, and those claimed elsewhere are waited for.
 */
export async function runBatch(
  client: pg.ClientBase,
  stage: Stage,
  params: Readonly<Record<string, unknown>>,
  { partitions, runId }: Omit<PartitionBatch, 'stage'>,
  resources = new ResourceCache(),
): Promise<BatchSummary> {
  return inTransaction(client, () => transact({ client, stage, params, runId, resources }, partitions));
}
