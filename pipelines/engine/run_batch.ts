import type pg from 'pg';
import { EtlError } from '../../schema/errors.ts';
import { type KeyedRows, listBatchKeys } from '../../store/state/batch_keys.ts';
import { claim } from '../../store/state/claims.ts';
import { writeKeyChanges } from '../../store/state/key_changes.ts';
import { replaceRows } from '../../store/state/replace_rows.ts';
import { withoutNestloop } from '../../store/state/without_nestloop.ts';
import { carryForward } from './carry_forward.ts';
import { computeAndWrite } from './compute_partitions.ts';
import { difference, type Fingerprint } from './fingerprint.ts';
import type { PlannedPartition } from './plan.ts';
import { readInputs } from './read_inputs.ts';
import { type Computed, record, writeRejects } from './record.ts';
import { ResourceCache } from './resources.ts';
import { isFeature, partitionSqlOf } from './slice.ts';
import { runStatement } from './sql_stage.ts';
import type { Stage } from './stage.ts';

/**
 * Fencing: a run that was declared dead must not write any more. Locks the run's row until commit, so that closing it, which locks the
 * row FOR UPDATE, waits for a commit in progress. The run's own progress does not wait.
 */
export async function checkRun(client: pg.ClientBase, runId: number): Promise<void> {
  const found = await client.query(
    `SELECT 1 FROM control.run WHERE run_id = $1 AND state = 'running' FOR KEY SHARE`,
    [runId],
  );
  if (found.rowCount === 0)
    throw new EtlError('run_superseded', `Run ${runId} is not running any more; another took over.`);
}

/** Deletes the rejects of cells that are replaced as a whole. */
async function clearRejects(client: pg.ClientBase, stage: Stage, cells: readonly number[]): Promise<void> {
  if (cells.length === 0) return;
  await client.query('DELETE FROM control.reject WHERE stage = $1 AND cell = ANY ($2)', [stage.name, cells]);
}

/** Partitions of one stage that are computed together, with the plan of each. */
export interface PartitionBatch {
  runId: number;
  stage: string;
  partitions: readonly PlannedPartition[];
}

/** Result of a batch. */
export interface BatchSummary {
  /** Cells that were computed or removed; those that the run had recorded already are not among them. */
  cells: number[];
  /** Rows of all partitions that were asked for. */
  rows: number;
}

/** The partitions that are still to be computed, claimed for this transaction, and the rows of those that the run recorded before. */
async function claimed(
  client: pg.ClientBase,
  stage: Stage,
  asked: readonly PlannedPartition[],
  runId: number,
): Promise<{ partitions: readonly PlannedPartition[]; before: number }> {
  const cells = asked.map((partition) => partition.cell);
  const known = await claim<Fingerprint>(client, runId, stage.name, cells);
  const isDone = ({ action, cell, fingerprint }: PlannedPartition): boolean =>
    action === 'run' && known.has(cell) && difference(known.get(cell)!.fingerprint, fingerprint) === null;
  const done = asked.filter(isDone);
  return {
    partitions: asked.filter((partition) => !isDone(partition)),
    before: done.reduce((sum, { cell }) => sum + known.get(cell)!.rows, 0),
  };
}

/** Computes partitions, or those of their keys that the transaction lists, and writes the rows to `target`. */
async function compute(
  client: pg.ClientBase,
  stage: Stage,
  params: Readonly<Record<string, unknown>>,
  run: readonly PlannedPartition[],
  resources: ResourceCache,
  target: string,
): Promise<Computed[]> {
  const { compute } = stage;
  if (typeof compute !== 'function') {
    const statement = () => runStatement(client, stage, compute, run, target);
    // The rows of whole partitions are many, and estimated as few.
    return run[0]!.changes === null ? withoutNestloop(client, statement) : statement();
  }
  const inputs = await readInputs(client, stage, run);
  // All partitions of a batch need the same one (batches.ts).
  const resource = await resources.get(client, stage, run[0]!);
  return computeAndWrite(client, { ...stage, compute }, params, run, inputs, resource, target);
}

/** The rows that the keys of a stage are of. */
function subjectsOf({ inputs, subject, output }: Stage): KeyedRows {
  const input = inputs[subject]!;
  const looksAround = Object.values(inputs).some(
    ({ scope, table }) => scope.kind === 'near' && isFeature(table),
  );
  return { table: input.table, partition: partitionSqlOf(input), key: output.tracked!, looksAround };
}

/** The transaction of a batch, from the rows that it reads to what is recorded of it. */
async function transact(
  client: pg.ClientBase,
  stage: Stage,
  params: Readonly<Record<string, unknown>>,
  asked: readonly PlannedPartition[],
  runId: number,
  resources: ResourceCache,
): Promise<BatchSummary> {
  await checkRun(client, runId);
  const { partitions, before: known } = await claimed(client, stage, asked, runId);
  const cells = partitions.map((partition) => partition.cell);
  if (cells.length === 0) return { cells, rows: known };
  const run = partitions.filter((partition) => partition.action === 'run');
  // The partitions of a batch are all computed by key, or none (batches.ts).
  const isByKey = run.some((partition) => partition.changes !== null);
  if (isByKey) await listBatchKeys(client, run, subjectsOf(stage));
  const whole = isByKey ? [] : partitions.filter(({ replaces }) => replaces).map(({ cell }) => cell);
  const replaced = isByKey ? 'listed' : whole;
  const {
    result: results,
    made,
    changes,
    made_in,
  } = await replaceRows(client, stage.output, replaced, async (target) => {
    await clearRejects(client, stage, whole);
    return run.length === 0 ? [] : compute(client, stage, params, run, resources, target);
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
 * Computes a batch of partitions and writes rows, digests, accounts and fingerprints in one transaction. It may run twice: partitions
 * already recorded by the run are skipped, and those in progress elsewhere are waited for.
 */
export async function runBatch(
  client: pg.ClientBase,
  stage: Stage,
  params: Readonly<Record<string, unknown>>,
  partitions: readonly PlannedPartition[],
  runId: number,
  resources = new ResourceCache(),
): Promise<BatchSummary> {
  await client.query('BEGIN');
  try {
    const summary = await transact(client, stage, params, partitions, runId, resources);
    await client.query('COMMIT');
    return summary;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}
