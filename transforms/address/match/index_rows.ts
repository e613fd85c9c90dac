import type {
  addressAliasRecord,
  addressParentRecord,
  addressRecord,
  localityAliasRecord,
  localityNeighbourRecord,
  localityRecord,
  streetAliasRecord,
  streetRecord,
} from '../../../schema/records/address.ts';
import type { Row } from '../../../schema/table.ts';

/** Columns of each record table that the index needs; rows may have others. */
export const INDEX_COLUMNS = {
  localities: ['locality_pid', 'state', 'name', 'postcode', 'class'],
  locality_aliases: ['locality_pid', 'name'],
  locality_neighbours: ['locality_pid', 'neighbour_pid'],
  streets: ['street_pid', 'locality_pid', 'name', 'type', 'suffix'],
  street_aliases: ['street_pid', 'name', 'type', 'suffix'],
  addresses: [
    'gnaf_pid',
    'building_name',
    'lot_number',
    'flat_type',
    'flat_number',
    'level_type',
    'level_number',
    'number_first',
    'number_last',
    'street_pid',
    'locality_pid',
    'postcode',
    'lot_plan',
    'is_live',
    'geocode_level',
    'lon',
    'lat',
  ],
  address_aliases: ['alias_pid', 'principal_pid'],
  address_parents: ['secondary_pid', 'primary_pid'],
} as const;

type IndexColumns = typeof INDEX_COLUMNS;
type Needed<R, K extends readonly PropertyKey[]> = Pick<R, K[number] & keyof R>;

export type LocalityRow = Needed<Row<typeof localityRecord>, IndexColumns['localities']>;
type LocalityAliasRow = Needed<Row<typeof localityAliasRecord>, IndexColumns['locality_aliases']>;
export type LocalityNeighbourRow = Needed<
  Row<typeof localityNeighbourRecord>,
  IndexColumns['locality_neighbours']
>;
export type StreetRow = Needed<Row<typeof streetRecord>, IndexColumns['streets']>;
type StreetAliasRow = Needed<Row<typeof streetAliasRecord>, IndexColumns['street_aliases']>;
export type IndexAddressRow = Needed<Row<typeof addressRecord>, IndexColumns['addresses']>;
type AddressAliasRow = Needed<Row<typeof addressAliasRecord>, IndexColumns['address_aliases']>;
export type AddressParentRow = Needed<Row<typeof addressParentRecord>, IndexColumns['address_parents']>;

/** Rows of one table: all at once, or in batches as they are read. */
export type RowsOf<T> = Iterable<T> | AsyncIterable<readonly T[]>;

/** Input of an index. Absent tables count as empty; row order does not matter. */
export interface IndexSource {
  localities: RowsOf<LocalityRow>;
  locality_aliases?: RowsOf<LocalityAliasRow>;
  locality_neighbours?: RowsOf<LocalityNeighbourRow>;
  streets: RowsOf<StreetRow>;
  street_aliases?: RowsOf<StreetAliasRow>;
  addresses: RowsOf<IndexAddressRow>;
  address_aliases?: RowsOf<AddressAliasRow>;
  address_parents?: RowsOf<AddressParentRow>;
}

/** Calls `take` for every row of a table. */
export async function eachRow<T>(rows: RowsOf<T> | undefined, take: (row: T) => void): Promise<void> {
  if (rows === undefined) return;
  if (Symbol.asyncIterator in rows) {
    for await (const batch of rows) for (const row of batch) take(row);
  } else for (const row of rows) take(row);
}
