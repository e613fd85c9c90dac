import { addressParcelAsset } from '../../../schema/assets/address.ts';
import { cellOf, NO_CELL } from '../../../schema/grid.ts';
import { addressRecord, localityRecord } from '../../../schema/records/address.ts';
import { parcelRecord } from '../../../schema/records/parcel.ts';
import type { Row } from '../../../schema/table.ts';
import { hasParcelPosition } from '../../../transforms/address/geocode.ts';
import { input } from '../../engine/input.ts';
import { stage } from '../../engine/stage.ts';
import { PARCEL_COLUMNS, ParcelFinder } from '../parcels/parcel_finder.ts';
import { isServed, notServed } from './served.ts';

type LocalityCentre = Pick<Row<typeof localityRecord>, 'locality_pid' | 'lon' | 'lat'>;

/** Returns the cells of localities' points, by locality_pid. */
const cellsOf = (localities: readonly LocalityCentre[]): Map<string, number> =>
  new Map(
    localities.map(({ locality_pid, lon, lat }) => [
      locality_pid,
      lon === null ? NO_CELL : cellOf(lon, lat!),
    ]),
  );

/**
 * Declares the stage. `nearest_m`: maximum distance of a point from its parcel. `legal_id_radius_m`: maximum distance from a parcel with
 * the same legal id.
 */
export const addressParcelStage = (radius: { nearest_m: number; legal_id_radius_m: number }) =>
  stage({
    name: 'address_parcel',
    version: 2,
    doc: 'The parcel of each live principal address: by legal parcel id, else by point in parcel, else the nearest one.',
    subject: 'address',
    inputs: {
      address: input(addressRecord, [
        'gnaf_pid',
        'alias_principal',
        'is_live',
        'street_pid',
        'number_first',
        'locality_pid',
        'lot_plan',
        'geocode_type',
        'geocode_level',
        'lon',
        'lat',
      ]),
      parcel: input(parcelRecord, PARCEL_COLUMNS, { kind: 'near', halo_m: radius.nearest_m }),
      lot: input(parcelRecord, PARCEL_COLUMNS, {
        kind: 'near',
        halo_m: radius.legal_id_radius_m,
        named: 'lot_plan',
      }),
      locality: input(localityRecord, ['locality_pid', 'lon', 'lat'], {
        kind: 'named',
        column: 'locality_pid',
        of: (address: { locality_pid: string }) => address.locality_pid,
      }),
    },
    output: addressParcelAsset,
    params: (config) => config.parcel,
    compute({ address, parcel, lot, locality }, { cell, params, emit }) {
      const near = new Set(parcel.map(({ parcel_id }) => parcel_id));
      const others = lot.filter(({ parcel_id }) => !near.has(parcel_id));
      const parcels = new ParcelFinder([...parcel, ...others], params);
      const localities = cellsOf(locality);
      const served = address.filter(isServed);
      for (const row of served) {
        const { parcel: found, method, distance_m, holder_ids } = parcels.find(row);
        emit({
          cell,
          gnaf_pid: row.gnaf_pid,
          site: row.number_first === null ? null : `${row.street_pid}|${row.number_first}`,
          point_cell: cell === NO_CELL ? (localities.get(row.locality_pid) ?? NO_CELL) : cell,
          is_parcel_position: hasParcelPosition(row),
          parcel_id: found === null ? null : found.parcel_id,
          method,
          distance_m,
          holder_ids,
          parcel_cell: found === null ? null : found.cell,
          area_sqm: found === null ? null : found.area_sqm,
          west: found === null ? null : found.min_lon,
          south: found === null ? null : found.min_lat,
          east: found === null ? null : found.max_lon,
          north: found === null ? null : found.max_lat,
        });
      }
      return { account: { in: address.length, out: served.length, drops: notServed(address, served) } };
    },
  });
