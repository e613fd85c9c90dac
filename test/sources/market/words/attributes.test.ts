import { describe, expect, it } from 'vitest';
import { COUNTS_MAX, readCount, readYearBuilt } from '../../../../sources/market/words/counts.ts';
import { addDays, hasShortYear, readDate, readTime } from '../../../../sources/market/words/dates.ts';
import { isNominal } from '../../../../sources/market/words/nominal.ts';
import { parkingOf } from '../../../../sources/market/words/parking.ts';
import { propertyTypeOf } from '../../../../sources/market/words/property_type.ts';
import { canBeWeekly, rentPeriodOf, toWeekly } from '../../../../sources/market/words/rent.ts';
import { parseArea } from '../../../../sources/market/words/sizes.ts';

describe('dates', () => {
  it.each([
    ['2026-03-04', 'dmy', '2026-03-04', 'plain'],
    ['2026-03-04T10:00:00Z', 'dmy', '2026-03-04', 'plain'],
    ['2026-03-04-10:00:00', 'dmy', '2026-03-04', 'plain'],
    ['20260304', 'mdy', '2026-03-04', 'plain'],
    ['20260304-101500', 'dmy', '2026-03-04', 'plain'],
    ['4 Mar 2026', 'mdy', '2026-03-04', 'plain'],
    ['4th March 2026', 'mdy', '2026-03-04', 'plain'],
    ['3/12/2016', 'dmy', '2016-12-03', 'ambiguous'],
    ['3/12/2016', 'mdy', '2016-03-12', 'ambiguous'],
    ['25/12/2016', 'dmy', '2016-12-25', 'plain'],
    ['25/12/2016', 'mdy', '2016-12-25', 'flipped'],
    ['12/25/2016', 'dmy', '2016-12-25', 'flipped'],
    ['5/5/2016', 'dmy', '2016-05-05', 'plain'],
    ['29.02.2024', 'dmy', '2024-02-29', 'plain'],
    ['12/03/2024 12:00:00 AM', 'dmy', '2024-03-12', 'ambiguous'],
    ['13/03/2024 9:30 pm', 'dmy', '2024-03-13', 'plain'],
    ['13/03/2024 00:00:00.000', 'dmy', '2024-03-13', 'plain'],
    ['2024.03.12', 'dmy', '2024-03-12', 'plain'],
    ['2024-03-12 00:00:00 UTC', 'dmy', '2024-03-12', 'plain'],
    ['March 12, 2024', 'dmy', '2024-03-12', 'plain'],
    ['Tuesday, Mar 12th 2024', 'dmy', '2024-03-12', 'plain'],
    ['Tue 12 Mar 2024 10:15 AM', 'dmy', '2024-03-12', 'plain'],
    ['Sat. 7th of Sept, 2024', 'dmy', '2024-09-07', 'plain'],
    ['12MAR2024', 'dmy', '2024-03-12', 'plain'],
    ['Tuesday, March 12th, 2024', 'dmy', '2024-03-12', 'plain'],
    ['2024-03-11T23:30:00+11:00', 'dmy', '2024-03-11', 'plain'],
  ] as const)('%s as %s', (text, order, date, reading) => {
    expect(readDate(text, order)).toEqual({ date, reading });
  });

  it.each([
    '',
    '31/02/2026',
    '2026-02-30',
    '29/02/2023',
    '3/12/16',
    '0000-00-00',
    '1 Foo 2020',
    'NaN',
    '99991231',
    '44927',
    '12345',
    '99999',
    'March 32, 2024',
    'Mar-24',
    '12-Mar-24',
    '12/03.2024',
    '12/03/2024 13:00 PM',
    '12 Marketing 2024',
  ])('%j is none', (text) => {
    expect(readDate(text, 'dmy')).toBeNull();
  });

  it.each([
    ['2024-03-11T13:00:00.000Z', 'VIC', '2024-03-12'],
    ['2024-03-11T13:00:00Z', null, '2024-03-12'],
    ['2024-03-11T13:00:00+00:00', 'WA', '2024-03-11'],
    ['2024-07-11T14:30:00Z', 'QLD', '2024-07-12'],
    ['2024-07-11T14:00:00Z', 'SA', '2024-07-11'],
    ['2024-03-12T00:00:00.000Z', 'TAS', '2024-03-12'],
  ])('%s, in UTC, is in %s a time of %s', (text, state, date) => {
    expect(readDate(text, 'dmy', { state })).toEqual({ date, reading: 'plain' });
  });

  it.each([
    ['3/12/16', '2016-12-03'],
    ['4-Mar-26', '2026-03-04'],
    ['4/3/50', '1950-03-04'],
    ['4/3/49', '2049-03-04'],
    ['31/02/16', null],
  ])('%s with a year of two digits is read from a first year', (text, date) => {
    expect(readDate(text, 'dmy', { firstYear: 1950 })?.date ?? null).toBe(date);
    expect(readDate(text, 'dmy')).toBeNull();
    expect(hasShortYear(text, 'dmy')).toBe(date !== null);
  });

  it('times are read as UTC', () => {
    expect(readTime('2026-03-04T23:30:00+10:00')).toBe('2026-03-04T13:30:00Z');
    expect(readTime('2026-03-04')).toBe('2026-03-04T00:00:00Z');
    expect(readTime('2009-01-01-12:30:00')).toBe('2009-01-01T12:30:00Z');
    expect(readTime('20090101-123000')).toBe('2009-01-01T12:30:00Z');
    for (const text of ['', 'now', '2026-13-01', '2026-01-01T25:00', '1e9'])
      expect(readTime(text)).toBeNull();
    expect(addDays('2024-02-28', 2)).toBe('2024-03-01');
  });
});

describe('rents', () => {
  it('are converted to dollars a week from other periods', () => {
    expect(toWeekly(3250, 'month')).toBe(750);
    expect(toWeekly(1500, 'fortnight')).toBe(750);
    expect(toWeekly(39_000, 'year')).toBe(750);
    expect(rentPeriodOf('Per Month')).toBe('month');
    expect(rentPeriodOf('P.C.M.')).toBe('month');
    expect(rentPeriodOf('weekly')).toBe('week');
    expect(rentPeriodOf('night')).toBeNull();
  });

  it('are not weekly beyond the range for the state and size of a dwelling', () => {
    expect(canBeWeekly(600, 'NSW', 2)).toBe(true);
    expect(canBeWeekly(2400, 'NSW', 1)).toBe(true);
    expect(canBeWeekly(2400, 'TAS', 1)).toBe(false);
    expect(canBeWeekly(10, 'TAS', 1)).toBe(false);
    expect(canBeWeekly(12_000, 'NSW', null)).toBe(true);
    expect(canBeWeekly(750_000, null, null)).toBe(false);
  });
});

describe('sizes', () => {
  it.each([
    ['739 m²', 739],
    ['739m2', 739],
    ['1,012 sqm', 1012],
    ['approx 450sqm', 450],
    ['600', 600],
    ['2.5 acres', 10_117.14],
    ['0.4ha', 4000],
    ['20 squares', 185.81],
    ['12.5 squareMeter', 12.5],
    ['1 hectare', 10_000],
    ['nan', null],
    ['', null],
    ['0', null],
    ['N/A', null],
  ])('%s', (text, sqm) => {
    expect(parseArea(text, 'land')).toBe(sqm);
  });

  it.each(['-5', '12 foo', 'Infinity', '1e9', '99999999999999', 'large'])('%s cannot be read', (text) => {
    expect(parseArea(text, 'land')).toBeNaN();
  });
});

describe('counts of rooms, types, parking and prices', () => {
  it('reads rooms and years of construction, and rejects impossible values', () => {
    expect(
      ['3', '2.0', '2.5', 'studio', '', 'nan', '5+'].map((text) => readCount(text, COUNTS_MAX.bedrooms)),
    ).toEqual([3, 2, 2, 0, null, null, 5]);
    for (const text of ['-1', '99', 'three', 'Infinity', '1e3'])
      expect(readCount(text, COUNTS_MAX.bedrooms)).toBeNaN();
    expect(readYearBuilt('1910.0', 2020)).toBe(1910);
    expect(readYearBuilt('0', 2020)).toBeNull();
    for (const text of ['1196', '2106', 'old']) expect(readYearBuilt(text, 2020)).toBeNaN();
  });

  it.each([
    ['House', 'house'],
    ['Home Unit', 'unit'],
    ['Apartment', 'unit'],
    ['Studio', 'unit'],
    ['Terrace', 'townhouse'],
    ['Townhouse', 'townhouse'],
    ['Villa', 'villa'],
    ['DuplexSemi-detached', 'duplex'],
    ['AcreageSemi-rural', 'rural'],
    ['BlockOfUnits', 'other'],
    ['Retirement', 'retirement'],
    ['Retirement Villa', 'retirement'],
    ['VACANT LAND', 'land'],
    ['Car park', 'other'],
    ['nan', null],
    ['', null],
  ])('%s', (text, type) => {
    expect(propertyTypeOf(text)).toBe(type);
  });

  it('adds garages, carports and open spaces unless a higher total is stated', () => {
    const none = { total: null, garages: null, carports: null, open_spaces: null };
    expect(parkingOf(none)).toBeNull();
    expect(parkingOf({ ...none, garages: 2, carports: 1 })).toBe(3);
    expect(parkingOf({ ...none, open_spaces: 1 })).toBe(1);
    expect(parkingOf({ ...none, total: 2, garages: 1 })).toBe(2);
    expect(parkingOf({ ...none, total: 0, garages: 1 })).toBe(1);
    expect(parkingOf({ ...none, total: 0 })).toBe(0);
  });

  it('nominal prices', () => {
    expect([0, 1, 1000, 1001].map(isNominal)).toEqual([true, true, true, false]);
  });
});
