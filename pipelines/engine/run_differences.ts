import type pg from 'pg';
import { EtlError } from '../../schema/errors.ts';
import { partitionName } from '../../schema/partition.ts';
import { partitionColumn } from '../../schema/table.ts';
import { readCells, stageOfServing } from '../../store/assets.ts';
import { type PartitionContent, readContents } from '../../store/books.ts';
import { readRowsBefore } from '../../store/key_changes.ts';
import { isReadByKey } from './changed_keys.ts';
import type { PlannedPartition } from './plan.ts';
import { type Inputs, sortByKey } from './read_inputs.ts';
import type { Stage, StageAccount } from './stage.ts';

type AnyRow = Record<string, unknown>;

/** What a partition holds from now on, and its account. */
export interface Update {
  rows: AnyRow[];
  account: StageAccount;
}

/** Rows before the changes, by cell and key; keys that are not in it have the rows that they had. */
type Before = ReadonlyMap<number, ReadonlyMap<unknown, readonly AnyRow[]>>;

async function readBefore(
  client: pg.ClientBase,
  stage: Stage,
  partitions: readonly PlannedPartition[],
): Promise<ReadonlyMap<string, Before>> {
  const changes = partitions.flatMap((partition) => partition.changes?.own ?? []);
  const all = new Map<string, Before>();
  for (const [name, input] of Object.entries(stage.inputs)) {
    const cells = new Map<number, Map<unknown, readonly AnyRow[]>>();
    all.set(name, cells);
    if (input.table.tracked === null || !isReadByKey(stage, input)) continue;
    for (const { cell, key, rows } of await readRowsBefore(client, stageOfServing(input.table), changes)) {
      const keys = cells.get(cell) ?? new Map<unknown, readonly AnyRow[]>();
      cells.set(cell, keys.set(key, rows));
    }
  }
  return all;
}

/** The rows of one input before the changes: those that were kept, beside the present ones of the keys that did not change in it. */
function rowsBefore(
  key: string,
  primaryKey: readonly string[],
  is: readonly AnyRow[],
  before: ReadonlyMap<unknown, readonly AnyRow[]> | undefined,
): AnyRow[] {
  if (before === undefined) return [...is];
  const unchanged = is.filter((row) => !before.has(row[key]));
  return sortByKey([...unchanged, ...[...before.values()].flat()], primaryKey);
}

/** The account of a partition of which `out` more subject rows count than by the one that is recorded. */
function accountAfter(
  stage: Stage,
  { cell, subject_rows }: PlannedPartition,
  recorded: PartitionContent['account'],
  more: { in: number; out: number },
): StageAccount {
  const out = recorded.out + more.out;
  const without = subject_rows - out;
  if (recorded.in + more.in !== subject_rows || without < 0)
    throw new EtlError(
      'unbalanced',
      `Stage ${stage.name}, ${partitionName(stage.output.partition, cell)}: ${recorded.in} subject rows and ${more.in} more are not the ${subject_rows} that there are.`,
      { details: { stage: stage.name, cell, recorded, more } },
    );
  const { dropped } = stage.byDifference!;
  return { in: subject_rows, out, drops: without > 0 && dropped !== null ? { [dropped]: without } : {} };
}

/**
 * What partitions hold from now on, by cell, of those that follow from what they held and from the changed keys; the others must be
 * computed from all their rows. `inputs` gives the present rows of the keys, which stand in the list of the transaction.
 */
export async function updatesOf(
  client: pg.ClientBase,
  stage: Stage,
  partitions: readonly PlannedPartition[],
  inputs: Inputs,
): Promise<ReadonlyMap<number, Update>> {
  const { key, update } = stage.byDifference!;
  const cells = partitions.map(({ cell }) => cell);
  const { output } = stage;
  const column = partitionColumn(output)!;
  const before = await readBefore(client, stage, partitions);
  const contents = await readContents(client, stage.name, cells);
  const held = await readCells(client, output, Object.keys(output.columns), cells);
  const updates = new Map<number, Update>();
  for (const partition of partitions) {
    const { cell } = partition;
    const is = inputs(partition);
    const was = Object.fromEntries(
      Object.entries(stage.inputs).map(([name, { table }]) => [
        name,
        rowsBefore(key, table.primaryKey, is[name]!, before.get(name)!.get(cell)),
      ]),
    );
    const rows = held.filter((row) => row[column] === cell);
    const updated = update({ was, is, rows }, cell);
    if (updated === null) continue;
    const more = { in: is[stage.subject]!.length - was[stage.subject]!.length, out: updated.out };
    const { account } = contents.get(cell)!;
    updates.set(cell, { rows: updated.rows, account: accountAfter(stage, partition, account, more) });
  }
  return updates;
}
