import type pg from 'pg';
import { beginFill, endFill, type Filled, openFills } from '../../store/first_fill.ts';
import { buildInOneProcess } from '../../store/first_rows.ts';
import type { PlannedPartition } from './plan.ts';
import { checkRun } from './run_batch.ts';
import type { Stage } from './stage.ts';
import type { Books } from './view.ts';

/** Subject rows from which on building indexes afterwards gains more than taking them off and putting them back costs. */
const FILL_ROWS = 20_000;

/** Does some work in a transaction of a run that goes on. */
async function fenced<T>(client: pg.ClientBase, runId: number, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN');
  try {
    await checkRun(client, runId);
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** Begins a first fill (store/first_fill.ts) where nothing is recorded of a stage and there is much to compute. Returns whether it did. */
export async function beginStageFill(
  client: pg.ClientBase,
  { name, output }: Stage,
  partitions: readonly PlannedPartition[],
  books: Books,
  runId: number,
): Promise<boolean> {
  const rows = partitions.reduce((sum, partition) => sum + partition.rows, 0);
  if (books.recorded(name).size > 0 || rows < FILL_ROWS) return false;
  await fenced(client, runId, () => beginFill(client, name, output));
  return true;
}

/** Ends the first fill of a stage's table; there need be none. `isBusy`: others need all cores. Returns what `endFill` does. */
export const endStageFill = (
  client: pg.ClientBase,
  { name, output }: Stage,
  runId: number,
  isBusy = false,
): Promise<Filled | null> =>
  fenced(client, runId, async () => {
    if (isBusy) await buildInOneProcess(client);
    return endFill(client, name, output);
  });

/** Ends the first fills that an earlier run has left. */
export async function endLeftFills(
  client: pg.ClientBase,
  stages: readonly Stage[],
  runId: number,
): Promise<void> {
  const left = new Set(await openFills(client));
  for (const stage of stages) if (left.has(stage.name)) await endStageFill(client, stage, runId);
}
