import { z } from 'zod';
import { FINDER_TYPES } from '../../schema/serving/property_finder.ts';
import { degrees, percent } from '../answers/numbers.ts';
import { judgeHome } from './judge.ts';
import type { Limit } from './limits.ts';
import type { FoundRow } from './page.ts';
import type { FinderParams } from './params.ts';
import { grouped } from './written.ts';

/** Value of a field that is not known. */
const NOT_AVAILABLE = 'N/A';

const percentOrUnknown = z.union([percent, z.literal(NOT_AVAILABLE)]);
const truth = z.enum(['true', 'false']);
const requestedNumber = z.number().nullable();

/** Specification, section 2.3: one property of the answer. */
const foundProperty = z.strictObject({
  gnafId: z.string(),
  address: z.string(),
  street: z.string(),
  suburb: z.string(),
  state: z.string(),
  beds: z.int().nullable(),
  bath: z.int().nullable(),
  car: z.int().nullable(),
  property_type: z.enum(FINDER_TYPES),
  price: percentOrUnknown,
  price_f: z.string(),
  sqm: z.string(),
  price_per_sqmt: percentOrUnknown,
  yield: percentOrUnknown,
  growth: percentOrUnknown,
  growth_forecast: percentOrUnknown,
  rental_income: percentOrUnknown,
  score: z.number().min(0).max(100),
  match_percentage: z.number().min(0).max(100),
  latitude: degrees.nullable(),
  longitude: degrees.nullable(),
  listing_date: z.iso.date().nullable(),
  pros: z.array(z.string()),
  cons: z.array(z.string()),
  school_distance: percentOrUnknown,
  public_housing_distance: percentOrUnknown,
  supermarket_distance: percentOrUnknown,
  park_distance: percentOrUnknown,
  beach_distance: percentOrUnknown,
  railway_distance: percentOrUnknown,
  level_access: truth,
  good_view_outlook: truth,
  presence_of_ensuite: truth,
  big_kitchen: truth,
  presence_of_pool: truth,
  entertaining_area: truth,
  natural_light: truth,
  ph: z.literal(false),
});
export type FoundProperty = z.infer<typeof foundProperty>;

/** Specification, section 2.3: answer of the finder. */
export const finderPayload = z.strictObject({
  success: z.boolean(),
  execution_time: z.number().min(0),
  total_properties: z.int().min(0),
  search_areas: z.array(z.string()),
  search_type: z.enum(['sals', 'regions']),
  sals_found: z.int().min(0),
  properties: z.array(foundProperty),
  features_enabled: z.strictObject({
    region_based_search: z.boolean(),
    caching_enabled: z.boolean(),
    cache_age_hours: z.number().nullable(),
  }),
  query_parameters: z.strictObject({
    sals: z.array(z.string()),
    regions: z.array(z.string()),
    min_baths: requestedNumber,
    min_bedrooms: requestedNumber,
    min_cars: requestedNumber,
    min_price: requestedNumber,
    max_price: requestedNumber,
    min_distance_to_public_housing: requestedNumber,
    max_distance_to_public_housing: requestedNumber,
    min_distance_to_school: requestedNumber,
    max_distance_to_school: requestedNumber,
    min_yield: requestedNumber,
    max_yield: requestedNumber,
    publi_housing_value_thresh: z.number(),
    buffer_expansion: z.number(),
    limit: z.int(),
    offset: z.int(),
    use_regions: z.boolean(),
    property_type: z.string().nullable(),
    sort_by: z.string().nullable(),
    sort_direction: z.string(),
  }),
});
export type FinderPayload = z.infer<typeof finderPayload>;

const orNa = <T>(value: T | null): T | typeof NOT_AVAILABLE => value ?? NOT_AVAILABLE;
const groupedOrNa = (value: number | null): string => (value === null ? NOT_AVAILABLE : grouped(value));
const written = (value: boolean): 'true' | 'false' => (value ? 'true' : 'false');

/** Formats a row of the finder as the specification writes it. */
export function foundOf(row: FoundRow, params: FinderParams, limits: readonly Limit[]): FoundProperty {
  const { pros, cons } = judgeHome(row, params, limits);
  return {
    gnafId: row.gnaf_pid,
    address: row.address,
    street: orNa(row.street),
    suburb: orNa(row.sal),
    state: row.state,
    beds: row.beds,
    bath: row.baths,
    car: row.cars,
    property_type: row.property_type,
    price: orNa(row.price),
    price_f: groupedOrNa(row.price),
    sqm: groupedOrNa(row.land_area_sqm),
    price_per_sqmt: orNa(row.price_per_sqm),
    yield: orNa(row.yield_percent),
    growth: orNa(row.growth_percent),
    growth_forecast: orNa(row.growth_forecast_percent),
    rental_income: orNa(row.rent_aud_pw),
    score: row.score,
    match_percentage: row.score,
    latitude: row.lat,
    longitude: row.lon,
    listing_date: row.listing_date,
    pros,
    cons,
    school_distance: orNa(row.school_m),
    public_housing_distance: orNa(row.public_housing_m),
    supermarket_distance: orNa(row.supermarket_m),
    park_distance: orNa(row.park_m),
    beach_distance: orNa(row.beach_m),
    railway_distance: orNa(row.railway_m),
    level_access: written(row.level_access),
    good_view_outlook: written(row.good_view_outlook),
    presence_of_ensuite: written(row.presence_of_ensuite),
    big_kitchen: written(row.big_kitchen),
    presence_of_pool: written(row.presence_of_pool),
    entertaining_area: written(row.entertaining_area),
    natural_light: written(row.natural_light),
    ph: false,
  };
}
