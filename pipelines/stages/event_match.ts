import type { ClientBase } from 'pg';
import { EtlError } from '../../schema/errors.ts';
import { eventMatchAsset } from '../../schema/event_assets.ts';
import { stateOfBucket } from '../../schema/event_bucket.ts';
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
import { marketEventRecord } from '../../schema/records/market_event.ts';
import { INDEX_COLUMNS } from '../../transforms/address/match/rows.ts';
import { latestRecords } from '../../transforms/events/latest_record.ts';
import { EventMatcher, NO_ADDRESSES, PLACE_COLUMNS } from '../../transforms/events/match_event.ts';
import { input, stage } from '../engine/stage.ts';
import { readAddressIndex } from '../matching.ts';

/** The matcher of a state, '' for all of them; null where no address of it is loaded. */
async function readMatcher(client: ClientBase, state: string): Promise<EventMatcher | null> {
  try {
    return new EventMatcher(await readAddressIndex(client, state || null));
  } catch (error) {
    if (error instanceof EtlError && error.code === 'no_addresses') return null;
    throw error;
  }
}

const WHOLE = { kind: 'resource' } as const;

export const eventMatchStage = stage({
  name: 'event_match',
  version: 1,
  doc: 'The address of each market event: its text, coordinates, lot on plan and given id against the addresses of its state.',
  subject: 'event',
  inputs: {
    event: input(marketEventRecord, PLACE_COLUMNS),
    locality: input(localityRecord, INDEX_COLUMNS.localities, WHOLE),
    locality_alias: input(localityAliasRecord, INDEX_COLUMNS.locality_aliases, WHOLE),
    locality_neighbour: input(localityNeighbourRecord, INDEX_COLUMNS.locality_neighbours, WHOLE),
    street: input(streetRecord, INDEX_COLUMNS.streets, WHOLE),
    street_alias: input(streetAliasRecord, INDEX_COLUMNS.street_aliases, WHOLE),
    address: input(addressRecord, INDEX_COLUMNS.addresses, WHOLE),
    address_alias: input(addressAliasRecord, INDEX_COLUMNS.address_aliases, WHOLE),
    address_parent: input(addressParentRecord, INDEX_COLUMNS.address_parents, WHOLE),
  },
  output: eventMatchAsset,
  resource: { keyOf: (cell) => stateOfBucket(cell) ?? '', build: readMatcher },
  compute({ event }, { cell, resource }) {
    const rows = latestRecords(event).map((place) => ({
      cell,
      event_key: place.event_key,
      ...(resource === null ? NO_ADDRESSES : resource.match(place)),
    }));
    const repeated = event.length - rows.length;
    const drops: Record<string, number> = repeated > 0 ? { superseded: repeated } : {};
    return { rows, account: { in: event.length, out: rows.length, drops } };
  },
});
