import { addressHomeAsset } from '../../../schema/assets/property.ts';
import { parcelRecord } from '../../../schema/records/parcel.ts';
import { type InputRows, input } from '../../engine/input.ts';

/** Inputs that several stages share: the addresses of a home cell and the parcels there. */

/** Addresses of a home cell with their parcel, which is one of the cell's parcels. */
export const homeAddresses = input(addressHomeAsset, [
  'gnaf_pid',
  'state',
  'sa2',
  'sa3',
  'sal_name',
  'postcode',
  'lon',
  'lat',
  'is_parcel_position',
  'parcel_id',
  'parcel_area_sqm',
  'parcel_method',
  'parcel_distance_m',
  'is_unit',
]);

export type HomeAddress = InputRows<typeof homeAddresses>[number];

/** Returns the longitude of a point on the property itself; null: none, because the geocode is on its street or in its locality. */
export const lonOnProperty = ({
  lon,
  is_parcel_position,
}: Pick<HomeAddress, 'lon' | 'is_parcel_position'>): number | null => (is_parcel_position ? lon : null);

/** Parcels of a cell, with the columns for measuring. */
export const parcelsHere = input(parcelRecord, [
  'parcel_id',
  'area_sqm',
  'min_lon',
  'min_lat',
  'max_lon',
  'max_lat',
  'geom',
]);
