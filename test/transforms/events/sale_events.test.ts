import { describe, expect, it } from 'vitest';
import { saleEvents } from '../../../transforms/events/sale_events.ts';
import { fact, registered } from './facts.ts';

const sold = (event_date: string, price: number | null, more: Parameters<typeof fact>[0] | object = {}) =>
  fact({ event_type: 'sold', event_date, price, ...more });
const short = (events: ReturnType<typeof saleEvents>) =>
  events.map(({ date, price, no_evidence }) => [date, price, no_evidence]).sort();

describe('reports of one sale', () => {
  it.each([
    [
      'an agency some days off the register, at a rounded price',
      [sold('2020-03-12', 1_250_000), registered('2020-03-10', '2020-05-10', 1_253_000)],
      [['2020-03-10', 1_253_000, null]],
    ],
    [
      'an agency that reports the settlement',
      [sold('2020-05-12', 800_000), registered('2020-03-10', '2020-05-10', 800_000)],
      [['2020-03-10', 800_000, null]],
    ],
    [
      'a register that knows the settlement only, and the contract of an agency',
      [sold('2020-03-10', 800_000), registered('2020-05-10', '2020-05-10', 800_000)],
      [['2020-03-10', 800_000, null]],
    ],
    [
      'an agency that does not disclose the price',
      [sold('2020-03-10', null), registered('2020-03-14', '2020-05-10', 800_000)],
      [['2020-03-14', 800_000, null]],
    ],
    [
      'three feeds',
      [
        sold('2020-03-10', 800_000),
        sold('2020-03-11', 800_000, { source: 'portal' }),
        registered('2020-03-10', null, 800_000),
      ],
      [['2020-03-10', 800_000, null]],
    ],
    [
      'two agencies, neither with a price',
      [sold('2020-03-10', null), sold('2020-03-20', null, { source: 'portal' })],
      [['2020-03-10', null, 'no_price']],
    ],
  ])('are one: %s', (_, reports, expected) => {
    const events = saleEvents(reports);
    if (reports.every(({ price }) => price === null)) expect(events).toHaveLength(1);
    else expect(short(events)).toEqual(expected);
    expect(events[0]!.event_keys).toEqual(reports.map(({ event_key }) => event_key).sort());
  });

  it.each([
    [
      'years apart',
      [registered('2015-01-10', '2015-03-01', 500_000), registered('2020-01-10', '2020-03-01', 700_000)],
      [
        ['2015-01-10', 500_000, null],
        ['2020-01-10', 700_000, null],
      ],
    ],
    [
      'another price, months apart',
      [sold('2020-01-10', 500_000), sold('2020-06-10', 650_000)],
      [
        ['2020-01-10', 500_000, null],
        ['2020-06-10', 650_000, null],
      ],
    ],
    [
      'two dealings on one day',
      [
        registered('2020-01-10', null, 500_000, { dealing_id: 'a' }),
        registered('2020-01-10', null, 500_000, { dealing_id: 'b', source_id: 'x' }),
      ],
      [
        ['2020-01-10', 500_000, null],
        ['2020-01-10', 500_000, 'price_conflict'],
      ],
    ],
    [
      'another price in the same week: the register is evidence',
      [sold('2020-01-10', 900_000), registered('2020-01-12', null, 500_000)],
      [
        ['2020-01-10', 900_000, 'price_conflict'],
        ['2020-01-12', 500_000, null],
      ],
    ],
    [
      'one listing id that is used again after a year',
      [sold('2018-01-10', 500_000, { source_id: 'a' }), sold('2019-03-10', 500_000, { source_id: 'a' })],
      [
        ['2018-01-10', 500_000, null],
        ['2019-03-10', 500_000, null],
      ],
    ],
  ])('are two: %s', (_, reports, expected) => {
    expect(short(saleEvents(reports))).toEqual(expected);
  });

  it('replace an earlier report of the same source and id, date and price', () => {
    const first = sold('2020-03-10', 800_000, { source_id: 'a', observed_at: '2020-03-11T00:00:00Z' });
    const second = sold('2020-03-17', 820_000, { source_id: 'a', observed_at: '2020-03-20T00:00:00Z' });
    expect(short(saleEvents([second, first]))).toEqual([['2020-03-17', 820_000, null]]);
    const back = { ...first, observed_at: '2020-04-01T00:00:00Z' };
    expect(short(saleEvents([second, back]))).toEqual([['2020-03-10', 800_000, null]]);
  });

  it('replace an earlier report of the same dealing', () => {
    const first = registered('2020-03-10', null, 80_000, {
      dealing_id: 'd',
      observed_at: '2020-04-01T00:00:00Z',
    });
    const second = registered('2020-03-10', null, 800_000, {
      dealing_id: 'd',
      observed_at: '2020-04-08T00:00:00Z',
    });
    expect(short(saleEvents([first, second]))).toEqual([['2020-03-10', 800_000, null]]);
  });

  it('take the price of the agency where the register gives that of several properties', () => {
    const both = [
      registered('2020-03-10', null, 2_400_000, { no_evidence: 'multi_property' }),
      sold('2020-03-09', 1_200_000),
    ];
    expect(short(saleEvents(both))).toEqual([['2020-03-10', 1_200_000, null]]);
    expect(short(saleEvents(both.slice(0, 1)))).toEqual([['2020-03-10', 2_400_000, 'multi_property']]);
  });

  it('without a price, or at none, are no evidence', () => {
    expect(short(saleEvents([sold('2020-03-09', null)]))).toEqual([['2020-03-09', null, 'no_price']]);
    expect(short(saleEvents([sold('2020-03-09', 0)]))).toEqual([['2020-03-09', 0, 'no_price']]);
    expect(short(saleEvents([registered('2020-03-09', null, 1, { no_evidence: 'nominal' })]))).toEqual([
      ['2020-03-09', 1, 'nominal'],
    ]);
  });
});
