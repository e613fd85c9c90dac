import type pg from 'pg';
import {
  addressAliasRecord,
  addressParentRecord,
  addressRecord,
  localityAliasRecord,
  localityNeighbourRecord,
  localityRecord,
  streetAliasRecord,
  streetRecord,
} from '../schema/records/address.ts';
import type { Table } from '../schema/table.ts';
import { readBatches } from '../store/assets.ts';
import { buildSections } from '../transforms/address/match/build.ts';
import { INDEX_COLUMNS, type IndexSource } from '../transforms/address/match/rows.ts';
import type { Sections } from '../transforms/address/match/sections.ts';

/** The rows that an index is built from. `state` null: those of every state that is loaded. */
function sourceOf(client: pg.ClientBase, state: string | null): IndexSource {
  const inState = state === null ? 'true' : `state = '${state}'`;
  const ofLocality = `locality_pid IN (SELECT locality_pid FROM record.locality WHERE ${inState})`;
  const ofStreet = `street_pid IN (SELECT street_pid FROM record.street WHERE ${ofLocality})`;
  // Of an expression there is no index: the server hashes the addresses of the state, and does not look for each in every part.
  const ofAddress = (column: string): string =>
    `${column} || '' IN (SELECT gnaf_pid FROM record.address WHERE ${inState})`;
  const all = (table: Table, columns: readonly string[], where: string): AsyncIterable<never[]> =>
    readBatches(client, table, columns, where) as AsyncIterable<never[]>;
  return {
    localities: all(localityRecord, INDEX_COLUMNS.localities, inState),
    locality_aliases: all(localityAliasRecord, INDEX_COLUMNS.locality_aliases, ofLocality),
    locality_neighbours: all(localityNeighbourRecord, INDEX_COLUMNS.locality_neighbours, ofLocality),
    streets: all(streetRecord, INDEX_COLUMNS.streets, ofLocality),
    street_aliases: all(streetAliasRecord, INDEX_COLUMNS.street_aliases, ofStreet),
    addresses: all(addressRecord, INDEX_COLUMNS.addresses, inState),
    address_aliases: all(
      addressAliasRecord,
      INDEX_COLUMNS.address_aliases,
      state === null ? 'true' : ofAddress('alias_pid'),
    ),
    address_parents: all(
      addressParentRecord,
      INDEX_COLUMNS.address_parents,
      state === null ? 'true' : ofAddress('secondary_pid'),
    ),
  };
}

/**
 * The sections of the index of the addresses that are loaded, of the columns that it needs. `state`: an abbreviation of two or three
 * capital letters, or null for all. Null: no address is loaded.
 */
export async function readAddressSections(
  client: pg.ClientBase,
  state: string | null,
): Promise<Sections | null> {
  const sections = await buildSections(sourceOf(client, state));
  return sections['addresses.street']!.length === 0 ? null : sections;
}
