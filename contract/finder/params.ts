import { z } from 'zod';
import { FINDER_DEFAULTS as DEFAULTS, FINDER_REACH } from '../../schema/serving/finder_defaults.ts';
import { FINDER_FEATURES } from '../../schema/serving/finder_features.ts';
import { FINDER_TYPES } from '../../schema/serving/property_finder.ts';
import { SUBURB_NAME_DOC } from '../answers/operation.ts';
import {
  choiceParam,
  countParam,
  flagParam,
  listParam,
  numberParam,
  textParam,
} from '../answers/parameters.ts';

/** Sort names and their columns. `score` is how well a property meets the criteria. */
export const SORT_COLUMNS = {
  price: 'price',
  price_per_sqmt: 'price_per_sqm',
  sqm: 'land_area_sqm',
  yield: 'yield_percent',
  growth: 'growth_percent',
  growth_forecast: 'growth_forecast_percent',
  rental_income: 'rent_aud_pw',
  beds: 'beds',
  bath: 'baths',
  car: 'cars',
  listing_date: 'listing_date',
  school_distance: 'school_m',
  public_housing_distance: 'public_housing_m',
  supermarket_distance: 'supermarket_m',
  park_distance: 'park_m',
  beach_distance: 'beach_m',
  railway_distance: 'railway_m',
} as const;
const SORTS = ['score', ...(Object.keys(SORT_COLUMNS) as (keyof typeof SORT_COLUMNS)[])] as const;

const FEW = 1000;
const count = (what: string) => numberParam(`Minimum ${what}.`, z.number().min(0).max(FEW));
const money = (doc: string, fallback?: number) =>
  numberParam(doc, z.number().min(0).max(Number.MAX_SAFE_INTEGER), fallback);
const percent = (doc: string) => numberParam(doc, z.number().min(-1e6).max(1e6));
/** A distance in metres. The tables know distances up to `reach`. */
const metres = (reach: number, fallback?: number) =>
  numberParam(
    `Metres. Distances are known up to ${reach}: as a maximum this or more is no limit, as a minimum more counts as this.`,
    z.number().min(0).max(Number.MAX_SAFE_INTEGER),
    fallback,
  );
const near = (fallback?: number) => metres(FINDER_REACH.near_m, fallback);
const far = () => metres(FINDER_REACH.far_m);

/** Parameters for the areas of a search. `need`: whether a search must name one. */
export const areaParams = (need: (other: string) => string) => ({
  suburbs: listParam(`Comma-separated suburbs; ${need('regions')}. ${SUBURB_NAME_DOC}`, textParam(200)),
  regions: listParam(
    `Comma-separated names of SA3, SA4, LGA, GCCSA or states; ${need('suburbs')}.`,
    textParam(200),
  ),
  neighbors: flagParam('Also searches the adjoining suburbs.'),
});

/** Parameters for the order of a search and its page. */
export const pageParams = (what: string, least: number, usual: number) => ({
  sort_direction: choiceParam('asc or desc; default: desc.', ['asc', 'desc']).meta({ default: 'desc' }),
  limit: countParam(`Maximum number of ${what}.`, least, 5000, usual),
  offset: countParam(`Number of ${what} to skip.`, 0, 1_000_000_000, 0),
});
const { neighbors, ...areas } = areaParams((other) => `this or ${other} is required`);
const { sort_direction, limit, offset } = pageParams('properties', 1, 500);

/**
 * Specification, section 4.7: parameters of the finder. Blank words and lists count as absent. Blank numbers and unknown names are refused.
 */
export const finderParams = z
  .strictObject({
    ...areas,
    property_type: choiceParam('house or unit.', FINDER_TYPES),
    min_bedrooms: count('bedrooms'),
    min_baths: count('bathrooms'),
    min_cars: count('parking spaces'),
    min_price: money('Minimum price, dollars.', DEFAULTS.min_price),
    max_price: money('Maximum price, dollars.'),
    min_yield: percent('Minimum rental yield; 4.0 means 4 %.'),
    max_yield: percent('Maximum rental yield, per cent.'),
    min_growth: percent('Minimum growth over a year, per cent.'),
    max_growth: percent('Maximum growth over a year, per cent.'),
    min_growth_forecast: percent('Minimum forecast growth, per cent.'),
    max_growth_forecast: percent('Maximum forecast growth, per cent.'),
    min_distance_to_school: near(),
    max_distance_to_school: near(DEFAULTS.max_distance_to_school),
    min_distance_to_public_housing: near(DEFAULTS.min_distance_to_public_housing),
    max_distance_to_public_housing: near(DEFAULTS.max_distance_to_public_housing),
    min_distance_to_supermarket: near(),
    max_distance_to_supermarket: near(),
    min_distance_to_park: near(),
    max_distance_to_park: near(),
    min_distance_to_beach: far(),
    max_distance_to_beach: far(),
    min_distance_to_railway: far(),
    max_distance_to_railway: far(),
    features: listParam(
      `Comma-separated features that a property must have: ${FINDER_FEATURES.join(', ')}.`,
      z.enum(FINDER_FEATURES),
    ),
    neighbors,
    sort_by: choiceParam('Sort key; default: the score. Unknown values come last.', SORTS),
    sort_direction,
    limit,
    offset,
  })
  .refine(({ suburbs, regions }) => suburbs.length + regions.length > 0, {
    path: ['suburbs'],
    message: 'one of suburbs or regions is required',
  });
export type FinderParams = z.infer<typeof finderParams>;

/** A search. `only` restricts it to some properties. */
export type FinderQuery = FinderParams & { only?: readonly string[] };
