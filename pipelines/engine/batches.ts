import { NO_CELL } from '../../schema/grid.ts';
import { groupBy } from '../../schema/group_by.ts';
import type { PlannedPartition } from './plan.ts';

/**
 * Groups partitions into batches of about `batchRows` subject rows, in cell order. The partitions of a batch need the same resource and are
 * either all computed by key or none. Batches with the same resource follow each other, largest first.
 */
export function batches(partitions: readonly PlannedPartition[], batchRows: number): PlannedPartition[][] {
  const groups = groupBy(partitions, (partition) =>
    JSON.stringify([partition.resource, partition.changes !== null]),
  );
  return [...groups.values()].flatMap((group) => largestFirst(batchesInOrder(group, batchRows)));
}

const rowsOf = (batch: readonly PlannedPartition[]): number => batch.reduce((sum, { rows }) => sum + rows, 0);

/** Orders batches so that the threads finish at about the same time. */
export const largestFirst = (all: readonly PlannedPartition[][]): PlannedPartition[][] =>
  [...all].sort((a, b) => rowsOf(b) - rowsOf(a));

function batchesInOrder(partitions: readonly PlannedPartition[], batchRows: number): PlannedPartition[][] {
  const out: PlannedPartition[][] = [];
  let current: PlannedPartition[] = [];
  let rows = 0;
  for (const partition of partitions) {
    const full = rows + partition.rows > batchRows || current.length >= MAX_CELLS_PER_BATCH;
    // The partition without coordinates selects its input differently, so it is a batch of its own.
    if (current.length > 0 && (full || current[0]!.cell === NO_CELL)) {
      out.push(current);
      current = [];
      rows = 0;
    }
    current.push(partition);
    rows += partition.rows;
  }
  if (current.length > 0) out.push(current);
  return out;
}

/** Minimum subject rows of a batch; fewer are not worth one. */
const MIN_BATCH_ROWS = 500;

/** Returns the subject rows per batch: as configured, or fewer if threads would otherwise be idle. */
export function batchRows(
  partitions: readonly PlannedPartition[],
  configured: number,
  threads: number,
): number {
  const rows = partitions.reduce((sum, partition) => sum + partition.rows, 0);
  return Math.min(configured, Math.max(MIN_BATCH_ROWS, Math.ceil(rows / threads)));
}

/** Maximum cells in a batch; keeps the statement that selects sparse cells short. */
const MAX_CELLS_PER_BATCH = 256;
