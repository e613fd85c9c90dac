import { matchStateAsset } from '../../../schema/assets/match.ts';
import { stateOfBucket } from '../../../schema/event_bucket.ts';
import { localityRecord } from '../../../schema/records/address.ts';
import { marketEventRecord } from '../../../schema/records/market_event.ts';
import { statePartition } from '../../../schema/state_partition.ts';
import type { DeclaredReader } from '../../engine/declared_reader.ts';
import { input } from '../../engine/input.ts';
import { stage } from '../../engine/stage.ts';

const INPUTS = {
  event: input(marketEventRecord, ['month_partition'], { kind: 'resource' }),
  locality: input(localityRecord, ['state'], { kind: 'resource' }),
};

/** Reads the states that have localities, plus null if some events state no state. Without market events: none. */
async function readStates(reader: DeclaredReader<typeof INPUTS>): Promise<(string | null)[]> {
  const buckets = await reader.cells('event');
  if (buckets.length === 0) return [];
  const states = new Set((await reader.rows('locality')).map(({ state }) => state));
  const isStated = buckets.every((bucket) => stateOfBucket(bucket) !== null);
  return [...states, ...(isStated ? [] : [null])];
}

export const matchStateStage = stage({
  name: 'match_state',
  version: 1,
  doc: 'The states whose addresses market events are matched against.',
  subject: 'event',
  inputs: INPUTS,
  output: matchStateAsset,
  resource: { keyOf: () => '', build: readStates },
  compute(_, { resource, emit }) {
    for (const state of resource) emit({ state_partition: statePartition(state), state });
    return { account: { in: resource.length, out: resource.length, drops: {} } };
  },
});
