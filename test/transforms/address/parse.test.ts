import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAddress, parseText } from '../../../transforms/address/parse/parse.ts';
import { FOURFOLD_MAX, timesAsMuch } from '../../growth.ts';

/** Unit (type and number), level, lot, first and last number, tail, state, postcode; left out where null. */
type Expected = Partial<{
  unit: string;
  level: string;
  lot: string;
  first: string;
  last: string;
  tail: string;
  state: string;
  postcode: string;
  building: string;
}>;

const END = { tail: 'SMITH ST|FITZROY', state: 'VIC', postcode: '3065' };
const REST = 'Smith St, Fitzroy VIC 3065';

const CASES: [text: string, expected: Expected][] = [
  [`12 ${REST}`, { first: '12', ...END }],
  [`12A ${REST}`, { first: '12A', ...END }],
  [`12 a ${REST}`, { first: '12A', ...END }],
  [`12-14 ${REST}`, { first: '12', last: '14', ...END }],
  [`12 – 14 ${REST}`, { first: '12', last: '14', ...END }],
  [`12 to 14 ${REST}`, { first: '12', last: '14', ...END }],
  [`12 & 14 ${REST}`, { first: '12', last: '14', ...END }],
  [`350-2 ${REST}`, { first: '350', last: '352', ...END }],
  [`8A-8 ${REST}`, { first: '8A', last: '8', ...END }],
  [`No. 12 ${REST}`, { first: '12', ...END }],
  [`5/12 ${REST}`, { unit: '5', first: '12', ...END }],
  [`5 / 12 ${REST}`, { unit: '5', first: '12', ...END }],
  [`#5/12 ${REST}`, { unit: '5', first: '12', ...END }],
  [`5 12 ${REST}`, { unit: '5', first: '12', ...END }],
  [`Unit 5 12 ${REST}`, { unit: 'UNIT 5', first: '12', ...END }],
  [`Unit 5, 12 ${REST}`, { unit: 'UNIT 5', first: '12', ...END }],
  [`Unit 5/12-14 ${REST}`, { unit: 'UNIT 5', first: '12', last: '14', ...END }],
  [`U5/12 ${REST}`, { unit: 'UNIT 5', first: '12', ...END }],
  [`apt.505, No. 12 ${REST}`, { unit: 'APT 505', first: '12', ...END }],
  [`Fl 3/12 ${REST}`, { unit: 'FLAT 3', first: '12', ...END }],
  [`Shop 3, 12 ${REST}`, { unit: 'SHOP 3', first: '12', ...END }],
  [`Shop 3 & 4, 12 ${REST}`, { unit: 'SHOP 3&4', first: '12', ...END }],
  [`1-2/12 ${REST}`, { unit: '1-2', first: '12', ...END }],
  [`G01/12 ${REST}`, { unit: 'G01', first: '12', ...END }],
  [`A/12 ${REST}`, { unit: 'A', first: '12', ...END }],
  [`Rear of 12 ${REST}`, { unit: 'REAR', first: '12', ...END }],
  [`(Unit 5) 12 ${REST}`, { unit: 'UNIT 5', first: '12', ...END }],
  [`12 Smith St, Unit 5, Fitzroy VIC 3065`, { unit: 'UNIT 5', first: '12', ...END }],
  [
    `Level 3, Suite 11A, Como Centre, 12 ${REST}`,
    { level: 'L 3', unit: 'SE 11A', building: 'COMO CENTRE', first: '12', ...END },
  ],
  [`Ground Floor, 12 ${REST}`, { level: 'G', first: '12', ...END }],
  [`3rd Floor 12 ${REST}`, { level: 'L 3', first: '12', ...END }],
  [`Building 3 Unit 5, 12 ${REST}`, { unit: 'UNIT 5', building: 'BLDG 3', first: '12', ...END }],
  [`Monarc Apartments, 12 ${REST}`, { building: 'MONARC APARTMENTS', first: '12', ...END }],
  [`The Bike Shed 12A ${REST}`, { building: 'THE BIKE SHED', first: '12A', ...END }],
  [`Rose Cottage 5/12 ${REST}`, { building: 'ROSE COTTAGE', unit: '5', first: '12', ...END }],
  [`Corner Store 12 ${REST}`, { building: 'STORE', first: '12', ...END }],
  [`Coffee Shop 12 ${REST}`, { building: 'COFFEE SHOP', first: '12', ...END }],
  [`Como Centre Shop 3/12 ${REST}`, { building: 'COMO CENTRE', unit: 'SHOP 3', first: '12', ...END }],
  [`Como Studio 3 12 ${REST}`, { building: 'COMO', unit: 'STU 3', first: '12', ...END }],
  [`Shed 3, 12 ${REST}`, { unit: 'SHED 3', first: '12', ...END }],
  [`Lot 7 ${REST}`, { lot: '7', ...END }],
  [`Lot 7 (No. 12) ${REST}`, { lot: '7', first: '12', ...END }],
  [`Lot 7 on PS 123456, ${REST}`, { lot: '7', ...END }],
  [`Smith St, Fitzroy VIC 3065`, { ...END }],
  [`Unit 5 ${REST}`, { unit: 'UNIT 5', ...END }],
  [`12 SMITH ST FITZROY VIC 3065`, { first: '12', ...END, tail: 'SMITH ST FITZROY' }],
  ['12 Smith St., Fitzroy, Victoria, Australia', { first: '12', tail: 'SMITH ST|FITZROY', state: 'VIC' }],
  ['12 Smith St, Fitzroy 3065 VIC', { first: '12', ...END }],
  ['12 Smith St, Fitzroy 3065', { first: '12', tail: 'SMITH ST|FITZROY', postcode: '3065' }],
  ['12 Smith St\nFITZROY\nVIC\t3065', { first: '12', ...END }],
  [`For Sale: 12 ${REST}`, { building: 'FOR SALE', first: '12', ...END }],
  [`12 ${REST} (Biggin & Scott)`, { first: '12', ...END }],
  [`12 ${REST} – Auction Saturday 0412 345 678`, { first: '12', ...END }],
  ['12 Smith St, Fitzroy - contact agent', { first: '12', tail: 'SMITH ST|FITZROY' }],
  ['12 Smith St, Fitzroy (03) 9421 1234', { first: '12', tail: 'SMITH ST|FITZROY' }],
  ['12 Smith St, Fitzroy $1,200,000 - $1.3m', { first: '12', tail: 'SMITH ST|FITZROY' }],
  ['12 Smith St (3 bed, 2 bath), Fitzroy', { first: '12', tail: 'SMITH ST|FITZROY' }],
  ['12 Smith St (cnr Jones St), Fitzroy VIC', { first: '12', tail: 'SMITH ST|FITZROY', state: 'VIC' }],
  ['12 Smith St cnr Jones St, Fitzroy VIC', { first: '12', tail: 'SMITH ST|FITZROY', state: 'VIC' }],
  ['12 Victoria St, Fitzroy', { first: '12', tail: 'VICTORIA ST|FITZROY' }],
  ['3 Bath St, Fitzroy', { first: '3', tail: 'BATH ST|FITZROY' }],
  [
    '1880 Ferntree Gully Rd, Ferntree Gully VIC 3156',
    { first: '1880', tail: 'FERNTREE GULLY RD|FERNTREE GULLY', state: 'VIC', postcode: '3156' },
  ],
  ['Smith St 12, Fitzroy VIC 3065', { first: '12', ...END }],
  ['Smith St 5/12, Fitzroy VIC 3065', { unit: '5', first: '12', ...END }],
  ['Como Court 5, Smith St, Fitzroy VIC 3065', { building: 'COMO COURT', first: '5', ...END }],
  ['12 A St, Fitzroy', { first: '12', tail: 'A ST|FITZROY' }],
  ['40 a Park Grv, Fitzroy', { first: '40A', tail: 'PARK GRV|FITZROY' }],
  ["12 O'Grady's Rd, Fitzroy", { first: '12', tail: 'OGRADYS RD|FITZROY' }],
  ['', {}],
  ['   ,,, ', {}],
];

function shown(text: string): Expected {
  const { unit, level, lot, number_first, number_last, tail, tail_breaks, state, postcode, building } =
    parseText(text);
  const pair = (each: { type: string | null; number: string | null } | null): string | undefined =>
    each === null ? undefined : [each.type, each.number].filter(Boolean).join(' ');
  const words = tail.map((word, i) => (i === 0 ? word : (tail_breaks[i]! > 0 ? '|' : ' ') + word)).join('');
  const all = {
    unit: pair(unit),
    level: pair(level),
    lot,
    first: number_first,
    last: number_last,
    tail: words,
    state,
    postcode,
    building,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value)) as Expected;
}

describe('parseText', () => {
  it.each(CASES)('%s', (text, expected) => {
    expect(shown(text)).toEqual(expected);
  });

  it('reads any text, and the same text the same way', () => {
    const words = fc.constantFrom(
      '12',
      '5/12',
      'Unit',
      'Lot',
      'St',
      'Smith',
      'VIC',
      '3065',
      ',',
      '(',
      ')',
      '-',
      '|',
      'cnr',
      'Level',
      '\\',
      '12-14',
      '04',
    );
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(words, { maxLength: 30 }).map((all) => all.join(' ')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        expect(parseText(text)).toEqual(parseText(text));
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  it('reads no more than the first 400 characters', () => {
    const parsed = (times: number) => () => parseText(`12 Smith St${' ((((12-'.repeat(times)}`);
    expect(parsed(200_000)().number_first).toBe('12');
    expect(parsed(200_000)()).toEqual(parsed(100)());
    expect(timesAsMuch(parsed(200_000), parsed(50_000))).toBeLessThan(FOURFOLD_MAX);
  });
});

describe('parseAddress', () => {
  it('puts fields together', () => {
    const parsed = parseAddress({
      unit: '5',
      number: '12-14',
      street: 'Smith',
      street_type: 'St',
      suburb: 'Fitzroy',
      state: 'victoria',
      postcode: '3065',
    });
    expect(parsed).toMatchObject({
      number_first: '12',
      number_last: '14',
      suburb: 'FITZROY',
      state: 'VIC',
      postcode: '3065',
    });
    expect(parsed.unit).toEqual({ type: null, number: '5' });
    expect(parsed.tail).toEqual(['SMITH', 'ST']);
  });

  it.each([
    [
      { number: '5/12', street: 'Smith St' },
      { type: null, number: '5' },
    ],
    [
      { unit: 'Shop 5', number: '12', street: 'Smith St' },
      { type: 'SHOP', number: '5' },
    ],
    [
      { unit_type: 'Apartment', unit: '5', number: '12', street: 'Smith St' },
      { type: 'APT', number: '5' },
    ],
    [
      { unit: 'U5', number: '12', street: 'Smith St' },
      { type: 'UNIT', number: '5' },
    ],
    [{ unit: ' ', number: '12', street: 'Smith St' }, null],
  ])('reads the unit of %j', (fields, unit) => {
    expect(parseAddress(fields).unit).toEqual(unit);
  });

  it.each([
    [
      { text: '12 Smith St', unit: '5' },
      { unit: { type: null, number: '5' }, number_first: '12' },
    ],
    [
      { text: '5/12 Smith St', unit: 'Unit 5' },
      { unit: { type: null, number: '5' }, number_first: '12' },
    ],
    [
      { text: '5/12 Smith St', unit: '6' },
      { unit: { type: null, number: '5&6' }, number_first: '12' },
    ],
    [
      { text: 'Smith St', number: '5/12' },
      { unit: { type: null, number: '5' }, number_first: '12' },
    ],
    [
      { text: '12 Smith St', number: '14' },
      { unit: null, number_first: '12' },
    ],
    [
      { text: '12 Smith St', level: '3' },
      { level: { type: 'L', number: '3' }, number_first: '12' },
    ],
    [{ text: '12 Smith St', unit_type: 'Shop', unit: '3' }, { unit: { type: 'SHOP', number: '3' } }],
    [
      { text: 'Smith St', lot: 'Lot 7' },
      { lot: '7', number_first: null },
    ],
  ])('completes %j', (input, expected) => {
    expect(parseAddress(input)).toMatchObject(expected);
  });
});
