import { describe, expect, it } from 'vitest';
import { type StatusFacts, statusOf } from '../../../transforms/events/status.ts';

const AS_OF = '2024-12-31';
const offer = (
  type: 'For Sale' | 'For Rent',
  date: string,
  more: Partial<StatusFacts> = {},
): StatusFacts => ({
  type,
  date,
  last_date: date,
  end_date: null,
  end_reason: null,
  is_under_offer: false,
  ...more,
});
const sold = (date: string): StatusFacts => ({ ...offer('For Sale', date), type: 'Sold' });
const leased = (date: string, end_date: string): StatusFacts =>
  offer('For Rent', date, { end_date, last_date: end_date, end_reason: 'leased' });

describe('the status of a property', () => {
  it.each([
    ['for sale while a listing is fresh', [offer('For Sale', '2024-10-01')], 'for sale', '2024-10-01'],
    [
      'under offer',
      [offer('For Sale', '2024-10-01', { last_date: '2024-11-01', is_under_offer: true })],
      'under offer',
      '2024-11-01',
    ],
    ['not for sale for ever', [offer('For Sale', '2022-10-01')], 'unknown', null],
    ['for rent', [offer('For Rent', '2024-12-01'), sold('2024-11-01')], 'for rent', '2024-12-01'],
    ['sold', [sold('2024-11-01')], 'sold', '2024-11-01'],
    [
      'owner-occupied once a buyer has had time to let it and did not',
      [sold('2023-11-01')],
      'owner-occupied',
      '2023-11-01',
    ],
    ['rented', [leased('2024-01-01', '2024-01-20'), sold('2020-01-01')], 'rented', '2024-01-20'],
    [
      'rented after an open listing that nobody mentions any more',
      [offer('For Rent', '2024-01-01')],
      'rented',
      '2024-01-01',
    ],
    ['unknown years after a lease', [leased('2015-01-01', '2015-01-20')], 'unknown', null],
    [
      'sold after a lease that ended before',
      [leased('2021-01-01', '2021-01-20'), sold('2024-11-01')],
      'sold',
      '2024-11-01',
    ],
    [
      'unknown where a rent listing was withdrawn after the sale',
      [
        sold('2022-01-01'),
        offer('For Rent', '2022-06-01', { end_date: '2022-07-01', end_reason: 'withdrawn' }),
      ],
      'unknown',
      null,
    ],
    [
      'what it was before where a sale listing was withdrawn',
      [
        sold('2020-01-01'),
        offer('For Sale', '2024-10-01', { end_date: '2024-11-01', end_reason: 'withdrawn' }),
      ],
      'owner-occupied',
      '2020-01-01',
    ],
    ['unknown without a history', [], 'unknown', null],
    ['not what lies ahead', [sold('2025-02-01')], 'unknown', null],
  ] as const)('is %s', (_, history, status, date) => {
    expect(statusOf(history, AS_OF)).toEqual({ status, date });
  });
});
