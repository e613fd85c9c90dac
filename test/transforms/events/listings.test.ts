import { describe, expect, it } from 'vitest';
import { historyOf } from '../../../transforms/events/history.ts';
import { fact } from './facts.ts';

const at = (event_date: string, event_type: string, more: object = {}) =>
  fact({ event_type: event_type as 'listed', event_date, source_id: 'a', ...more });
const short = (events: ReturnType<typeof historyOf>) =>
  events.map(({ type, date, end_date, end_reason, price }) => [type, date, end_date, end_reason, price]);

describe('the listings of a property', () => {
  it('are one event from the first day to the sale, with the last asking price', () => {
    const events = historyOf([
      at('2020-02-01', 'listed', { price: 900_000 }),
      at('2020-03-01', 'price_changed', { price: 850_000 }),
      at('2020-04-01', 'under_offer'),
      at('2020-04-20', 'sold', { price: 840_000 }),
    ]);
    expect(short(events)).toEqual([
      ['Sold', '2020-04-20', null, null, 840_000],
      ['For Sale', '2020-02-01', '2020-04-20', 'sold', 850_000],
    ]);
    expect(events[1]).toMatchObject({ first_price: 900_000, is_under_offer: false, last_date: '2020-04-01' });
  });

  it('keep an advertised range apart from a price', () => {
    const [event] = historyOf([at('2020-02-01', 'listed', { price_low: 800_000, price_high: 900_000 })]);
    expect(event).toMatchObject({ price: null, price_low: 800_000, price_high: 900_000 });
  });

  it('close when they are withdrawn, and open again as another', () => {
    expect(
      short(
        historyOf([at('2020-02-01', 'listed'), at('2020-03-01', 'withdrawn'), at('2020-05-01', 'listed')]),
      ),
    ).toEqual([
      ['For Sale', '2020-05-01', null, null, null],
      ['For Sale', '2020-02-01', '2020-03-01', 'withdrawn', null],
    ]);
  });

  it('close at a sale that another source reports, and at a later listing', () => {
    expect(
      short(
        historyOf([
          at('2019-02-01', 'listed'),
          at('2020-02-01', 'listed', { source_id: 'b' }),
          at('2020-03-01', 'sold', { source: 'portal', price: 5e5 }),
        ]),
      ),
    ).toEqual([
      ['Sold', '2020-03-01', null, null, 5e5],
      ['For Sale', '2020-02-01', '2020-03-01', 'sold', null],
      ['For Sale', '2019-02-01', '2020-02-01', 'relisted', null],
    ]);
  });

  it('stay open at a sale that comes years later', () => {
    expect(
      short(
        historyOf([at('2015-02-01', 'listed'), at('2020-03-01', 'sold', { source: 'portal', price: 5e5 })]),
      ),
    ).toEqual([
      ['Sold', '2020-03-01', null, null, 5e5],
      ['For Sale', '2015-02-01', null, null, null],
    ]);
  });

  it('are under offer until something else is said', () => {
    const offered = [at('2020-02-01', 'listed'), at('2020-03-01', 'under_offer')];
    expect(historyOf(offered)[0]).toMatchObject({ is_under_offer: true });
    expect(historyOf([...offered, at('2020-03-20', 'price_changed')])[0]).toMatchObject({
      is_under_offer: false,
    });
  });

  it('are one for overlapping listings of two feeds', () => {
    const events = historyOf([
      at('2020-02-01', 'listed', { price: 900_000 }),
      at('2020-02-05', 'listed', { source: 'portal', price_low: 850_000, price_high: 950_000 }),
      at('2020-04-20', 'withdrawn', { source: 'portal' }),
    ]);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      date: '2020-02-01',
      sources: ['agency', 'portal'],
      end_reason: 'withdrawn',
    });
  });

  it('continue after a withdrawal in one feed if the other feed continues', () => {
    const events = historyOf([
      at('2020-02-01', 'listed'),
      at('2020-02-05', 'listed', { source: 'portal' }),
      at('2020-03-01', 'withdrawn', { source: 'portal' }),
      at('2020-03-10', 'price_changed', { price: 700_000 }),
    ]);
    expect(short(events)).toEqual([['For Sale', '2020-02-01', null, null, 700_000]]);
  });

  it('with different prices are two', () => {
    const events = historyOf([
      at('2020-02-01', 'listed', { price: 900_000 }),
      at('2020-02-05', 'listed', { source: 'portal', price: 500_000 }),
    ]);
    expect(events).toHaveLength(2);
  });

  it('separate rent from sale, and include a lease without a listing', () => {
    expect(
      short(
        historyOf([
          at('2020-02-01', 'listed', { channel: 'rent', price: 500 }),
          at('2020-02-01', 'listed', { source_id: 'b', price: 900_000 }),
          at('2020-02-20', 'leased', { price: 520 }),
          at('2022-02-20', 'leased', { source_id: 'z', price: 600 }),
        ]),
      ),
    ).toEqual([
      ['For Rent', '2022-02-20', '2022-02-20', 'leased', 600],
      ['For Rent', '2020-02-01', '2020-02-20', 'leased', 520],
      ['For Sale', '2020-02-01', null, null, 900_000],
    ]);
  });

  it('begin with the first record of a feed, even a withdrawal', () => {
    expect(short(historyOf([at('2020-03-01', 'withdrawn')]))).toEqual([
      ['For Sale', '2020-03-01', '2020-03-01', 'withdrawn', null],
    ]);
  });

  it('are two for one id after a year of silence', () => {
    expect(historyOf([at('2018-02-01', 'listed'), at('2019-06-01', 'price_changed')])).toHaveLength(2);
  });
});
