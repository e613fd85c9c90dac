import { addressHomeAsset } from '../../schema/assets/property.ts';
import { propertyTable } from '../../schema/serving/property.ts';
import { landArea, type ParcelAddresses } from '../../transforms/land_area.ts';
import { input } from '../engine/input.ts';
import { stage } from '../engine/stage.ts';

function countAddress(
  this: Map<string, ParcelAddresses>,
  { parcel_id, is_unit }: { parcel_id: string | null; is_unit: boolean },
): void {
  if (parcel_id === null) return;
  let on = this.get(parcel_id);
  if (on === undefined) {
    on = { units: 0, others: 0 };
    this.set(parcel_id, on);
  }
  if (is_unit) on.units++;
  else on.others++;
}

const NO_ADDRESSES: ParcelAddresses = { units: 0, others: 0 };

export const servePropertyStage = stage({
  name: 'serve_property',
  version: 2,
  doc: 'Rows of serving.property: address, parcel and land area.',
  subject: 'address',
  inputs: {
    address: input(addressHomeAsset, [
      'gnaf_pid',
      'state',
      'sa2',
      'sa3',
      'sal_name',
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
      'postcode',
      'lon',
      'lat',
      'geocode_type',
      'is_parcel_position',
      'confidence',
      'primary_secondary',
      'dwelling_type',
      'parcel_id',
      'parcel_area_sqm',
      'parcel_method',
      'parcel_distance_m',
      'is_unit',
    ]),
  },
  output: propertyTable,
  compute({ address }, { cell, emit }) {
    const onParcel = new Map<string, ParcelAddresses>();
    address.forEach(countAddress, onParcel);
    for (const { sal_name, label, is_unit, parcel_area_sqm, ...row } of address) {
      const on = row.parcel_id === null ? null : onParcel.get(row.parcel_id)!;
      const land = landArea(is_unit, parcel_area_sqm, on ?? NO_ADDRESSES);
      emit({
        ...row,
        cell,
        sal: sal_name,
        address: label,
        parcel_addresses: on && on.units + on.others,
        land_area_sqm: land.land_area_sqm,
        land_area_reason: land.land_area_reason,
      });
    }
    return { account: { in: address.length, out: address.length, drops: {} } };
  },
});
