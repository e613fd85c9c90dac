import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { servePropertyBasicsStage } from '../../../../pipelines/stages/events/serve_property_basics.ts';
import { createDatabase, type TestDatabase } from '../../../database.ts';
import { statementRows } from '../../statement.ts';

type Given = Readonly<Record<string, unknown>>;

let database: TestDatabase;

beforeAll(async () => {
  database = await createDatabase();
});

afterAll(() => database?.drop());

const of = { gnaf_pid: 'P1' };

/** The row of a property with these records and events; the order of neither matters. */
async function basicsOf(record: readonly Given[], event: readonly Given[]): Promise<Given> {
  const rows = await Promise.all(
    [1, -1].map((step) =>
      statementRows(database, servePropertyBasicsStage, {
        property: [{ ...of, cell: 1, state: 'VIC' }],
        record: [...record].sort(() => step),
        event: [...event].sort(() => step).map((each, i) => ({ ...of, event_id: `E${i}`, ...each })),
        day: [{ as_of: `${AS_OF.slice(0, 8)}01` }],
      }),
    ),
  );
  expect(rows[0]).toEqual(rows[1]);
  expect(rows[0]).toHaveLength(1);
  return rows[0]![0]!;
}

/** Last day of the month of the valuation. */
const AS_OF = '2024-12-31';
const offer = (type: 'For Sale' | 'For Rent', date: string, more: Given = {}): Given => ({
  type,
  date,
  last_date: date,
  end_date: null,
  end_reason: null,
  is_under_offer: false,
  ...more,
});
const sold = (date: string): Given => ({ ...offer('For Sale', date), type: 'Sold' });
const leased = (date: string, end_date: string): Given =>
  offer('For Rent', date, { end_date, last_date: end_date, end_reason: 'leased' });

const record = (event_date: string, given: Given = {}): Given => ({
  ...of,
  event_key: `k${event_date}`,
  source: 'agency',
  event_date,
  ...given,
});

describe('attributes of a home from listings', () => {
  const listings = [
    record('2015-01-01', { bedrooms: 2, bathrooms: 1, year_built: 1960 }),
    record('2020-01-01', { bedrooms: 3, parking: 0, property_type: 'house' }),
    record('2022-01-01', { property_type: 'unit', land_area_sqm: 400, dealing_id: 'D1' }),
  ];

  it('are the latest stated, field by field, with date and source; zero is stated', async () => {
    expect(await basicsOf(listings, [])).toMatchObject({
      bedrooms: 3,
      bedrooms_date: '2020-01-01',
      bedrooms_source: 'agency',
      bathrooms: 1,
      bathrooms_date: '2015-01-01',
      parking: 0,
      floor_area_sqm: null,
      floor_area_date: null,
    });
  });

  it('take precedence over a transfer register, which fills the fields that no listing states', async () => {
    expect(await basicsOf(listings, [])).toMatchObject({ dwelling_type: 'house', advertised_land_sqm: 400 });
  });

  it('come on one day from the record observed last, then from the last key', async () => {
    const day = '2020-01-01';
    const observed_at = '2020-01-02T00:00:00Z';
    const told = [
      record(day, { event_key: 'b', bedrooms: 1 }),
      record(day, { event_key: 'a', bedrooms: 2, observed_at }),
      record(day, { event_key: 'B', bedrooms: 3, observed_at }),
    ];
    expect(await basicsOf(told, [])).toMatchObject({ bedrooms: 2 });
  });

  it('include each feature as last stated, present or absent', async () => {
    const texts = [
      record('2015-01-01', { features: ['presence_of_pool', 'big_kitchen'], no_features: [] }),
      record('2020-01-01', { features: ['natural_light'], no_features: ['presence_of_pool'] }),
      record('2021-01-01', { features: [], no_features: [] }),
    ];
    expect(await basicsOf(texts, [])).toMatchObject({
      presence_of_pool: false,
      big_kitchen: true,
      natural_light: true,
      level_access: null,
      features_date: '2020-01-01',
    });
  });
});

describe('the latest events of a property', () => {
  it('are its listing on the market, asking price, sale and rent; of one day the first by id', async () => {
    const history = [
      offer('For Sale', '2024-10-01', { event_id: 'b', price: 2 }),
      offer('For Sale', '2024-10-01', { event_id: 'a', price_low: 1, price_high: 3 }),
      { ...sold('2023-10-01'), price: 900, is_evidence: false },
      { ...sold('2022-10-01'), price: 800, is_evidence: true },
      offer('For Rent', '2024-01-01'),
      offer('For Rent', '2023-01-01', { price: 500 }),
    ];
    expect(await basicsOf([record(AS_OF)], history)).toMatchObject({
      listing_date: '2024-10-01',
      asking_price: null,
      asking_low: 1,
      asking_high: 3,
      sale_date: '2022-10-01',
      sale_price: 800,
      rent_date: '2023-01-01',
      rent_pw: 500,
    });
  });
});

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
  ] as const)('is %s', async (_, history, status, date) => {
    const basics = await basicsOf([record(AS_OF)], history);
    expect(basics).toMatchObject({ status, status_date: date });
  });
});
