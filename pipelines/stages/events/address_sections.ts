import {
  addressAliasRecord,
  addressParentRecord,
  addressRecord,
  localityAliasRecord,
  localityNeighbourRecord,
  localityRecord,
  streetAliasRecord,
  streetRecord,
} from '../../../schema/records/address.ts';
import { buildSections } from '../../../transforms/address/match/build.ts';
import { INDEX_COLUMNS, type IndexSource } from '../../../transforms/address/match/index_rows.ts';
import type { IndexSections } from '../../../transforms/address/match/sections.ts';
import type { DeclaredReader, RowSelection } from '../../engine/declared_reader.ts';
import { input } from '../../engine/input.ts';

const WHOLE = { kind: 'resource' } as const;

export const ADDRESS_INPUTS = {
  locality: input(localityRecord, INDEX_COLUMNS.localities, WHOLE),
  locality_alias: input(localityAliasRecord, INDEX_COLUMNS.locality_aliases, WHOLE),
  locality_neighbour: input(localityNeighbourRecord, INDEX_COLUMNS.locality_neighbours, WHOLE),
  street: input(streetRecord, INDEX_COLUMNS.streets, WHOLE),
  street_alias: input(streetAliasRecord, INDEX_COLUMNS.street_aliases, WHOLE),
  address: input(addressRecord, INDEX_COLUMNS.addresses, WHOLE),
  address_alias: input(addressAliasRecord, INDEX_COLUMNS.address_aliases, WHOLE),
  address_parent: input(addressParentRecord, INDEX_COLUMNS.address_parents, WHOLE),
};

type Reader = DeclaredReader<typeof ADDRESS_INPUTS>;

/** Returns the source of an index's rows. `state` null: all loaded states. */
function sourceOf(reader: Reader, state: string | null): IndexSource {
  const inState = state === null ? {} : { where: { state } };
  const ofLocality: RowSelection = {
    among: { column: 'locality_pid', of: { input: 'locality', column: 'locality_pid', ...inState } },
  };
  const ofStreet: RowSelection = {
    among: { column: 'street_pid', of: { input: 'street', column: 'street_pid', ...ofLocality } },
  };
  const ofAddress = (column: string): RowSelection =>
    state === null ? {} : { among: { column, of: { input: 'address', column: 'gnaf_pid', ...inState } } };
  return {
    localities: reader.batches('locality', inState),
    locality_aliases: reader.batches('locality_alias', ofLocality),
    locality_neighbours: reader.batches('locality_neighbour', ofLocality),
    streets: reader.batches('street', ofLocality),
    street_aliases: reader.batches('street_alias', ofStreet),
    addresses: reader.batches('address', inState),
    address_aliases: reader.batches('address_alias', ofAddress('alias_pid')),
    address_parents: reader.batches('address_parent', ofAddress('secondary_pid')),
  };
}

/**
 * Reads the sections of the index of loaded addresses. `state`: an abbreviation of two or three capital letters; null: all states. Returns
 * null if no address is loaded.
 */
export async function readAddressSections(
  reader: Reader,
  state: string | null,
): Promise<IndexSections | null> {
  const sections = await buildSections(sourceOf(reader, state));
  return sections['addresses.street']!.length === 0 ? null : sections;
}
