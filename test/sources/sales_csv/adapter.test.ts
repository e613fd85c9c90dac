import { describe, expect, it } from 'vitest';
import { OPEN_LICENCES } from '../../../schema/licence.ts';
import { marketEventRecord } from '../../../schema/records/market_event.ts';
import { salesCsvAdapter } from '../../../sources/sales_csv/adapter.ts';
import { hasSharedData, sharedPath } from '../../shared_data.ts';
import { adapterConformance } from '../conformance.ts';
import { type DatasetResult, readDataset } from '../read_dataset.ts';
import { datasetOf, releaseFolder } from '../release_folder.ts';

const MELBOURNE = `\ufeffSuburb,Address,Rooms,Type,Price,Method,Date,Postcode,Bedroom2,Bathroom,Car,Landsize,BuildingArea,YearBuilt,Lattitude,Longtitude
Abbotsford,85 Turner St,2,h,1480000,S,3/12/2016,3067.0,2,1,1,202,,,-37.7996,144.9984
Abbotsford,55a Park St,4,h,1600000,VB,4/06/2016,3067,3,1,2,120,142,2014,-37.8072,144.9941
Abbotsford,6/241 Nicholson St,1,u,300000,SA,8/10/2016,3067,1,1,1,0,nan,1196,-37.8008,144.9973
Abbotsford,6/241 Nicholson St,1,u,310000,sp,8/10/2016,3067,1,1,1,0,,,-37.8008,144.9973
Kew,1 High St,1,x,-5,S,8/10/2016,3101,1,1,1,0,,,,
Kew,1 High St,1
`;

async function resultOf(text: string, options: Record<string, unknown>): Promise<DatasetResult> {
  const folder = await releaseFolder();
  try {
    await folder.write('sales.csv', text);
    return await readDataset(salesCsvAdapter, await folder.dataset({ options }));
  } finally {
    await folder.remove();
  }
}

adapterConformance('sales_csv', async () => {
  const folder = await releaseFolder();
  await folder.write('sales.csv', MELBOURNE);
  const dataset = await folder.dataset({ options: { field_map: 'melbourne_housing' } });
  return { adapter: salesCsvAdapter, dataset, remove: folder.remove };
});

describe('tables of sales', () => {
  it('have a map for the Melbourne table: bids are left out, a repeated sale counts once', async () => {
    const result = await resultOf(MELBOURNE, { field_map: 'melbourne_housing' });
    const rows = result.rowsOf(marketEventRecord);
    expect(
      rows.map(({ address, event_date, price, property_type, year_built }) => [
        address,
        event_date,
        price,
        property_type,
        year_built,
      ]),
    ).toEqual([
      ['85 Turner St', '2016-12-03', 1_480_000, 'house', null],
      ['6/241 Nicholson St', '2016-10-08', 310_000, 'unit', null],
    ]);
    expect(rows[0]).toMatchObject({
      state: 'VIC',
      postcode: '3067',
      suburb: 'Abbotsford',
      lon: 144.9984,
      lat: -37.7996,
      land_area_sqm: 202,
      event_type: 'sold',
    });
    expect(result.drops).toEqual({ filtered: 1, superseded: 1 });
    expect(result.rejects.map(({ code, at }) => `${code} ${at}`)).toEqual([
      'bad_price line 6',
      'short_row line 7',
    ]);
    expect(result.notes[0]).toContain('evaluation only');
  });

  it('take a value from the first of its columns that is filled in the row', async () => {
    const text = `Suburb,Address,Rooms,Type,Price,Method,Date,Postcode,Bedroom2,Bathroom,Car,Landsize,BuildingArea,YearBuilt,Lattitude,Longtitude
Kew,1 High St,3,h,1480000,S,3/12/2016,3101,,1,1,202,,,-37.7996,144.9984
Kew,2 High St,3,h,1480000,S,3/12/2016,3101,4,1,1,202,,,-37.7996,144.9984
Kew,3 High St,,h,1480000,S,3/12/2016,3101, ,1,1,202,,,-37.7996,144.9984
`;
    const result = await resultOf(text, { field_map: 'melbourne_housing' });
    expect(result.rowsOf(marketEventRecord).map(({ bedrooms }) => bedrooms)).toEqual([3, 4, null]);
  });

  it.each([
    ['1.25E+06', 1_250_000],
    ['"$1,250,000.00"', 1_250_000],
    ['"1250000,00"', 1_250_000],
    ['"1250000,5"', 1_250_001],
    ['1 250 000', 1_250_000],
    ['"1.250.000,00"', 1_250_000],
    ['1.250.000', 1_250_000],
    ['$1.25m', 1_250_000],
    ['1250000.-', 1_250_000],
    // What could be two numbers is none.
    ['"1,25,0000"', null],
    ['"1,2500"', null],
    ['1.25.000', null],
  ])('read a price of %s', async (text, price) => {
    const header =
      'Suburb,Address,Rooms,Type,Price,Method,Date,Postcode,Bedroom2,Bathroom,Car,Landsize,BuildingArea,YearBuilt,Lattitude,Longtitude';
    const row = `Kew,1 High St,3,h,${text},S,3/12/2016,3101,3,1,1,202,,,-37.7996,144.9984`;
    const result = await resultOf(`${header}\n${row}\n`, { field_map: 'melbourne_housing' });
    expect(result.rowsOf(marketEventRecord).map((each) => each.price)).toEqual([price]);
  });

  it('quote a date of two digits and name the option that reads it', async () => {
    const text = 'ref,when,where\n1,3/12/16,"1 High St, Kew VIC"\n2,someday,"2 High St, Kew VIC"\n';
    const field_map = {
      columns: { source_id: 'ref', event_date: 'when', address: 'where' },
      event_type: 'listed',
    };
    const refused = await resultOf(text, { source: 'x', field_map });
    expect(refused.rejects.map(({ message }) => message)).toEqual([
      'event_date "3/12/16" has a year of two digits; set the option two_digit_years_from, for example 1950 for 1950 to 2049',
      'event_date "someday" is not a valid date',
    ]);
    const read = await resultOf(text, { source: 'x', field_map, two_digit_years_from: 1950 });
    expect(read.rowsOf(marketEventRecord).map(({ event_date }) => event_date)).toEqual(['2016-12-03']);
  });

  it.each([
    ['45000', 'looks like the day number of a workbook; format the column as a date before you export it'],
    ['20000', 'looks like the day number of a workbook; format the column as a date before you export it'],
    ['60000', 'looks like the day number of a workbook; format the column as a date before you export it'],
    ['19999', 'is not a valid date'],
    ['60001', 'is not a valid date'],
    ['045000', 'is not a valid date'],
    ['45000.5', 'is not a valid date'],
  ])('say of the date %s that it %s', async (when, why) => {
    const field_map = {
      columns: { source_id: 'ref', event_date: 'when', address: 'where' },
      event_type: 'listed',
    };
    const text = `ref,when,where\n1,${when},"1 High St, Kew VIC"\n`;
    const { rejects } = await resultOf(text, { source: 'x', field_map });
    expect(rejects.map(({ message }) => message)).toEqual([`event_date "${when}" ${why}`]);
  });

  it('name the option that an unknown one means', async () => {
    await expect(resultOf('a\n', { map: 'melbourne_housing' })).rejects.toMatchObject({
      code: 'bad_option',
      message: expect.stringContaining('Unrecognized key: "map" (did you mean field_map?)'),
    });
  });

  it('take a map of their own', async () => {
    const text =
      'ref;when;what;where;rent\n1;2/13/2026;listed;"1 High St, Kew VIC";3250\n2;3/2/2026;listed;"2 High St, Kew VIC";99\n';
    const options = {
      delimiter: ';',
      date_order: 'mdy',
      source: 'agency',
      field_map: {
        columns: {
          source_id: 'ref',
          event_date: ['Date', 'when'],
          event_type: 'what',
          address: 'where',
          price: 'rent',
        },
        event_type: 'listed',
      },
    };
    const result = await resultOf(text, options);
    expect(
      result.rowsOf(marketEventRecord).map(({ event_key, channel, price }) => [event_key, channel, price]),
    ).toEqual([
      ['fixture|agency|1|listed|2026-02-13', 'sale', 3250],
      ['fixture|agency|2|listed|2026-03-02', 'sale', null],
    ]);
  });

  it('need a map that leads to dates and places, its columns, and an accepted licence', async () => {
    await expect(resultOf(MELBOURNE, {})).rejects.toMatchObject({ code: 'bad_option' });
    await expect(resultOf(MELBOURNE, { field_map: 'nowhere' })).rejects.toMatchObject({ code: 'bad_option' });
    await expect(resultOf(MELBOURNE, { field_map: { columns: { price: 'Price' } } })).rejects.toMatchObject({
      code: 'bad_option',
    });
    await expect(resultOf('a,b\n', { field_map: 'melbourne_housing' })).rejects.toMatchObject({
      code: 'missing_column',
      message: expect.stringContaining('Address'),
    });
    expect(OPEN_LICENCES).not.toContain(salesCsvAdapter.licence);
  });
});

describe.runIf(hasSharedData('the Melbourne table'))('the Melbourne table', () => {
  it('is read whole', async () => {
    const dataset = await datasetOf(sharedPath('yarra/sales'), {
      options: { field_map: 'melbourne_housing' },
    });
    const result = await readDataset(salesCsvAdapter, dataset);
    const rows = result.rowsOf(marketEventRecord);
    expect(result.accounts[0]).toMatchObject({
      rows_in: 13_580,
      records: 10_817,
      rejects: 0,
      drops: { filtered: 2763 },
    });
    expect(
      rows.every(
        ({ price, lon, suburb, state }) => price! > 50_000 && lon !== null && suburb && state === 'VIC',
      ),
    ).toBe(true);
    // the last day is in September 2017: day and month are not mixed up
    expect(
      rows
        .map(({ event_date }) => event_date)
        .sort()
        .at(-1),
    ).toMatch(/^2017-09/);
  });
});
