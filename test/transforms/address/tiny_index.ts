import type { AddressIndex } from '../../../transforms/address/match/address_index.ts';
import { buildAddressIndex } from '../../../transforms/address/match/build.ts';
import type { IndexAddressRow, IndexSource } from '../../../transforms/address/match/index_rows.ts';

const NOTHING: Omit<IndexAddressRow, 'gnaf_pid' | 'street_pid' | 'locality_pid' | 'postcode'> = {
  building_name: null,
  lot_number: null,
  flat_type: null,
  flat_number: null,
  level_type: null,
  level_number: null,
  number_first: null,
  number_last: null,
  lot_plan: null,
  is_live: true,
  geocode_level: 7,
  lon: null,
  lat: null,
};

const POSTCODES: Readonly<Record<string, string>> = {
  L1: '3065',
  L2: '3066',
  L3: '3065',
  L4: '3350',
  L5: '2010',
};
/** Street pid, locality, name, type, suffix. */
const STREETS: readonly (readonly [string, string, string, string | null, string | null])[] = [
  ['S1', 'L1', 'SMITH', 'STREET', null],
  ['S2', 'L2', 'SMITH', 'STREET', null],
  ['S3', 'L1', 'GREENFIELD', 'ROAD', null],
  ['S4', 'L1', 'GREENFIELD', 'COURT', null],
  ['S5', 'L2', 'ST GEORGES', 'ROAD', null],
  ['S6', 'L1', 'THE ESPLANADE', null, null],
  ['S7', 'L3', 'NICHOLSON', 'STREET', 'N'],
  ['S8', 'L3', 'BRUNSWICK', 'STREET', null],
  ['S9', 'L3', 'BRUNSWICK', 'STREET', 'S'],
  ['S10', 'L4', 'SMITH', 'STREET', null],
  ['S11', 'L5', 'SMITH', 'STREET', null],
  ['S12', 'L4', 'OLD MINE', 'ROAD', null],
];

/** pid, street, and what else is stated; the last number of a pid is its own. */
const ADDRESSES: readonly (readonly [string, string, Partial<IndexAddressRow>])[] = [
  ['P1', 'S1', { number_first: '12' }],
  ['P2', 'S1', { number_first: '12', flat_type: 'UNIT', flat_number: '1', lon: 144.98, lat: -37.8 }],
  ['P3', 'S1', { number_first: '12', flat_type: 'UNIT', flat_number: '2', lon: 144.98, lat: -37.8 }],
  ['P4', 'S1', { number_first: '12', flat_type: 'SHOP', flat_number: '3' }],
  ['P5', 'S1', { number_first: '14', number_last: '18', lot_plan: '1\\PS1' }],
  ['P6', 'S1', { number_first: '20A' }],
  ['P7', 'S1', { number_first: '22' }],
  ['P8', 'S1', { number_first: '22', flat_type: 'UNIT', flat_number: 'B' }],
  ['P9', 'S1', { number_first: '24', is_live: false }],
  ['P10', 'S1', { number_first: '26', number_last: '30' }],
  ['P11', 'S1', { number_first: '30', number_last: '34' }],
  [
    'P12',
    'S1',
    { number_first: '40', flat_type: 'UNIT', flat_number: '1', level_type: 'L', level_number: '1' },
  ],
  [
    'P13',
    'S1',
    { number_first: '40', flat_type: 'UNIT', flat_number: '1', level_type: 'L', level_number: '2' },
  ],
  ['P14', 'S1', { number_first: '50', lon: 144.98, lat: -37.8 }],
  ['P15', 'S1', { number_first: '50', lon: 144.99, lat: -37.8 }],
  ['P16', 'S1', { number_first: '60', number_last: '64', lot_plan: '1\\PS60' }],
  ['P17', 'S1', { number_first: '60', flat_type: 'UNIT', flat_number: '7' }],
  ['P18', 'S1', { number_first: '70' }],
  ['P19', 'S1', { number_first: '70', number_last: '72' }],
  ['P20', 'S2', { number_first: '112' }],
  ['P21', 'S2', { number_first: '200' }],
  ['P22', 'S3', { number_first: '1' }],
  ['P23', 'S4', { number_first: '3' }],
  ['P24', 'S3', { number_first: '5' }],
  ['P25', 'S4', { number_first: '5' }],
  ['P26', 'S5', { number_first: '9' }],
  ['P27', 'S6', { number_first: '4' }],
  ['P28', 'S7', { number_first: '8' }],
  ['P29', 'S8', { number_first: '10' }],
  ['P30', 'S9', { number_first: '33' }],
  ['P31', 'S10', { number_first: '12' }],
  ['P32', 'S11', { number_first: '12' }],
  ['P33', 'S12', { lot_number: '5', lot_plan: '5\\PS77' }],
  ['P34', 'S12', { lot_number: '6', lot_plan: '6\\PS77' }],
  ['P35', 'S12', { building_name: 'COURT HOUSE' }],
  ['P36', 'S1', { number_first: '19', flat_type: 'UNIT', flat_number: '1' }],
  ['P37', 'S1', { number_first: '19', flat_type: 'UNIT', flat_number: '2' }],
  ['A1', 'S1', { number_first: '14' }],
  ['A2', 'S1', { number_first: '99' }],
];

const row = ([pid, street_pid, parts]: (typeof ADDRESSES)[number]): IndexAddressRow => {
  const locality_pid = STREETS.find(([each]) => each === street_pid)![1];
  return {
    ...NOTHING,
    gnaf_pid: pid,
    street_pid,
    locality_pid,
    postcode: POSTCODES[locality_pid]!,
    ...parts,
  };
};

const locality = (locality_pid: string, state: string, name: string) => ({
  locality_pid,
  state,
  name,
  postcode: null,
  class: 'G',
});

/** Every table of a made-up register; FITZROY lies beside COLLINGWOOD and FITZROY NORTH. */
export const TINY: { [K in keyof IndexSource]-?: IndexSource[K] & readonly object[] } = {
  localities: [
    locality('L1', 'VIC', 'FITZROY'),
    locality('L2', 'VIC', 'COLLINGWOOD'),
    locality('L3', 'VIC', 'FITZROY NORTH'),
    locality('L4', 'VIC', 'BALLARAT CENTRAL'),
    locality('L5', 'NSW', 'SURRY HILLS'),
  ],
  locality_aliases: [{ locality_pid: 'L4', name: 'BALLARAT' }],
  locality_neighbours: [
    { locality_pid: 'L1', neighbour_pid: 'L2' },
    { locality_pid: 'L1', neighbour_pid: 'L3' },
  ],
  streets: STREETS.map(([street_pid, locality_pid, name, type, suffix]) => ({
    street_pid,
    locality_pid,
    name,
    type,
    suffix,
  })),
  street_aliases: [{ street_pid: 'S3', name: 'OLD GREENFIELD', type: 'TRACK', suffix: null }],
  addresses: ADDRESSES.map(row),
  address_aliases: [
    { alias_pid: 'A1', principal_pid: 'P5' },
    { alias_pid: 'A2', principal_pid: 'P18' },
  ],
  address_parents: [
    { secondary_pid: 'P2', primary_pid: 'P1' },
    { secondary_pid: 'P3', primary_pid: 'P1' },
    { secondary_pid: 'P17', primary_pid: 'P16' },
  ],
};

/** The index of the made-up register. */
export const tinyIndex = (source: IndexSource = TINY): Promise<AddressIndex> => buildAddressIndex(source);
