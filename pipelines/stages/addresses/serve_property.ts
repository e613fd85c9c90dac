import {
  addressHomeAsset,
  cadastreHomeAsset,
  parcelAddressAsset,
  parcelFormAsset,
} from '../../../schema/assets/property.ts';
import { propertyTable } from '../../../schema/serving/property.ts';
import { propertyZoningTable } from '../../../schema/serving/property_zoning.ts';
import { impliedDwellingType, typeInZone } from '../../../transforms/property/dwelling_type.ts';
import { landAreaOf, type ParcelAddresses } from '../../../transforms/property/land_area.ts';
import { input } from '../../engine/input.ts';
import { stage } from '../../engine/stage.ts';
import { byPid } from './by_key.ts';
import { homeAddresses } from './home_addresses.ts';

const NO_ADDRESSES: ParcelAddresses = { units: 0, others: 0 };

export const servePropertyStage = stage({
  name: 'serve_property',
  version: 8,
  doc: 'Rows of serving.property: address, parcel, land area, and the dwelling type that the address implies in its zone.',
  subject: 'address',
  inputs: {
    address: input(addressHomeAsset, [
      ...homeAddresses.columns,
      'label',
      'building_name',
      'flat_type',
      'flat_number',
      'level_number',
      'number_first',
      'number_last',
      'lot_number',
      'street',
      'locality',
      'geocode_type',
      'confidence',
      'primary_secondary',
    ]),
    zoning: input(propertyZoningTable, ['gnaf_pid', 'category']),
    on_parcel: input(parcelAddressAsset, ['parcel_id', 'units', 'others']),
    form: input(parcelFormAsset, ['parcel_id', 'coincides']),
    cadastre: input(cadastreHomeAsset, ['cell']),
  },
  output: propertyTable,
  compute({ address, zoning, on_parcel, form, cadastre }, { cell, emit }) {
    const zones = byPid(zoning);
    const onParcel = new Map(on_parcel.map((row) => [row.parcel_id, row]));
    const coincident = new Set(form.filter(({ coincides }) => coincides).map(({ parcel_id }) => parcel_id));
    const isCovered = cadastre.length > 0;
    for (const row of address) {
      const { sal_name, is_unit, parcel_area_sqm, label, ...stated } = row;
      const on = row.parcel_id === null ? null : onParcel.get(row.parcel_id)!;
      const coincides = row.parcel_id !== null && coincident.has(row.parcel_id);
      const land = landAreaOf(is_unit, parcel_area_sqm, coincides, on ?? NO_ADDRESSES, isCovered);
      // Keys before spreads: adding keys after a spread makes creating the object ten times as slow.
      const servedRow = {
        cell,
        sal: sal_name,
        address: label,
        parcel_addresses: on && on.units + on.others,
        land_area_sqm: land.land_area_sqm,
        land_area_reason: land.land_area_reason,
        ...typeInZone(impliedDwellingType(row), zones.get(row.gnaf_pid)?.category ?? null),
        ...stated,
      };
      // The address row's `cell` is the cell of its point; a property's is its home cell.
      servedRow.cell = cell;
      emit(servedRow);
    }
    return { account: { in: address.length, out: address.length, drops: {} } };
  },
});
