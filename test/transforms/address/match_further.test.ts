import { beforeAll, describe, expect, it } from 'vitest';
import type { AddressIndex } from '../../../transforms/address/match/address_index.ts';
import type {
  IndexAddressRow,
  IndexSource,
  LocalityNeighbourRow,
  LocalityRow,
  StreetRow,
} from '../../../transforms/address/match/index_rows.ts';
import { matchAddress } from '../../../transforms/address/match/match.ts';
import { TINY, tinyIndex } from './tiny_index.ts';

const rows = <T>(given: unknown): readonly T[] => given as readonly T[];
const [address] = rows<IndexAddressRow>(TINY.addresses);
const [street] = rows<StreetRow>(TINY.streets);
const [locality] = rows<LocalityRow>(TINY.localities);

const at = (gnaf_pid: string, street_pid: string, locality_pid: string, postcode: string, parts: object) => ({
  ...address!,
  gnaf_pid,
  street_pid,
  locality_pid,
  postcode,
  ...parts,
});

/** THORNBURY lies beside FITZROY NORTH, RESERVOIR beside THORNBURY: two and three steps from FITZROY. */
const FURTHER: IndexSource = {
  ...TINY,
  localities: [
    ...rows<LocalityRow>(TINY.localities),
    { ...locality!, locality_pid: 'L6', name: 'THORNBURY' },
    { ...locality!, locality_pid: 'L7', name: 'RESERVOIR' },
    { ...locality!, locality_pid: 'L8', name: 'PRESTON' },
  ],
  locality_neighbours: [
    ...rows<LocalityNeighbourRow>(TINY.locality_neighbours),
    { locality_pid: 'L3', neighbour_pid: 'L6' },
    { locality_pid: 'L3', neighbour_pid: 'L8' },
    { locality_pid: 'L6', neighbour_pid: 'L7' },
  ],
  streets: [
    ...rows<StreetRow>(TINY.streets),
    { ...street!, street_pid: 'F1', locality_pid: 'L6', name: 'FRANKSTON-FLINDERS', type: 'ROAD' },
    { ...street!, street_pid: 'F2', locality_pid: 'L7', name: 'BROADHURST', type: 'AVENUE' },
    { ...street!, street_pid: 'F3', locality_pid: 'L6', name: 'HIGH', type: 'STREET' },
    { ...street!, street_pid: 'F4', locality_pid: 'L8', name: 'HIGH', type: 'STREET' },
    { ...street!, street_pid: 'F5', locality_pid: 'L1', name: 'NEPEAN', type: 'HIGHWAY' },
    { ...street!, street_pid: 'F6', locality_pid: 'L6', name: 'LATROBE', type: 'STREET' },
    { ...street!, street_pid: 'F7', locality_pid: 'L2', name: 'LATROBE', type: 'STREET' },
  ],
  addresses: [
    ...rows<IndexAddressRow>(TINY.addresses),
    at('Q1', 'F1', 'L6', '3071', { number_first: '12' }),
    at('Q2', 'F2', 'L7', '3073', { number_first: '8' }),
    at('Q3', 'F3', 'L6', '3071', { number_first: '40' }),
    at('Q4', 'F4', 'L8', '3072', { number_first: '40' }),
    at('Q5', 'F4', 'L8', '3072', { number_first: '77', lon: 145.0, lat: -37.755 }),
    at('Q6', 'F5', 'L1', '3065', { number_first: '435', flat_type: 'UNIT', flat_number: '101' }),
    at('Q7', 'F6', 'L6', '3071', { number_first: '5' }),
    at('Q8', 'F7', 'L2', '3066', { number_first: '1' }),
    at('Q9', 'F7', 'L2', '3066', { number_first: '9' }),
  ],
};

describe('addresses with a distant suburb, or a dash in the street name', () => {
  let index: AddressIndex;
  const ask = (text: string) => {
    const { status, gnaf_pid, rule } = matchAddress(index, { text });
    return { status, gnaf_pid, rule };
  };

  beforeAll(async () => {
    index = await tinyIndex(FURTHER);
  });

  it.each([
    ['12 Frankston - Flinders Rd, Thornbury VIC 3071', 'Q1', 'exact'],
    ['12 Frankston – Flinders Road Thornbury VIC', 'Q1', 'exact'],
    ['12 Frankston-Flinders Rd, Thornbury VIC 3071', 'Q1', 'exact'],
    ['Red Brick Realty - 12 Smith St, Fitzroy VIC 3065', 'P1', 'exact'],
    ['12 Smith St - Fitzroy VIC 3065', 'P1', 'exact'],
    // Only the postcode is right, two or three steps from the stated suburb.
    ['12 Frankston Flinders Rd, Fitzroy VIC 3071', 'Q1', 'locality_by_postcode'],
    ['8 Broadhurst Ave, Fitzroy VIC 3073', 'Q2', 'locality_by_postcode'],
  ])('%s is %s by %s', (text, gnaf_pid, rule) => {
    expect(ask(text)).toEqual({ status: 'matched', gnaf_pid, rule });
  });

  it.each([
    ['two steps off without its postcode or coordinates', '12 Frankston Flinders Rd, Fitzroy VIC'],
    ['three steps off without its postcode', '8 Broadhurst Ave, Fitzroy VIC'],
    ['in two suburbs as far off', '40 High St, Fitzroy VIC'],
    ['where a suburb nearer has a street that could hold the number', '5 Latrobe St, Fitzroy VIC'],
    ['with the postcode of neither', '12 Frankston Flinders Rd, Fitzroy VIC 3000'],
    ['with another number', '13 Frankston Flinders Rd, Fitzroy VIC'],
    ['in a unit that the number does not have', '9/12 Frankston Flinders Rd, Fitzroy VIC'],
  ])('%s is not matched: %s', (_, text) => {
    expect(ask(text).gnaf_pid).toBeNull();
  });

  it('match a suburb two away only if the coordinates confirm it', () => {
    const near = { lon: 145.0, lat: -37.755 };
    for (const text of ['77 High St, Fitzroy VIC', '77 High St, Fitzroy VIC 3065']) {
      expect(matchAddress(index, { text }, near)).toMatchObject({
        status: 'matched',
        gnaf_pid: 'Q5',
        rule: 'locality_further+coordinates',
      });
      const [first] = matchAddress(index, { text }).candidates;
      expect(first).toMatchObject({ gnaf_pid: 'Q5', rule: 'locality_further' });
    }
    expect(
      matchAddress(index, { text: '77 High St, Fitzroy VIC' }, { lon: 145.0, lat: -37.9 }).gnaf_pid,
    ).toBeNull();
  });

  it('names the same fact by the same reason: the number is there, and units alone', () => {
    expect(ask('435 Nepean Hwy, Fitzroy VIC 3065').rule).toBe('unit_not_stated');
    expect(ask('508/435 Nepean Hwy, Fitzroy VIC 3065').rule).toBe('unit_absent');
    expect(ask('508/437 Nepean Hwy, Fitzroy VIC 3065').rule).toBe('number_absent');
    expect(ask('437 Nepean Hwy, Fitzroy VIC 3065').rule).toBe('number_absent');
  });
});
