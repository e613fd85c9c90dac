import { addressHomeAsset } from '../../../schema/assets/property.ts';
import { parcelRecord } from '../../../schema/records/parcel.ts';
import { type InputRows, input } from '../../engine/input.ts';

/* What several stages read of the addresses of a home and of the parcels there. */

/** The addresses of a home, with their parcel, which is among the parcels of the same cell. */
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

/** An address of a home. */
export type HomeAddress = InputRows<typeof homeAddresses>[number];

/** Longitude of a point on the property itself; null: it has none, the geocode lies on its street or in its locality. */
export const lonOnProperty = ({
  lon,
  is_parcel_position,
}: Pick<HomeAddress, 'lon' | 'is_parcel_position'>): number | null => (is_parcel_position ? lon : null);

/** The parcels of a cell, as they are measured. */
export const parcelsHere = input(parcelRecord, [
  'parcel_id',
  'area_sqm',
  'min_lon',
  'min_lat',
  'max_lon',
  'max_lat',
  'geom',
]);
