import { afterAll, beforeAll, expect, it } from 'vitest';
import { finderMarketStage } from '../../../../pipelines/stages/market/finder_market.ts';
import { marketFactStage } from '../../../../pipelines/stages/market/market_fact.ts';
import {
  pocketStreetStage,
  servePocketMarketStage,
} from '../../../../pipelines/stages/market/pocket_market.ts';
import { serveRegionMarketStage } from '../../../../pipelines/stages/market/region_market.ts';
import { createDatabase, type TestDatabase } from '../../../database.ts';
import { computed } from '../../computed.ts';
import { statementRows } from '../../statement.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database?.drop());

it('takes evidence and listings of houses and units before the valuation day as facts', async () => {
  const event = (event_id: string, type: string, date: string, given: object = {}) => ({
    gnaf_pid: 'P1',
    event_id,
    type,
    date,
    last_date: date,
    price: 5,
    is_evidence: true,
    ...given,
  });
  const rows = await statementRows(database, marketFactStage, {
    event: [
      event('a', 'Sold', '2026-04-01'),
      event('b', 'Sold', '2026-04-02', { is_evidence: false }),
      event('c', 'Sold', '2026-05-01'),
      event('d', 'For Sale', '2026-04-03'),
      event('e', 'For Sale', '2026-03-01', { end_date: '2026-04-01', end_reason: 'sold' }),
      event('f', 'For Rent', '2026-04-04', { end_date: '2026-05-02' }),
      event('g', 'Sold', '2026-04-01', { gnaf_pid: 'P2' }),
    ],
    home: [
      { gnaf_pid: 'P1', cell: 3, state: 'VIC', dwelling_type: 'duplex' },
      { gnaf_pid: 'P2', cell: 3, state: 'VIC', dwelling_type: 'other' },
    ],
    region: ['P1', 'P2'].map((gnaf_pid) => ({ gnaf_pid, sal_name: 'Ash', sa1: '21' })),
    day: [{ as_of: '2026-05-01' }],
  });
  const of = { gnaf_pid: 'P1', cell: 3, market: 'house', state: 'VIC', sal: 'Ash', sa1: '21' };
  expect(rows.sort((a, b) => (String(a.event_id) < String(b.event_id) ? -1 : 1))).toMatchObject([
    { ...of, event_id: 'a', kind: 'sale', price: 5, is_current: false },
    { event_id: 'd', kind: 'listing', price: null, is_current: true },
    { event_id: 'e', kind: 'listing', is_sold: true, end_date: '2026-04-01', is_current: false },
    { event_id: 'f', kind: 'rent', price: 5, end_date: null, is_current: true },
  ]);
  expect(rows).toHaveLength(4);
});

/** Twelve sales of the last year and a listing in one suburb, three sales in another. */
const fact = (n: number, given: object = {}) => ({
  gnaf_pid: `P${n}`,
  kind: 'sale',
  market: 'house',
  date: `2026-04-${String(n + 1).padStart(2, '0')}`,
  price: 500_000 + 1000 * n,
  end_date: null,
  is_sold: false,
  is_current: false,
  state: 'VIC',
  sal: 'Ash',
  sa1: '21',
  sa2: '2',
  sa3: null,
  lga: null,
  poa: null,
  ...given,
});
const facts = [
  ...Array.from({ length: 12 }, (_, n) => fact(n)),
  fact(12, { kind: 'listing', price: null, is_current: true }),
  ...[13, 14, 15].map((n) => fact(n, { sal: 'Elm', sa1: null })),
];
const given = {
  fact: facts,
  day: [{ as_of: '2026-05-01' }],
  census: [{ level: 'SAL', code: '9', year: 2021, rented_houses: 150, rented_units: 0 }],
  suburb: [{ code: '9', name: 'Ash' }],
};

it('counts no listings and rents in a state where no source reports any', () => {
  const rest = facts.map((each) => ({ ...each, state: 'NSW', sal: 'Oak', sa1: null, sa2: null }));
  const sales = rest.filter(({ kind }) => kind === 'sale');
  const { rows } = computed(serveRegionMarketStage, { ...given, fact: [...facts, ...sales] });
  const ofArea = (name: string) => rows.find(({ area }) => area === name);
  for (const area of ['Oak', 'NSW'])
    expect(ofArea(area)).toMatchObject({
      price_sample: 15,
      stock: null,
      months_of_supply: null,
      days_on_market_sample: null,
      rent_sample: null,
      vacant_rentals: null,
    });
  // Listings are reported somewhere in Victoria, rents nowhere.
  expect(ofArea('Elm')).toMatchObject({ stock: 0, days_on_market_sample: 0, rent_sample: null });
});

it('computes the figures of every level, and none of too few sales', () => {
  const { rows, account } = computed(serveRegionMarketStage, given);
  expect(rows.map(({ level, area }) => `${level} ${area}`)).toEqual([
    'SAL Ash',
    'SAL Elm',
    'SA2 2',
    'STE VIC',
  ]);
  expect(rows).toMatchObject([
    { month: '2026-04-01', price_sample: 12, median_price: 505_500, stock: 1, rented_dwellings: 150 },
    { price_sample: 3, median_price: null, stock: 0, rented_dwellings: null },
    { price_sample: 15 },
    { price_sample: 15, state: 'VIC', market: 'house' },
  ]);
  expect(account).toEqual({ in: 16, out: 16, drops: {} });
});

it('computes those of a pocket, under the name of its main street', () => {
  const street = [{ sa1: '21', street: 'HIGH STREET', sal: 'Ash', sa2: '2', sa3: '20' }];
  const { rows, account } = computed(servePocketMarketStage, { ...given, street });
  expect(rows).toMatchObject([
    { sa1: '21', name: 'HIGH STREET', sal: 'Ash', sa3: '20', state: 'VIC', median_price: 505_500, stock: 1 },
  ]);
  expect(rows[0]!.price_series).not.toContainEqual(expect.objectContaining({ median: null }));
  expect(account).toEqual({ in: 16, out: 13, drops: { no_pocket: 3 } });
});

it('names a pocket after the street with the most addresses, in the regions of its largest part', async () => {
  const at = (street: string | null, home: number, sal_name: string, sa1: string | null = '21') => ({
    street,
    home,
    sal_name,
    sa1,
  });
  const rows = await statementRows(database, pocketStreetStage, {
    region: [
      at('B', 1, 'Ash'),
      at('B', 2, 'Elm'),
      at('B', 2, 'Elm'),
      at('A', 1, 'Ash'),
      at('A', 1, 'Ash'),
      at(null, 1, 'Ash'),
      at('C', 1, 'Ash', null),
    ],
  });
  expect(rows).toMatchObject([{ sa1: '21', street: 'B', sal: 'Elm' }]);
});

it('gives each home cell the growth of its suburbs, with a forecast if there is one', async () => {
  const of = (market: string, growth_1y_percent: number) => ({ area: 'Ash', market, growth_1y_percent });
  const rows = await statementRows(database, finderMarketStage, {
    region: [
      { home: 4, sal_name: 'Ash' },
      { home: 4, sal_name: 'Ash' },
      { home: 5, sal_name: 'Elm' },
    ],
    market: [of('house', 2), of('unit', 3)],
    forecast: [{ area: 'Ash', market: 'house', growth_percent: 1 }],
  });
  expect(rows.sort((a, b) => (String(a.market) < String(b.market) ? -1 : 1))).toEqual([
    { cell: 4, sal: 'Ash', market: 'house', growth_percent: 2, growth_forecast_percent: 1 },
    { cell: 4, sal: 'Ash', market: 'unit', growth_percent: 3, growth_forecast_percent: null },
  ]);
});
