import { describe, expect, it } from 'vitest';
import {
  type AttributeRecord,
  byWord,
  statedValues,
  statedValuesAt,
} from '../../../transforms/events/attributes.ts';

const record = (event_date: string, given: Partial<AttributeRecord> = {}): AttributeRecord => ({
  event_key: `k${event_date}`,
  gnaf_pid: 'P1',
  source: 'agency',
  event_date,
  settlement_date: null,
  observed_at: null,
  dealing_id: null,
  bedrooms: null,
  bathrooms: null,
  parking: null,
  property_type: null,
  land_area_sqm: null,
  floor_area_sqm: null,
  year_built: null,
  features: null,
  no_features: null,
  ...given,
});

describe('what listings state of a home', () => {
  const listings = [
    record('2015-01-01', { bedrooms: 2, bathrooms: 1, year_built: 1960 }),
    record('2020-01-01', { bedrooms: 3, parking: 0, property_type: 'house' }),
    record('2022-01-01', { property_type: 'unit', land_area_sqm: 400, dealing_id: 'D1' }),
  ];

  it('is field by field the latest that is stated, with date and source; zero is stated', () => {
    const values = statedValues(byWord(listings));
    expect(values.bedrooms).toEqual({ value: 3, date: '2020-01-01', source: 'agency' });
    expect(values.bathrooms).toMatchObject({ value: 1, date: '2015-01-01' });
    expect(values.parking).toMatchObject({ value: 0 });
    expect(values.floor_area_sqm).toBeNull();
  });

  it('counts before what a transfer register states, which stands where no listing says anything', () => {
    const values = statedValues(byWord(listings));
    expect(values.property_type).toMatchObject({ value: 'house' });
    expect(values.land_area_sqm).toMatchObject({ value: 400 });
  });

  it('is taken as of a sale, and from later where nothing was said by then', () => {
    const at = (date: string) => statedValuesAt(byWord(listings), date);
    expect(at('2016-01-01').bedrooms).toMatchObject({ value: 2 });
    expect(at('2020-01-01').bedrooms).toMatchObject({ value: 3 });
    expect(at('2010-01-01').bedrooms).toMatchObject({ value: 2 });
    expect(at('2016-01-01').parking).toMatchObject({ value: 0, date: '2020-01-01' });
  });
});
