import type pg from 'pg';
import { EtlError } from '../../schema/errors.ts';
import { partitionName } from '../../schema/partition.ts';
import { computedDigests, deleteListed, stageListed, writtenDigests } from '../../store/batch_keys.ts';
import { type PartitionContent, readContents } from '../../store/books.ts';
import { type CellChange, compareKeys, type KeyDigest, writeKeyChanges } from '../../store/key_changes.ts';
import { checkAccount } from './compute_partitions.ts';
import type { PlannedPartition } from './plan.ts';
import { type Computed, outputTarget, type PartitionRecord, writePartitions } from './record.ts';
import type { Stage } from './stage.ts';

/** Fails where a stage that is computed by key wrote other than it accounts for. */
function checkKeys(stage: Stage, results: readonly Computed[], written: readonly KeyDigest[]): void {
  const filled = new Map<number, number>();
  for (const { cell } of written) filled.set(cell, (filled.get(cell) ?? 0) + 1);
  for (const { partition, account } of results) {
    const keys = filled.get(partition.cell) ?? 0;
    if (keys === account.out) continue;
    throw new EtlError(
      'unbalanced',
      `Stage ${stage.name}, ${partitionName(stage.output.partition, partition.cell)}: ${account.out} of the changed keys have rows by its account, but ${keys} were written.`,
      { details: { stage: stage.name, cell: partition.cell, account } },
    );
  }
}

/** What a partition is after some of its keys were computed: what it was, and what became of those keys. */
function recordOf(
  stage: Stage,
  partition: PlannedPartition,
  was: PartitionContent,
  change: CellChange | undefined,
): PartitionRecord {
  const out = was.account.out + (change?.filled ?? 0);
  const { dropped } = stage.byKey!;
  const without = partition.subject_rows - out;
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
      drops: without > 0 && dropped !== null ? { [dropped]: without } : {},
      rejects: 0,
    },
    reason: partition.reason,
    staged_by_key: stage.output.schema === 'serving' && (was.staged_by_key || !was.staged),
  };
}

/**
 * Computes partitions for their changed keys (store/batch_keys.ts) inside the transaction of a batch: takes the rows of those keys out,
 * has `compute` write what they are, and carries digest, rows and account forward by the difference. Gives the number of rows written.
 */
export async function runKeys(
  client: pg.ClientBase,
  stage: Stage,
  partitions: readonly PlannedPartition[],
  compute: () => Promise<Computed[]>,
  runId: number,
): Promise<number> {
  const cells = partitions.map((partition) => partition.cell);
  const target = outputTarget(stage.output);
  const before = await computedDigests(client, stage.output);
  await deleteListed(client, stage.output, target);
  const results = await compute();
  const after = await writtenDigests(client, stage.output, target);
  checkKeys(stage, results, after);
  const contents = await readContents(client, stage.name, cells);
  const changes = compareKeys(before, after);
  const changeOf = new Map(changes.map((change) => [change.cell, change]));
  const records = partitions.map((partition) =>
    recordOf(stage, partition, contents.get(partition.cell)!, changeOf.get(partition.cell)),
  );
  for (const { cell, account } of records) checkAccount(stage, cell, account, 0);
  await writePartitions(client, stage, records, runId);
  const byKey = records.filter((record) => record.staged_by_key).map((record) => record.cell);
  await stageListed(client, stage.name, byKey);
  await writeKeyChanges(client, stage.name, runId, changes);
  return results.reduce((sum, { rows }) => sum + rows, 0);
}
