import { addressIndexAsset, matchStateAsset } from '../../../schema/assets/match.ts';
import { stateOfPartition } from '../../../schema/state_partition.ts';
import { chunksOf } from '../../../transforms/address/match/chunks.ts';
import { input } from '../../engine/input.ts';
import { stage } from '../../engine/stage.ts';
import { ADDRESS_INPUTS, readAddressSections } from './address_sections.ts';

export const addressIndexStage = stage({
  name: 'address_index',
  version: 1,
  doc: 'The address index of each state, built once and loaded unchanged by the matching stages.',
  subject: 'state',
  isBatchedAlone: true,
  inputs: {
    state: input(matchStateAsset, ['state'], { kind: 'own' }),
    ...ADDRESS_INPUTS,
  },
  output: addressIndexAsset,
  resource: {
    keyOf: (cell) => stateOfPartition(cell) ?? '',
    build: (reader, state) => readAddressSections(reader, state || null),
  },
  compute({ state }, { cell, resource, emit }) {
    if (resource !== null)
      for (const [no, chunk] of chunksOf(resource).entries()) emit({ state_partition: cell, no, ...chunk });
    const drops: Record<string, number> = resource === null ? { no_addresses_of_state: state.length } : {};
    return { account: { in: state.length, out: resource === null ? 0 : state.length, drops } };
  },
});
