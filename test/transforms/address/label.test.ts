import { describe, expect, it } from 'vitest';
import { formatLabel, formatStreet, type LabelParts } from '../../../transforms/address/label.ts';

const NOTHING: LabelParts = {
  level_type: null,
  level_number: null,
  flat_type: null,
  flat_number: null,
  building_name: null,
  lot_number: null,
  number_first: null,
  number_last: null,
  street: 'GAZE ROAD',
  location_description: null,
  locality_name: 'RICHMOND',
  state: 'VIC',
  postcode: '3121',
};
const END = 'RICHMOND VIC 3121';

const CASES: [parts: Partial<LabelParts>, expected: string][] = [
  [{ number_first: '103' }, `103 GAZE ROAD, ${END}`],
  [{ number_first: '103', number_last: '107' }, `103-107 GAZE ROAD, ${END}`],
  [{ number_first: '512', number_last: '512A' }, `512-512A GAZE ROAD, ${END}`],
  [{ number_last: '107' }, `107 GAZE ROAD, ${END}`],
  [{ number_first: '0' }, `0 GAZE ROAD, ${END}`],
  [{ flat_type: 'UNIT', flat_number: '12A', number_first: '103' }, `UNIT 12A, 103 GAZE ROAD, ${END}`],
  [{ flat_number: '5', number_first: '17' }, `5/17 GAZE ROAD, ${END}`],
  [{ flat_number: '5', number_first: '17', building_name: 'TOWER' }, `TOWER, 5/17 GAZE ROAD, ${END}`],
  [{ flat_number: '5' }, `5, GAZE ROAD, ${END}`],
  [{ flat_number: '5', lot_number: '9' }, `5/LOT 9 GAZE ROAD, ${END}`],
  [{ flat_type: 'REAR', number_first: '17' }, `REAR, 17 GAZE ROAD, ${END}`],
  [{ flat_type: 'UNIT', flat_number: '0', number_first: '17' }, `UNIT 0, 17 GAZE ROAD, ${END}`],
  [{ flat_type: 'UNIT', flat_number: 'A', number_first: '17' }, `UNIT A, 17 GAZE ROAD, ${END}`],
  [{ level_type: 'GROUND', number_first: '1' }, `GROUND, 1 GAZE ROAD, ${END}`],
  [
    {
      level_type: 'LEVEL',
      level_number: '3',
      flat_type: 'SUITE',
      flat_number: '11A',
      building_name: 'COMO CENTRE',
      number_first: '299',
      street: 'TOORAK ROAD',
    },
    `LEVEL 3, SUITE 11A, COMO CENTRE, 299 TOORAK ROAD, ${END}`,
  ],
  [{ lot_number: '510' }, `LOT 510 GAZE ROAD, ${END}`],
  [{ lot_number: '510', number_first: '3' }, `3 GAZE ROAD, ${END}`],
  [{ building_name: 'Café', number_first: '1a' }, `CAFÉ, 1A GAZE ROAD, ${END}`],
  [{ building_name: 'COURT HOUSE' }, `COURT HOUSE, GAZE ROAD, ${END}`],
  [{}, `GAZE ROAD, ${END}`],
  [{ street: null }, END],
  [{ street: null, number_first: '3' }, `3, ${END}`],
  [{ street: null, location_description: 'WHARF 7' }, `WHARF 7, ${END}`],
  [{ location_description: 'NEAR THE WHARF' }, `GAZE ROAD, ${END}`],
  [{ street: null, location_description: 'WHARF 7', lot_number: '3' }, `LOT 3 WHARF 7, ${END}`],
  [{ postcode: null }, 'GAZE ROAD, RICHMOND VIC'],
  [{ flat_type: '', flat_number: '', building_name: '', postcode: '' }, 'GAZE ROAD, RICHMOND VIC'],
];

describe('formatLabel', () => {
  it.each(CASES)('%j', (parts, expected) => {
    expect(formatLabel({ ...NOTHING, ...parts })).toBe(expected);
  });
});

describe('formatStreet', () => {
  it.each([
    ['ARMSTRONG', 'STREET', 'NORTH', 'ARMSTRONG STREET NORTH'],
    ['THE ESPLANADE', null, null, 'THE ESPLANADE'],
    ['BROADWAY', null, 'EAST', 'BROADWAY EAST'],
    // A street type whose code is the word NULL exists; it is not an empty value.
    ['KINGS', 'NULL', null, 'KINGS NULL'],
  ])('%s, %s, %s', (name, type, suffix, expected) => {
    expect(formatStreet(name, type, suffix)).toBe(expected);
  });
});
