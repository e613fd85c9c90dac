import { addressParcelAsset, addressRegionAsset } from '../../schema/assets/property.ts';
import { NO_CELL } from '../../schema/grid.ts';
import { parcelRecord } from '../../schema/records/parcel.ts';
import { input } from '../engine/input.ts';

/*
 * What several stages read of the addresses of a cell and of the parcels that these are on. Each is declared once for all of them, with
 * the columns that any of them needs, so that a thread which computes one after the other reads the rows once (pipelines/engine/shared_reads.ts).
 */

/** The addresses of a cell with position, statistical areas and suburb. */
export const locatedAddresses = input(addressRegionAsset, [
  'gnaf_pid',
  'state',
  'lot_plan',
  'is_unit',
  'is_parcel_position',
  'lon',
  'lat',
  'sa2',
  'sa3',
  'sal',
  'sal_name',
]);

/** The addresses of a cell with the parcel that each is on; the position is null where it is not on the property. */
export const placedAddresses = input(addressParcelAsset, [
  'gnaf_pid',
  'state',
  'sa2',
  'sa3',
  'sal_name',
  'lon',
  'lat',
  'parcel_id',
  'parcel_area_sqm',
  'method',
  'distance_m',
  'is_unit',
]);

/** Columns of a parcel that is measured. */
export const PARCEL_COLUMNS = [
  'parcel_id',
  'area_sqm',
  'min_lon',
  'min_lat',
  'max_lon',
  'max_lat',
  'geom',
] as const;

/** Rows of other cells about the parcels there that addresses of the cell are on. */
export const ON_PARCEL_ELSEWHERE = {
  kind: 'refs',
  within: { table: addressParcelAsset, column: 'parcel_id', cellColumn: 'parcel_cell' },
  elsewhere: true,
} as const;

/** The parcels of a cell. */
export const parcelsHere = input(parcelRecord, PARCEL_COLUMNS);

/** The parcels of other cells that addresses of the cell are on. */
export const parcelsElsewhere = input(parcelRecord, PARCEL_COLUMNS, ON_PARCEL_ELSEWHERE);

/** Of the parcels of a cell those that an address without coordinates is on; `elsewhere` are the addresses of other cells that are on some. */
export function ofNowhere<P extends { parcel_id: string }>(
  parcels: readonly P[],
  elsewhere: readonly { cell: number; parcel_id: string | null }[],
): P[] {
  const ids = new Set(elsewhere.filter(({ cell }) => cell === NO_CELL).map(({ parcel_id }) => parcel_id));
  return parcels.filter(({ parcel_id }) => ids.has(parcel_id));
}
