import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveSaleStage } from '../../../../pipelines/stages/events/serve_sale.ts';
import {
  recentSaleStage,
  valuationSaleStage,
} from '../../../../pipelines/stages/valuation/valuation_sale.ts';
import { BOUNDS, cellOf } from '../../../../schema/grid.ts';
import { modelPartition } from '../../../../schema/model_partition.ts';
import { createDatabase, type TestDatabase } from '../../../database.ts';
import { statementRows } from '../../statement.ts';

type Given = Readonly<Record<string, unknown>>;

const of = { gnaf_pid: 'P1' };
const record = (event_date: string, given: Given = {}): Given => ({
  ...of,
  event_key: `k${event_date}`,
  source: 'agency',
  event_date,
  ...given,
});
const listings = [
  record('2015-01-01', { bedrooms: 2, bathrooms: 1, year_built: 1960 }),
  record('2020-01-01', { bedrooms: 3, parking: 0, property_type: 'house' }),
  record('2022-01-01', { property_type: 'unit', land_area_sqm: 400, dealing_id: 'D1' }),
];

describe('the attributes of a home at its sale', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createDatabase();
  });

  afterAll(() => database?.drop());

  /** The row of a sale on this day, of a home with this address. */
  async function saleOn(date: string, told: readonly Given[] = listings, home: Given = {}): Promise<Given> {
    const rows = await statementRows(database, serveSaleStage, {
      event: [{ ...of, event_id: 'E', date, price: 1, sources: ['agency'] }],
      property: [{ ...of, cell: 1, state: 'VIC', ...home }],
      region: [of],
      record: told,
    });
    expect(rows).toHaveLength(1);
    return rows[0]!;
  }

  it('are the latest stated by that day, else the earliest stated later', async () => {
    expect(await saleOn('2016-01-01')).toMatchObject({ bedrooms: 2, parking: 0, floor_area_sqm: null });
    expect(await saleOn('2020-01-01')).toMatchObject({ bedrooms: 3 });
    expect(await saleOn('2010-01-01')).toMatchObject({ bedrooms: 2 });
  });

  it('come from advertisements before transfer registers', async () => {
    expect(await saleOn('2023-01-01')).toMatchObject({ dwelling_type: 'house', land_area_sqm: 400 });
  });

  it('come on one day from the record observed last, then from the last key', async () => {
    const observed_at = '2020-01-02T00:00:00Z';
    const told = [
      record('2020-01-01', { event_key: 'b', bedrooms: 1 }),
      record('2020-01-01', { event_key: 'a', bedrooms: 2, observed_at }),
      record('2020-01-01', { event_key: 'B', bedrooms: 3, observed_at }),
    ];
    for (const date of ['2019-12-31', '2020-01-02'])
      expect(await saleOn(date, told)).toMatchObject({ bedrooms: 2 });
  });

  it('include the type of the address if none is stated, and the parcel area before the advertised one', async () => {
    const home = { dwelling_type: 'villa', land_area_sqm: 500 };
    expect(await saleOn('2023-01-01', [record('2020-01-01')], home)).toMatchObject(home);
    expect(await saleOn('2023-01-01', listings, home)).toMatchObject({ land_area_sqm: 500 });
  });

  it('include the cell of the point', async () => {
    for (let i = 0; i <= 200; i++) {
      const lon = BOUNDS.minLon - 1 + (i * (BOUNDS.maxLon - BOUNDS.minLon + 2)) / 200;
      const lat = BOUNDS.maxLat + 1 - (i * (BOUNDS.maxLat - BOUNDS.minLat + 2)) / 200;
      const point_cell = cellOf(lon, lat);
      expect(await saleOn('2020-01-01', listings, { lon, lat })).toMatchObject({ point_cell });
    }
    expect(await saleOn('2020-01-01')).toMatchObject({ point_cell: null });
  });

  it('come from records before the valuation day, in the partition of their model', async () => {
    const event = (event_id: string, type: string, date: string) => ({
      ...of,
      event_id,
      type,
      date,
      price: 1,
    });
    for (const state of ['NSW', 'OT', '?']) {
      const rows = await statementRows(database, valuationSaleStage, {
        event: [
          event('a', 'Sold', '2019-01-01'),
          event('b', 'For Rent', '2010-01-01'),
          event('c', 'Sold', '2020-01-01'),
        ],
        record: listings,
        property: [{ ...of, dwelling_type: 'villa' }],
        home: [{ ...of, cell: 1, state }],
        day: [{ as_of: '2020-01-01' }],
      });
      const described = { bedrooms: 2, parking: null, dwelling_type: 'villa' };
      expect(rows.sort((a, b) => (String(a.event_id) < String(b.event_id) ? -1 : 1))).toMatchObject([
        { ...described, event_id: 'a', model_partition: modelPartition('sale', state) },
        { ...described, event_id: 'b', model_partition: modelPartition('rent', state) },
      ]);
    }
  });

  it('enter comparables for two years, without frontage, zone and hazards', async () => {
    const sold = (event_id: string, type: string, date: string) => ({
      ...of,
      event_id,
      type,
      date,
      price: 1,
    });
    const given = {
      event: [
        sold('a', 'Sold', '2017-12-30'),
        sold('b', 'Sold', '2017-12-31'),
        sold('c', 'For Rent', '2019-06-01'),
        sold('d', 'Sold', '2019-12-31'),
        sold('e', 'Sold', '2020-01-01'),
      ],
      record: listings,
      property: [{ ...of, dwelling_type: 'villa' }],
      home: [{ ...of, cell: 1, state: 'NSW', frontage_m: 10, zone: 1 }],
      day: [{ as_of: '2020-01-01' }],
    };
    const rows = await statementRows(database, recentSaleStage, given);
    expect(rows.map(({ event_id }) => event_id).sort()).toEqual(['b', 'd']);
    expect(rows[0]).toMatchObject({ cell: 1, dwelling_type: 'villa', price: 1 });
    const other = { ...given, home: [{ ...given.home[0]!, frontage_m: 20, zone: 2, flood_on: 1 }] };
    expect(await statementRows(database, recentSaleStage, other)).toEqual(rows);
  });
});
