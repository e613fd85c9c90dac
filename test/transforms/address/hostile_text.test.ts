import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { AddressIndex } from '../../../transforms/address/match/address_index.ts';
import { type MatchInput, matchAddress } from '../../../transforms/address/match/match.ts';
import { readingsOf } from '../../../transforms/address/match/readings.ts';
import { parseAddress } from '../../../transforms/address/parse/parse.ts';
import { tinyIndex } from './tiny_index.ts';

/** Characters of a text that are looked at. */
const LOOKED_AT = 400;
/** Characters of a text that is far too long. */
const LONG = 60_000;

/** What a text may consist of to cost as much as it can. */
const PIECES = [
  'A',
  '1',
  ' ',
  ',',
  '-',
  '/',
  '(',
  "'",
  '\n',
  '\0',
  '\u0301',
  'é',
  '😀',
  '1/',
  '1-2 ',
  '1 & ',
  'A1',
  'A ',
  'Smith ',
  'Smith Street ',
  'Smiht Stret ',
  'Street ',
  'North ',
  'Unit 1 ',
  'Unit 1, ',
  'Level 1 ',
  'Lot 1 ',
  'Lot 1 PS1 ',
  'Fitzroy ',
  'Fitzroy, ',
  'Fitzrpy, ',
  'VIC ',
  '3065 ',
  'Cnr Smith & ',
  'fl. ',
  'Court House, ',
];
const repeated = (piece: string, length: number): string =>
  piece.repeat(Math.ceil(length / piece.length)).slice(0, length);

const FIELDS = [
  'building',
  'level',
  'unit_type',
  'unit',
  'lot',
  'number',
  'street',
  'street_type',
  'suburb',
  'state',
  'postcode',
] as const;

describe('texts that are expensive to match', () => {
  let index: AddressIndex;
  beforeAll(async () => {
    index = await tinyIndex();
  });

  it.each(PIECES)(
    'made of %j are truncated before parsing, and have a limited number of readings',
    (piece) => {
      for (const front of ['', '12 Smith St, Fitzroy VIC 3065 ', '1/12 ']) {
        const text = front + repeated(piece, LONG);
        const parsed = parseAddress({ text });
        expect(parsed.tail.length).toBeLessThanOrEqual(LOOKED_AT);
        expect(readingsOf(parsed, index.localities).length).toBeLessThanOrEqual(LOOKED_AT / 2);
        const result = matchAddress(index, { text });
        expect(result.candidates.length).toBeLessThanOrEqual(5);
        if (text.trim() === text)
          expect(result).toEqual(matchAddress(index, { text: text.slice(0, LOOKED_AT) }));
      }
    },
  );

  it.each(FIELDS)('as the field %s give an answer that names no other address', (field) => {
    for (const piece of PIECES) {
      const base: MatchInput = { number: '12', street: 'Smith St', suburb: 'Fitzroy', state: 'VIC' };
      const result = matchAddress(index, { ...base, [field]: repeated(piece, LONG) });
      if (result.status === 'matched') expect(result.candidates[0]!.label).toMatch(/SMITH STREET, FITZROY/);
    }
  });

  it('match no address as legal parcel ids', () => {
    for (const lot_plan of PIECES.map((piece) => repeated(piece, LONG)))
      for (const state of ['VIC', 'NSW', 'QLD', 'SA', 'WA', 'TAS', 'NT', 'ACT'])
        expect(matchAddress(index, { street: 'Nowhere Rd', state }, { lot_plan }).gnaf_pid).toBeNull();
  });

  it('get the same valid answer each time, for any characters', () => {
    const noise = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.array(fc.constantFrom(...PIECES, '12 '), { maxLength: 30 }).map((pieces) => pieces.join('')),
    );
    fc.assert(
      fc.property(noise, fc.option(noise), fc.option(noise), (text, suburb, unit) => {
        const result = matchAddress(index, { text, suburb, unit });
        expect(matchAddress(index, { text, suburb, unit })).toEqual(result);
        expect(result.score >= 0 && result.score <= 1).toBe(true);
        expect(result.gnaf_pid === null).toBe(result.status !== 'matched');
      }),
      { seed: 8, numRuns: 400 },
    );
  });
});
