import { addressIndexAsset, matchStateAsset } from '../../schema/match_assets.ts';
import {
  addressAliasRecord,
  addressParentRecord,
  addressRecord,
  localityAliasRecord,
  localityNeighbourRecord,
  localityRecord,
  streetAliasRecord,
  streetRecord,
} from '../../schema/records/address.ts';
import { stateOfPartition } from '../../schema/state_partition.ts';
import { chunksOf } from '../../transforms/address/match/chunks.ts';
import { INDEX_COLUMNS } from '../../transforms/address/match/rows.ts';
import { readAddressSections } from '../address_source.ts';
import { input, stage } from '../engine/stage.ts';

const WHOLE = { kind: 'resource' } as const;

export const addressIndexStage = stage({
  name: 'address_index',
  version: 1,
  doc: 'The index of the addresses of each state, built once and loaded as it is by whoever matches.',
  subject: 'state',
  alone: true,
  inputs: {
    state: input(matchStateAsset, ['state'], { kind: 'home' }),
    locality: input(localityRecord, INDEX_COLUMNS.localities, WHOLE),
    locality_alias: input(localityAliasRecord, INDEX_COLUMNS.locality_aliases, WHOLE),
    locality_neighbour: input(localityNeighbourRecord, INDEX_COLUMNS.locality_neighbours, WHOLE),
    street: input(streetRecord, INDEX_COLUMNS.streets, WHOLE),
    street_alias: input(streetAliasRecord, INDEX_COLUMNS.street_aliases, WHOLE),
    address: input(addressRecord, INDEX_COLUMNS.addresses, WHOLE),
    address_alias: input(addressAliasRecord, INDEX_COLUMNS.address_aliases, WHOLE),
    address_parent: input(addressParentRecord, INDEX_COLUMNS.address_parents, WHOLE),
  },
  output: addressIndexAsset,
  resource: {
    keyOf: (cell) => stateOfPartition(cell) ?? '',
    build: (client, state) => readAddressSections(client, state || null),
    isPassing: true,
  },
  compute({ state }, { cell, resource, emit }) {
    if (resource !== null)
      for (const [no, chunk] of chunksOf(resource).entries()) emit({ cell, no, ...chunk });
    const drops: Record<string, number> = resource === null ? { no_addresses_of_state: state.length } : {};
    return { account: { in: state.length, out: resource === null ? 0 : state.length, drops } };
  },
});
