import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { releaseDate } from '../../../pipelines/publish/release_date.ts';
import {
  DEFAULT_SCORE,
  finderTypeSql,
  PRICE_PER_SQM,
  STREET_COLUMNS,
  STREET_LINE,
} from '../../../transforms/property/finder_row.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';

describe('rows of the finder', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createDatabase();
  });

  afterAll(() => database?.drop());

  /** What an expression gives for a row with these columns. */
  async function given(expression: string, columns: string, row: object): Promise<unknown> {
    const [found] = await database.query(
      `SELECT ${expression} AS value FROM jsonb_to_record($1) row (${columns})`,
      [JSON.stringify(row)],
    );
    return found!.value;
  }

  it.each([
    ['house', 'house'],
    ['duplex', 'house'],
    ['townhouse', 'unit'],
    ['retirement', 'unit'],
    ['land', null],
    ['other', null],
    [null, null],
  ])('take %s as %s', async (type, kind) =>
    expect(await given(finderTypeSql('type'), 'type text', { type })).toBe(kind),
  );

  it.each([
    [3_000_000, 80_000_000, null],
    [1_000_000, 500, 2000],
    [5, 2, 3],
    [1_000_000, null, null],
    [null, 500, null],
    [1_000_000, 0, null],
  ])('give $%s on %s m² a price of %s by square metre', async (price, land_area_sqm, by) =>
    expect(await given(PRICE_PER_SQM, 'price int4, land_area_sqm int4', { price, land_area_sqm })).toBe(by),
  );

  it.each([
    [{ number_first: '12' }, '12 SMITH STREET'],
    [{ number_first: '12', number_last: '14', flat_number: '5' }, '5/12-14 SMITH STREET'],
    [{ lot_number: '7' }, 'LOT 7 SMITH STREET'],
    [{ lot_number: '7', number_first: '12' }, '12 SMITH STREET'],
    [{ flat_number: '5' }, '5 SMITH STREET'],
    [{}, 'SMITH STREET'],
    [{ number_first: '12', street: null }, null],
  ])('write %o as %s', async (row, line) => {
    const columns = STREET_COLUMNS.map((name) => `${name} text`).join(', ');
    expect(await given(STREET_LINE, columns, { street: 'SMITH STREET', ...row })).toBe(line);
  });

  it.each([
    ['all is met', {}, 100],
    ['a school is half as far as it may be', { school_m: 1000 }, 83.3],
    ['the price is not known', { price: null }, 66.7],
    ['public housing is half as far', { public_housing_m: 2500 }, 83.3],
    ['public housing is not known', { public_housing_covered: false }, 66.7],
    ['there are no coordinates', { school_m: null, lon: null }, 66.7],
    ['there is no school near', { school_m: null }, null],
    ['the school is too far', { school_m: 2001 }, null],
    ['the price is too low', { price: 9999 }, null],
    ['it is no home', { property_type: null }, null],
  ])('score by default where %s', async (_, row, score) => {
    const columns =
      'property_type text, lon float8, price int4, school_m int4, public_housing_m int4, public_housing_covered bool';
    const best = {
      property_type: 'house',
      lon: 150,
      price: 500_000,
      school_m: 0,
      public_housing_covered: true,
    };
    expect(await given(DEFAULT_SCORE, columns, { ...best, ...row })).toBe(score);
  });
});

describe('the date of a release', () => {
  it.each([
    ['NOVEMBER 2025', '2025-11-01'],
    ['NOV25', '2025-11-01'],
    ['G-NAF MAY 2024 v2', '2024-05-01'],
    ['2025-11-08', '2025-11-08'],
    ['sales_20251108.zip', '2025-11-08'],
    ['202511', '2025-11-01'],
    ['2021, 2022', '2021-01-01'],
    ['2021', '2021-01-01'],
    ['2025-02-30', '2025-02-01'],
    ['generated', null],
    ['', null],
    ['12345678', null],
  ])('of %s is %s', (label, date) => expect(releaseDate(label)).toBe(date));
});
