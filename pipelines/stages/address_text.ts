import { addressHomeAsset, addressTextAsset } from '../../schema/assets/property.ts';
import { addressRecord } from '../../schema/records/address.ts';
import { impliedDwellingType } from '../../transforms/dwelling_type.ts';
import { type InputRows, input } from '../engine/input.ts';
import { stage } from '../engine/stage.ts';
import { byPid } from './by_key.ts';

const ADDRESS = input(addressRecord, [
  'gnaf_pid',
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
  'confidence',
  'primary_secondary',
  'geocode_type',
]);

type Address = InputRows<typeof ADDRESS>[number];

function streetOf({
  street_name,
  street_type,
  street_suffix,
}: Pick<Address, 'street_name' | 'street_type' | 'street_suffix'>): string | null {
  if (street_name === null) return null;
  const typed = street_type === null ? street_name : `${street_name} ${street_type}`;
  return street_suffix === null ? typed : `${typed} ${street_suffix}`;
}

export const addressTextStage = stage({
  name: 'address_text',
  version: 2,
  doc: 'What the address file says of each live principal address besides its place, sent to its home.',
  subject: 'home',
  inputs: {
    home: input(addressHomeAsset, ['gnaf_pid', 'home'], { kind: 'own', made: true }),
    address: ADDRESS,
  },
  output: addressTextAsset,
  compute({ home: homes, address }, { cell, emit }) {
    const addresses = byPid(address);
    for (const { gnaf_pid, home } of homes) {
      const row = addresses.get(gnaf_pid)!;
      emit({
        cell,
        home,
        gnaf_pid,
        label: row.label,
        building_name: row.building_name,
        flat_type: row.flat_type,
        flat_number: row.flat_number,
        level_number: row.level_number,
        number_first: row.number_first,
        number_last: row.number_last,
        lot_number: row.lot_number,
        street: streetOf(row),
        locality: row.locality_name,
        geocode_type: row.geocode_type,
        confidence: row.confidence,
        primary_secondary: row.primary_secondary,
        ...impliedDwellingType(row),
      });
    }
    return { account: { in: homes.length, out: homes.length, drops: {} } };
  },
});
