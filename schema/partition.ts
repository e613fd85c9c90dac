import { ident } from './ddl.ts';
import { stateOfBucket, yearMonthOfBucket } from './event_bucket.ts';
import { modelOfPartition } from './model_partition.ts';
import { stateOfPartition } from './state_partition.ts';
import { type PartitionKind, partitionColumn, type Table } from './table.ts';

/** Number of the partition of a table with only one. */
export const WHOLE = -1;

/** SQL expression: partition number of a row; `alias` is a prefix such as `o.`. */
export function partitionSql(table: Pick<Table, 'partition'>, alias = ''): string {
  const column = partitionColumn(table);
  return column === null ? `(${WHOLE})` : `${alias}${ident(column)}`;
}

/** Returns a partition's display name: `cell 2893710`, `month VIC 2024-03`, `model VIC house sale`, `the whole`. */
export function partitionName(kind: PartitionKind, number: number): string {
  switch (kind) {
    case 'cell':
      return `cell ${number}`;
    case 'month':
      return `month ${stateOfBucket(number) ?? 'of no state'} ${yearMonthOfBucket(number)}`;
    case 'state':
      return `state ${stateOfPartition(number) ?? 'all'}`;
    case 'model': {
      const { kind: valued, state } = modelOfPartition(number);
      return `model ${state === '' ? 'all states' : state} ${valued}`;
    }
    case 'whole':
      return 'the whole';
  }
}
