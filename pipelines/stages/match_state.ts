import type { ClientBase } from 'pg';
import { stateOfBucket } from '../../schema/event_bucket.ts';
import { NO_CELL } from '../../schema/grid.ts';
import { matchStateAsset } from '../../schema/match_assets.ts';
import { localityRecord } from '../../schema/records/address.ts';
import { marketEventRecord } from '../../schema/records/market_event.ts';
import { statePartition } from '../../schema/state_partition.ts';
import { input, stage } from '../engine/stage.ts';
import { readEventBuckets } from './event_buckets.ts';

/** States that have localities, and null beside them where some events state none. Without market events: none. */
async function readStates(client: ClientBase): Promise<(string | null)[]> {
  const buckets = await readEventBuckets(client);
  if (buckets.length === 0) return [];
  const { rows } = await client.query<{ state: string }>('SELECT DISTINCT state FROM record.locality');
  const isStated = buckets.every((bucket) => stateOfBucket(bucket) !== null);
  return [...rows.map(({ state }) => state), ...(isStated ? [] : [null])];
}

export const matchStateStage = stage({
  name: 'match_state',
  version: 1,
  doc: 'The states whose addresses market events are matched with.',
  subject: 'event',
  by: 'whole',
  inputs: {
    event: input(marketEventRecord, ['cell'], { kind: 'resource' }),
    locality: input(localityRecord, ['state'], { kind: 'resource' }),
  },
  output: matchStateAsset,
  resource: { keyOf: () => '', build: readStates },
  compute(_, { resource, emit }) {
    for (const state of resource) emit({ cell: NO_CELL, state_cell: statePartition(state), state });
    return { account: { in: resource.length, out: resource.length, drops: {} } };
  },
});
