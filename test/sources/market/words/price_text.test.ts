import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_PRICE, readPriceText } from '../../../../sources/market/words/price_text.ts';
import { FOURFOLD_MAX, timesAsMuch } from '../../../growth.ts';

const CASES: readonly [
  text: string,
  price: number | null,
  low: number | null,
  high: number | null,
  period: string | null,
][] = [
  ['Contact agent', null, null, null, null],
  ['Expressions of interest', null, null, null, null],
  ['', null, null, null, null],
  ['1250000', 1_250_000, null, null, null],
  ['$1,250,000', 1_250_000, null, null, null],
  ['1.25 million', 1_250_000, null, null, null],
  ['SOLD - $1,025,000', 1_025_000, null, null, null],
  ['$1.2m - $1.3m', null, 1_200_000, 1_300_000, null],
  ['1 - 1.2m', null, 1_000_000, 1_200_000, null],
  ['850-900k', null, 850_000, 900_000, null],
  ['$495,000 to $520,000', null, 495_000, 520_000, null],
  ['Price Guide: $1,200,000-$1,300,000', null, 1_200_000, 1_300_000, null],
  ['offers over $850,000', null, 850_000, null, null],
  ['From $500k', null, 500_000, null, null],
  ['$500k+', null, 500_000, null, null],
  ['up to $1m', null, null, 1_000_000, null],
  ['$750 pw', 750, null, null, 'week'],
  ['750pw', 750, null, null, 'week'],
  ['$750 p.w.', 750, null, null, 'week'],
  ['$450.00 per week', 450, null, null, 'week'],
  ['$3,200 pcm', 3200, null, null, 'month'],
  ['$750 per week / $3,259 pcm', 750, null, null, 'week'],
  ['$1,100 fortnight', 1100, null, null, 'fortnight'],
  ['$39,000 p.a.', 39_000, null, null, 'year'],
  ['$600-650 pw', null, 600, 650, 'week'],
  ['3 bed from $450 per week', null, 450, null, 'week'],
  // plurals, and figures that never end in the middle of a number
  ['High $1,200,000s', 1_200_000, null, null, null],
  ["$1,200,000's", 1_200_000, null, null, null],
  ['Mid $700,000s', 700_000, null, null, null],
  ['Low to mid $1.3ms', 1_300_000, null, null, null],
  ['Offers over $1,495,000s', null, 1_495_000, null, null],
  ['$1,050,000.00 - $1,150,000.00', null, 1_050_000, 1_150_000, null],
  ['$1,200,0000', null, null, null, null],
  ['$1.250.000', null, null, null, null],
  ['$12,34', null, null, null, null],
  // numbers that are no money
  ['Ref 1234567 - contact agent', null, null, null, null],
  ['Property ID: 1234567', null, null, null, null],
  ['Listing no. 123456, $500,000', 500_000, null, null, null],
  ['#7654321', null, null, null, null],
  ['Auction Sat 14/10/2026 at 11:30am', null, null, null, null],
  ['Unit 3 - $500,000', 500_000, null, null, null],
  ['739 m2 $500,000', 500_000, null, null, null],
  ['739 m²', null, null, null, null],
  ['5% deposit $400,000', 400_000, null, null, null],
  ['Call 0412 345 678', null, null, null, null],
  ['Call 9876 5432', null, null, null, null],
  ['Best offer by 5pm', null, null, null, null],
  ['$2,000,000,000', null, null, null, null],
];

describe('prices as text', () => {
  it.each(CASES)('%s', (text, price, low, high, period) => {
    expect(readPriceText(text)).toMatchObject({ price, low, high });
    if (price ?? low ?? high) expect(readPriceText(text).period).toBe(period);
  });

  it('give whole dollars within bounds or nothing, whatever is written, and fast', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[$ 0-9.,mk\-/pwa]{0,60}$/)), (text) => {
        const { price, low, high } = readPriceText(text);
        for (const value of [price, low, high])
          expect(value === null || (Number.isInteger(value) && value > 0 && value <= MAX_PRICE)).toBe(true);
        if (low !== null && high !== null) expect(low).toBeLessThanOrEqual(high);
      }),
      { seed: 7, numRuns: 500 },
    );
    for (const unit of ['1,', '$ ', '1 - ', '9'.repeat(50), 'p.']) {
      const read = (times: number) => () => readPriceText(unit.repeat(times));
      expect(timesAsMuch(read(100_000), read(25_000)), unit).toBeLessThan(FOURFOLD_MAX);
    }
  });

  it('read back what they are written from', () => {
    fc.assert(
      fc.property(fc.integer({ min: 10_000, max: 99_000_000 }), (dollars) => {
        expect(readPriceText(`$${dollars.toLocaleString('en-AU')}`).price).toBe(dollars);
        expect(readPriceText(`Offers above $${dollars}`)).toMatchObject({ price: null, low: dollars });
      }),
      { seed: 3, numRuns: 200 },
    );
  });
});
