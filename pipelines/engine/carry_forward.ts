import type pg from 'pg';
import { EtlError } from '../../schema/errors.ts';
import type { Bbox } from '../../schema/grid.ts';
import { partitionName, partitionSql } from '../../schema/partition.ts';
import { extentSql, intArray, source } from '../../store/assets.ts';
import { type PartitionContent, readContents } from '../../store/books/books.ts';
import type { Replacement } from '../../store/books/replace_rows.ts';
import { checkAccount } from './compute_partitions.ts';
import { type Computed, type PartitionRecord, recordHomes, writePartitions } from './record.ts';
import type { Stage } from './stage.ts';

/** Fails where the rows of the changed keys are others than the computation accounts for. */
function checkKeys(stage: Stage, { partition, account }: Computed, written: number): void {
  if (written === account.out) return;
  throw new EtlError(
    'unbalanced',
    `Stage ${stage.name}, ${partitionName(stage.output.partition, partition.cell)}: ${account.out} of the changed keys have rows by its account, but ${written} were written.`,
    { details: { stage: stage.name, cell: partition.cell, account } },
  );
}

/** Drops of a whole partition: all of one name, under which the stage drops subject rows without output. */
function dropsOf(stage: Stage, without: number, known: readonly string[]): Record<string, number> {
  if (without === 0) return {};
  const [name, ...others] = new Set(known);
  if (name === undefined || others.length > 0)
    throw new TypeError(`Stage ${stage.name} is computed by key and must drop rows under one name.`);
  return { [name]: without };
}

/** What a partition is after some of its keys were computed: what it was, and what became of those keys. */
function recordOf(
  stage: Stage,
  { partition, account }: Computed,
  was: PartitionContent,
  change: Replacement | undefined,
): PartitionRecord {
  const out = was.account.out + (change?.filled ?? 0);
  const names = [...Object.keys(was.account.drops), ...Object.keys(account.drops)];
  return {
    cell: partition.cell,
    fingerprint: partition.fingerprint,
    digest: String(BigInt(was.output_digest) + (change?.delta ?? 0n)),
    rows: was.rows + (change?.rows ?? 0),
    refs: was.refs,
    extent: was.extent,
    account: {
      in: partition.subject_rows,
      out,
      drops: dropsOf(stage, partition.subject_rows - out, names),
      rejects: 0,
    },
    reason: partition.reason,
  };
}

/** Boxes around what the rows of partitions are about, of a table that declares what that is: a box can shrink, so it is taken anew. */
async function extentsOf(
  client: pg.ClientBase,
  { output }: Stage,
  cells: readonly number[],
): Promise<ReadonlyMap<number, Bbox>> {
  if (output.extent === null) return new Map();
  const { rows } = await client.query<{ cell: number; extent: Bbox | null }>(
    `SELECT ${partitionSql(output)} AS cell, ${extentSql(output)} AS extent
     FROM ${source(output, `${partitionSql(output)} = ANY (${intArray(cells)})`)} GROUP BY 1`,
  );
  return new Map(rows.flatMap(({ cell, extent }) => (extent === null ? [] : [[cell, extent] as const])));
}

/**
 * Records partitions whose listed keys were computed (store/books/batch_keys.ts): digest, rows and account change by the difference of those
 * keys.
 */
export async function carryForward(
  client: pg.ClientBase,
  stage: Stage,
  results: readonly Computed[],
  changes: readonly Replacement[],
  runId: number,
): Promise<void> {
  const contents = await readContents(
    client,
    stage.name,
    results.map(({ partition }) => partition.cell),
  );
  const extents = await extentsOf(client, stage, [...contents.keys()]);
  const changeOf = new Map(changes.map((change) => [change.cell, change]));
  const records = results.map((computed) => {
    const { cell } = computed.partition;
    checkKeys(stage, computed, changeOf.get(cell)?.keys_written ?? 0);
    const was = { ...contents.get(cell)!, extent: extents.get(cell) ?? null };
    return recordOf(stage, computed, was, changeOf.get(cell));
  });
  for (const { cell, account } of records) checkAccount(stage, cell, account, 0);
  await writePartitions(client, stage, records, runId);
  await recordHomes(
    client,
    stage,
    records.map(({ cell }) => cell),
  );
}
