import { describe, expect, it } from 'vitest';
import { finderType, pricePerSqm, streetLine } from '../../transforms/finder_row.ts';
import { releaseDate } from '../../transforms/release_date.ts';

describe('rows of the finder', () => {
  it.each([
    ['house', 'house'],
    ['duplex', 'house'],
    ['townhouse', 'unit'],
    ['retirement', 'unit'],
    ['land', null],
    ['other', null],
    [null, null],
  ])('take %s as %s', (type, kind) => expect(finderType(type)).toBe(kind));

  it.each([
    [3_000_000, 80_000_000, null],
    [1_000_000, 500, 2000],
    [1_000_000, null, null],
    [null, 500, null],
    [1_000_000, 0, null],
  ])('give $%s on %s m² a price of %s by square metre', (price, area, by) =>
    expect(pricePerSqm(price, area)).toBe(by),
  );

  const base = {
    flat_number: null,
    number_first: null,
    number_last: null,
    lot_number: null,
    street: 'SMITH STREET',
  };
  it.each([
    [{ number_first: '12' }, '12 SMITH STREET'],
    [{ number_first: '12', number_last: '14', flat_number: '5' }, '5/12-14 SMITH STREET'],
    [{ lot_number: '7' }, 'LOT 7 SMITH STREET'],
    [{}, 'SMITH STREET'],
    [{ number_first: '12', street: null }, null],
  ])('write %o as %s', (row, line) => expect(streetLine({ ...base, ...row })).toBe(line));
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
