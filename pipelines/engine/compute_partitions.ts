import type pg from 'pg';
import { EtlError } from '../../schema/errors.ts';
import { partitionName } from '../../schema/partition.ts';
import { type CopyIn, copyInto } from '../../store/copy/copy_binary.ts';
import type { PlannedPartition } from './plan.ts';
import type { PartitionRows } from './read_inputs.ts';
import type { Computed } from './record.ts';
import type { ComputedStage, Stage, StageAccount, StageResult } from './stage.ts';

/** Checks that a partition's account balances. @throws EtlError `unbalanced` */
export function checkAccount(stage: Stage, cell: number, account: StageAccount, rejects: number): void {
  const dropped = Object.values(account.drops).reduce((sum, n) => sum + n, 0);
  if (account.in !== account.out + dropped + rejects) {
    throw new EtlError(
      'unbalanced',
      `Stage ${stage.name}, ${partitionName(stage.output.partition, cell)}: ${account.in} rows in, but ${account.out} out + ${rejects} rejected + ${dropped} dropped.`,
      { details: { stage: stage.name, cell, account } },
    );
  }
}

/** Destination of the current computation's rows. Computations are synchronous, so a thread has only one. */
let output: CopyIn;
let written = 0;

/** One function for all batches of a thread: the loops that call it are then optimised once. */
function emit(row: Record<string, unknown>): void {
  output.add(row);
  written++;
}

/** What partitions are computed with, and the table that their rows are written to. */
interface Computation {
  client: pg.ClientBase;
  stage: ComputedStage;
  params: Readonly<Record<string, unknown>>;
  resource: unknown;
  target: string;
}

/**
 * Computes partitions in sequence. Rows are sent to the table `target` while a partition is computed, and nearly all before the next
 * begins, so memory holds at most the bytes of one partition.
 */
export async function computeAndWrite(
  { client, stage, params, resource, target }: Computation,
  partitions: readonly PlannedPartition[],
  inputs: PartitionRows,
): Promise<Computed[]> {
  const copy = copyInto(client, target, stage.output.columns);
  const computed: Computed[] = [];
  try {
    for (const partition of partitions) {
      output = copy;
      written = 0;
      const { cell } = partition;
      const result = stage.compute(inputs(partition), { cell, params, resource, emit });
      const rows = written;
      const { account, refs = [], rejects = [] }: Omit<StageResult, 'rows'> = result;
      checkAccount(stage, partition.cell, account, rejects.length);
      await copy.taken();
      computed.push({ partition, rows, refs, account, rejects });
    }
    await copy.end();
  } catch (error) {
    // Until the COPY is aborted, the connection accepts no other statement, not even ROLLBACK.
    copy.abort();
    throw error;
  }
  return computed;
}
