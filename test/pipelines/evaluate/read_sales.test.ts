import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { dateReader } from '../../../pipelines/evaluate/date_reader.ts';
import { readSales } from '../../../pipelines/evaluate/read_sales.ts';
import { parseSalesMap } from '../../../pipelines/evaluate/sales_map.ts';
import { NO_DAY } from '../../../transforms/avm/validate_sales.ts';
import { isoOfDay } from '../../../transforms/stats/calendar.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'evaluate-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));

const fileOf = (text: string | Uint8Array): string => {
  const path = join(FOLDER, `${Math.random()}.csv`);
  writeFileSync(path, text);
  return path;
};
const mapOf = (text: string) => parseSalesMap(text, 'map.yaml');

const MAP = mapOf(`
columns: { price: Price, date: Sold, dwelling_type: Type, area: [Suburb, Postcode], property: Address, lon: Lng, lat: Lat,
  bedrooms: Beds, land_area_sqm: Lot }
date_format: d/m/Y
dwelling_types: { h: house, Flat: unit }
units: { land_area_sqm: sqft }
sales: { column: Method, values: [S] }
extra: { school.rank: Rank }
`);
const HEAD = 'Address,Suburb,Postcode,Type,Price,Sold,Method,Lng,Lat,Beds,Lot,Rank';

describe('dates', () => {
  it.each([
    ['d/m/Y', '3/12/2016', '2016-12-03'],
    ['d/m/Y', '31/11/2016', null],
    ['d/m/Y', '2016-12-03', null],
    ['m-Y', '09-2018', '2018-09-15'],
    ['Y-m-d', '2018-09-01T10:00:00', '2018-09-01'],
    ['Y-m-d', '2018-09-01 10:00', '2018-09-01'],
    ['Ymd', '20141013T000000', '2014-10-13'],
    ['d m Y', '5 March 2019', '2019-03-05'],
    ['d-m-y', '05-Mar-19', '2019-03-05'],
    ['m/d/y', '12/31/99', '1999-12-31'],
    ['Y-m-d', '', null],
    ['d.m.Y', '1x2x2020', null],
  ])('in %s: %s is %s', (format, text, expected) => {
    const day = dateReader(format)(text);
    expect(day === null ? null : isoOfDay(day)).toBe(expected);
  });
});

describe('a mapped file', () => {
  it('gives sales, units and facts; a byte-order mark and quotes are no matter', async () => {
    const file = fileOf(
      `\ufeff${HEAD}\r\n"1 A St, rear",Kew,3101,h,"$1,250,000",3/12/2016,S,145.03,-37.8,3,5000,0.5\r\n2 B St,Kew,3101,FLAT,NA,x,PI,,,,,\r\n`,
    );
    const { rows_in, rejected, sales, facts } = await readSales(file, MAP);
    expect([rows_in, rejected, sales.length]).toEqual([2, 0, 2]);
    expect(sales.price[0]).toBe(1_250_000);
    expect(sales.land_area_sqm[0]).toBeCloseTo(464.5, 1);
    expect(sales.dwelling_type).toEqual(['house', 'unit']);
    expect(sales.area).toEqual(['Kew, 3101', 'Kew, 3101']);
    expect(sales.property[0]).toBe('1 A St, rear');
    expect(sales.extra['school.rank']![0]).toBe(0.5);
    expect(isoOfDay(sales.day[0]!)).toBe('2016-12-03');
    expect(sales.day[1]).toBe(NO_DAY);
    expect(sales.price[1]).toBeNaN();
    expect(facts.is_sale).toEqual([true, false]);
  });

  it('counts what it cannot read, row by row and value by value', async () => {
    const good = '1 A St,Kew,3101,h,900000,1/1/2020,S,145.03,-37.8,3,5000,1';
    const file = fileOf(
      [
        HEAD,
        good,
        'too,short',
        `${good},too long`,
        good.replace(',3,', ',three,'),
        good.replace(',h,', ',igloo,'),
      ].join('\n'),
    );
    const read = await readSales(file, MAP);
    expect(read.rows_in).toBe(5);
    expect(read.rejected).toBe(2);
    expect(read.unreadable).toEqual({ Beds: 1 });
    expect(read.unknown_types).toEqual({ igloo: 1 });
  });

  it('has ids that do not depend on the order of its rows', async () => {
    const rows = [1, 2, 3].map((k) => `${k} A St,Kew,3101,h,${k}00000,1/1/2020,S,145.03,-37.8,3,5000,1`);
    const idsOf = async (lines: string[]) =>
      [...(await readSales(fileOf([HEAD, ...lines].join('\n')), MAP)).sales.id].sort();
    expect(await idsOf(rows)).toEqual(await idsOf(rows.toReversed()));
    expect(new Set(await idsOf([rows[0]!, rows[0]!])).size).toBe(2);
  });

  it('converts monthly rents to dollars a week', async () => {
    const map = mapOf(
      '{ kind: rent, columns: { price: rent, date: at }, rent_period: month, default_type: unit }',
    );
    const { sales } = await readSales(fileOf('rent,at\n2600,2020-01-02\n'), map);
    expect(sales.price[0]).toBe(600);
    expect(sales.dwelling_type[0]).toBe('unit');
  });

  it.each([
    ['evaluate_map', 'a column that is not there', 'Address,Price\n1,2\n'],
    ['evaluate_map', 'nothing', ''],
    ['line_too_long', 'a record without end', `${HEAD}\n"${'x'.repeat(1 << 21)}`],
  ])('is refused with %s for %s', async (code, _, text) => {
    await expect(readSales(fileOf(text), MAP)).rejects.toMatchObject({ code });
  });

  it('fails with missing_file if it does not exist', async () => {
    await expect(readSales(join(FOLDER, 'absent.csv'), MAP)).rejects.toMatchObject({ code: 'missing_file' });
  });
});

describe('a map', () => {
  it.each([
    ['{ columns: { price: [', 'not YAML'],
    ['{ columns: { price: p } }', 'columns.date'],
    ['{ columns: { price: p, date: d }, dwelling_types: { h: castle } }', 'dwelling_types.h'],
    ['{ columns: { price: p, date: d, colour: c } }', 'colour'],
    ['{ columns: { price: p, date: d }, date_format: d.Y }', 'date_format'],
    ['[]', 'map'],
  ])('%s is refused, naming the fault', (text, named) => {
    expect(() => mapOf(text)).toThrow(expect.objectContaining({ code: 'evaluate_map' }));
    expect(() => mapOf(text)).toThrow(named);
  });
});
