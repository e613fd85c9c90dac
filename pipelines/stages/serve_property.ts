import { addressTextAsset } from '../../schema/assets/property.ts';
import { propertyTable } from '../../schema/serving/property.ts';
import { propertyZoningTable } from '../../schema/serving/property_zoning.ts';
import { type ImpliedType, typeInZone } from '../../transforms/dwelling_type.ts';
import { landArea, type ParcelAddresses } from '../../transforms/land_area.ts';
import { input } from '../engine/input.ts';
import { stage } from '../engine/stage.ts';
import { byPid } from './by_key.ts';
import { hasCadastre, homeAddresses } from './home_addresses.ts';

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
  version: 6,
  doc: 'Rows of serving.property: address, parcel, land area, and what kind of dwelling the address implies in its zone.',
  subject: 'address',
  inputs: {
    address: homeAddresses,
    text: input(addressTextAsset, [
      'gnaf_pid',
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
      'dwelling_type',
      'dwelling_type_method',
    ]),
    zoning: input(propertyZoningTable, ['gnaf_pid', 'category']),
  },
  output: propertyTable,
  compute({ address, text, zoning }, { cell, emit }) {
    const [texts, zones] = [byPid(text), byPid(zoning)];
    const onParcel = new Map<string, ParcelAddresses>();
    address.forEach(countAddress, onParcel);
    const isCovered = hasCadastre(address);
    for (const { sal_name, is_unit, parcel_area_sqm, parcel_coincides, ...row } of address) {
      const { label, dwelling_type, dwelling_type_method, ...stated } = texts.get(row.gnaf_pid)!;
      const of_address = { dwelling_type, dwelling_type_method } as ImpliedType;
      const on = row.parcel_id === null ? null : onParcel.get(row.parcel_id)!;
      const land = landArea(is_unit, parcel_area_sqm, parcel_coincides, on ?? NO_ADDRESSES, isCovered);
      emit({
        ...stated,
        ...typeInZone(of_address, zones.get(row.gnaf_pid)?.category ?? null),
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
