import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EVENT_TYPES } from '../../../schema/records/market_event.ts';
import { historyOf } from '../../../transforms/events/history.ts';
import type { MarketFacts } from '../../../transforms/events/market_facts.ts';
import { isoOfDay } from '../../../transforms/stats/calendar.ts';
import { fact } from './facts.ts';

const record: fc.Arbitrary<MarketFacts> = fc
  .record({
    event_type: fc.constantFrom(...EVENT_TYPES),
    channel: fc.constantFrom('sale', 'rent'),
    source: fc.constantFrom('agency', 'portal', 'register'),
    source_id: fc.constantFrom('a', 'b'),
    day: fc.integer({ min: 18_000, max: 18_500 }),
    price: fc.option(fc.constantFrom(0, 1, 500, 500_000, 503_000, 700_000)),
    low: fc.option(fc.constantFrom(480_000, 650_000)),
    settles: fc.option(fc.integer({ min: 0, max: 90 })),
    dealing_id: fc.option(fc.constantFrom('d1', 'd2')),
    observed: fc.option(fc.integer({ min: 18_000, max: 18_600 })),
    no_evidence: fc.option(fc.constantFrom('nominal', 'multi_property'), { freq: 6 }),
  })
  .map(({ day, settles, observed, low, ...rest }) =>
    fact({
      ...rest,
      price_low: low,
      event_date: isoOfDay(day),
      settlement_date: settles === null ? null : isoOfDay(day + settles),
      observed_at: observed === null ? null : `${isoOfDay(observed)}T00:00:00Z`,
    }),
  );
const records = fc
  .uniqueArray(record, { selector: (each) => each.event_key, maxLength: 14 })
  .filter((each) => each.length > 0);

describe('a history', () => {
  it('holds every record that is not the sale of a listing exactly once', () => {
    fc.assert(
      fc.property(records, (given) => {
        const keys = historyOf(given).flatMap(({ event_keys }) => event_keys);
        expect(keys.sort()).toEqual(given.map(({ event_key }) => event_key).sort());
      }),
      { seed: 1, numRuns: 200 },
    );
  });

  it('does not depend on the order of the records', () => {
    fc.assert(
      fc.property(
        records.chain((given) =>
          fc.tuple(fc.constant(given), fc.shuffledSubarray(given, { minLength: given.length })),
        ),
        ([a, b]) => {
          expect(historyOf(b)).toEqual(historyOf(a));
        },
      ),
      { seed: 2, numRuns: 200 },
    );
  });

  it('keeps dates in order and evidence with a price', () => {
    fc.assert(
      fc.property(records, (given) => {
        const events = historyOf(given);
        for (let i = 1; i < events.length; i++) expect(events[i - 1]!.date >= events[i]!.date).toBe(true);
        expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(events.length);
        for (const event of events) {
          expect(event.last_date >= event.date).toBe(true);
          expect(event.end_date === null).toBe(event.end_reason === null);
          if (event.end_date !== null) expect(event.end_date >= event.date).toBe(true);
          if (event.type === 'Sold' && event.no_evidence === null) expect(event.price).toBeGreaterThan(0);
        }
      }),
      { seed: 3, numRuns: 200 },
    );
  });

  it('counts a record in two buckets once, as last observed', () => {
    const first = fact({
      event_type: 'sold',
      event_date: '2020-01-01',
      source_id: 'a',
      price: 1e5,
      observed_at: '2020-01-02T00:00:00Z',
    });
    const second = { ...first, price: 2e5, observed_at: '2020-01-03T00:00:00Z' };
    expect(historyOf([second, first])).toMatchObject([{ price: 2e5 }]);
  });
});
