import type { ClientBase } from 'pg';
import { addressIndexAsset } from '../schema/match_assets.ts';
import { statePartition } from '../schema/state_partition.ts';
import { readBatches } from '../store/assets.ts';
import { type Chunk, SectionsReader } from '../transforms/address/match/chunks.ts';
import type { Sections } from '../transforms/address/match/sections.ts';

/** Columns of asset.address_index that the index is put together from. */
export const INDEX_CHUNK_COLUMNS = ['section', 'kind', 'size', 'start', 'bytes'] as const;

/** The index that the stage address_index has stored of a state, null for all of them together; null: there is none. */
export async function readStoredSections(client: ClientBase, state: string | null): Promise<Sections | null> {
  const reader = new SectionsReader();
  const where = `cell = ${statePartition(state)}`;
  for await (const chunks of readBatches(client, addressIndexAsset, INDEX_CHUNK_COLUMNS, where))
    for (const chunk of chunks) reader.add(chunk as unknown as Chunk);
  return reader.finish();
}
