import { addressParcelAsset } from '../../schema/assets.ts';
import { addressRecord } from '../../schema/records/address.ts';
import { propertyTable } from '../../schema/serving/property.ts';
import { hasParcelPosition } from '../../transforms/address/geocode.ts';
import { impliedDwellingType } from '../../transforms/dwelling_type.ts';
import { landArea, type ParcelAddresses } from '../../transforms/land_area.ts';
import { input, stage } from '../engine/stage.ts';
import { byPid } from './by_key.ts';
import { isServed, servedDrop } from './served.ts';

/** Units and other addresses on each parcel, of those of the cell and those elsewhere. */
function addressesByParcel(
  ...lists: readonly { parcel_id: string | null; is_unit: boolean }[][]
): Map<string, ParcelAddresses> {
  const counts = new Map<string, ParcelAddresses>();
  for (const rows of lists) {
    for (const { parcel_id, is_unit } of rows) {
      if (parcel_id === null) continue;
      let on = counts.get(parcel_id);
      if (on === undefined) {
        on = { units: 0, others: 0 };
        counts.set(parcel_id, on);
      }
      if (is_unit) on.units++;
      else on.others++;
    }
  }
  return counts;
}

const street = (row: {
  street_name: string | null;
  street_type: string | null;
  street_suffix: string | null;
}): string | null =>
  row.street_name === null
    ? null
    : [row.street_name, row.street_type, row.street_suffix].filter((part) => part !== null).join(' ');

export const servePropertyStage = stage({
  name: 'serve_property',
  version: 1,
  doc: 'Rows of serving.property: address, parcel and land area.',
  subject: 'address',
  inputs: {
    address: input(addressRecord, [
      'cell',
      'gnaf_pid',
      'state',
      'label',
      'building_name',
      'flat_type',
      'flat_number',
      'level_number',
      'number_first',
      'number_last',
      'lot_number',
      'street_name',
      'street_type',
      'street_suffix',
      'locality_name',
      'postcode',
      'confidence',
      'alias_principal',
      'primary_secondary',
      'is_live',
      'geocode_type',
      'geocode_level',
      'lon',
      'lat',
    ]),
    parcel: input(addressParcelAsset, [
      'gnaf_pid',
      'sa2',
      'sa3',
      'sal_name',
      'parcel_id',
      'parcel_area_sqm',
      'method',
      'distance_m',
      'is_unit',
    ]),
    sharing: input(addressParcelAsset, ['parcel_id', 'is_unit'], {
      kind: 'refs',
      stage: 'address_parcel',
      within: { table: addressParcelAsset, column: 'parcel_id' },
      elsewhere: true,
    }),
  },
  output: propertyTable,
  compute({ address, parcel, sharing }, { cell, emit }) {
    const parcels = byPid(parcel);
    const onParcel = addressesByParcel(parcel, sharing);
    let out = 0;
    const drops: Record<string, number> = {};
    for (const row of address) {
      if (!isServed(row)) {
        const name = servedDrop(row);
        drops[name] = (drops[name] ?? 0) + 1;
        continue;
      }
      const link = parcels.get(row.gnaf_pid)!;
      const on = link.parcel_id === null ? null : onParcel.get(link.parcel_id)!;
      out++;
      emit({
        gnaf_pid: row.gnaf_pid,
        cell,
        state: row.state,
        sa2: link.sa2,
        sa3: link.sa3,
        sal: link.sal_name,
        address: row.label,
        building_name: row.building_name,
        flat_type: row.flat_type,
        flat_number: row.flat_number,
        level_number: row.level_number,
        number_first: row.number_first,
        number_last: row.number_last,
        lot_number: row.lot_number,
        street: street(row),
        locality: row.locality_name,
        postcode: row.postcode,
        lon: row.lon,
        lat: row.lat,
        geocode_type: row.geocode_type,
        is_parcel_position: hasParcelPosition(row),
        confidence: row.confidence,
        primary_secondary: row.primary_secondary,
        dwelling_type: impliedDwellingType(row),
        parcel_id: link.parcel_id,
        parcel_method: link.method,
        parcel_distance_m: link.distance_m,
        parcel_addresses: on && on.units + on.others,
        ...landArea(link.is_unit, link.parcel_area_sqm, on ?? { units: 0, others: 0 }),
      });
    }
    return { account: { in: address.length, out, drops } };
  },
});
