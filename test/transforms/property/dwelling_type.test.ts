import { describe, expect, it } from 'vitest';
import { impliedDwellingType, typeInZone } from '../../../transforms/property/dwelling_type.ts';

const ADDRESS = {
  building_name: null as string | null,
  flat_type: null as string | null,
  is_unit: false,
  primary_secondary: null as string | null,
  number_first: '12' as string | null,
  lot_number: null as string | null,
};
const implied = (address: Partial<typeof ADDRESS>) => {
  const { dwelling_type, dwelling_type_method } = impliedDwellingType({ ...ADDRESS, ...address });
  return [dwelling_type, dwelling_type_method];
};

describe('the dwelling type that an address implies', () => {
  it.each([
    [{}, 'house', 'number'],
    [{ flat_type: 'SHOP', is_unit: true }, 'other', 'flat_type'],
    [{ flat_type: 'TNHS', is_unit: true }, 'townhouse', 'flat_type'],
    [{ flat_type: 'UNIT', is_unit: true }, 'unit', 'flat'],
    [{ primary_secondary: 'S', is_unit: true }, 'unit', 'flat'],
    [{ primary_secondary: 'P' }, 'other', 'parent'],
    [{ number_first: null, lot_number: '7' }, 'land', 'lot'],
    [{ number_first: null }, null, null],
  ])('%j is %s by %s', (address, type, method) => {
    expect(implied(address)).toEqual([type, method]);
  });

  it.each([
    ['ABBOTSFORD PRIMARY SCHOOL', 'other'],
    ['St Johns Church', 'other'],
    ['VICTORIA GARDENS SHOPPING CENTRE', 'other'],
    ['MERRI HEALTH CENTRE', 'other'],
    ['GREEN HILLS RETIREMENT VILLAGE', 'retirement'],
    ['COLLEGE COURT', 'house'],
    ['SCHOOL HOUSE APARTMENTS', 'house'],
    ['ROSEBANK', 'house'],
  ])('the building %s is %s', (building_name, type) => {
    expect(implied({ building_name })[0]).toBe(type);
  });

  it('classifies flats of a former church, a retirement village and a hospital', () => {
    const flat = { flat_type: 'UNIT', is_unit: true };
    expect(implied({ ...flat, building_name: 'OLD CHURCH' })).toEqual(['unit', 'flat']);
    expect(implied({ ...flat, building_name: 'X RETIREMENT VILLAGE' })).toEqual([
      'retirement',
      'building_name',
    ]);
    expect(implied({ ...flat, building_name: 'X PRIVATE HOSPITAL' })).toEqual(['other', 'building_name']);
  });

  it('infers no house from a number in a commercial, industrial or public zone, and keeps a stated flat', () => {
    const house = impliedDwellingType(ADDRESS);
    for (const zone of ['centre_mixed', 'industrial', 'infrastructure', 'open_space', 'water'])
      expect(typeInZone(house, zone)).toEqual({ dwelling_type: null, dwelling_type_method: null });
    for (const zone of ['residential_low', 'rural', 'conservation', 'other', null])
      expect(typeInZone(house, zone)).toEqual(house);
    const unit = impliedDwellingType({ ...ADDRESS, flat_type: 'UNIT', is_unit: true });
    expect(typeInZone(unit, 'centre_mixed')).toEqual(unit);
  });
});
