import { addressIndexAsset } from '../../../schema/assets/match.ts';
import { statePartition } from '../../../schema/state_partition.ts';
import { SectionsReader } from '../../../transforms/address/match/chunks.ts';
import type { IndexSections } from '../../../transforms/address/match/sections.ts';
import type { DeclaredReader } from '../../engine/declared_reader.ts';
import { input } from '../../engine/input.ts';

/** Input with the sections of the stored index. */
export const STORED_INDEX = {
  index: input(addressIndexAsset, ['section', 'kind', 'size', 'start', 'bytes'], { kind: 'resource' }),
};

/**
 * Reads the address index of a state that stage address_index stored. `state` null: all states together. Returns null if none is stored.
 */
export async function readStoredSections(
  reader: DeclaredReader<typeof STORED_INDEX>,
  state: string | null,
): Promise<IndexSections | null> {
  const sections = new SectionsReader();
  for await (const chunks of reader.batches('index', { where: { state_partition: statePartition(state) } }))
    for (const chunk of chunks) sections.add(chunk);
  return sections.finish();
}
