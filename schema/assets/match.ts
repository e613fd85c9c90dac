import { col, nullable, table } from '../table.ts';

/** Output of the stage match_state. */
export const matchStateAsset = table({
  schema: 'asset',
  name: 'match_state',
  doc: 'The states whose addresses are indexed to match market events with; none where there are no events.',
  columns: {
    state_partition: col('int4', 'Partition of the state (schema/state_partition.ts).'),
    state: nullable('text', 'State abbreviation; null: every state, for events that do not state one.'),
  },
  primaryKey: ['state_partition'],
  home: 'state_partition',
});

/** Output of the stage address_index. */
export const addressIndexAsset = table({
  schema: 'asset',
  name: 'address_index',
  doc: 'The index that texts are matched with, as the bytes of its arrays.',
  columns: {
    state_partition: col('int4', 'Partition of the state (schema/state_partition.ts).'),
    no: col('int4', 'Number of the chunk in the partition, from 0.'),
    section: col('text', 'Name of the array.'),
    kind: col('text', 'Kind of its elements: int8, int16, uint16, int32 or float64.'),
    size: col('int4', 'Elements of the whole array.'),
    start: col('int4', 'Byte of the array that the chunk begins at.'),
    bytes: col('bytea', 'Little-endian; small enough to stand in the row, so that no compression is tried.'),
  },
  primaryKey: ['state_partition', 'no'],
  indexes: [{ columns: ['state_partition'] }],
  partition: 'state',
});
