import { col, nullable, table } from '../table.ts';
import { finderFeatureColumns } from './finder_features.ts';
import { located } from './located.ts';

const near = 'whole metres; null: none within 5 km, or no coordinates';
const far = 'whole metres; null: none within 20 km, or no coordinates';

/** Kinds of property in the finder. */
export const FINDER_TYPES = ['house', 'unit'] as const;
export type FinderType = (typeof FINDER_TYPES)[number];

/**
 * Columns that a search filters, scores and sorts by, other than area and price. With them in the index, a search of a whole state
 * only reads rows on its page.
 */
const CRITERIA = [
  'is_located',
  'property_type',
  'beds',
  'baths',
  'cars',
  'land_area_sqm',
  'listing_date',
  'price_per_sqm',
  'rent_aud_pw',
  'yield_percent',
  'growth_percent',
  'growth_forecast_percent',
  'school_m',
  'public_housing_m',
  'public_housing_covered',
  'supermarket_m',
  'park_m',
  'beach_m',
  'railway_m',
  ...Object.keys(finderFeatureColumns),
];

/** Rows for the property finder: wide, with every column that it filters, sorts and shows. */
export const propertyFinderTable = table({
  schema: 'serving',
  name: 'property_finder',
  doc: 'One property as the finder filters, sorts and shows it: price, yield, growth, distances, features.',
  columns: {
    gnaf_pid: col('text', 'Property.'),
    ...located,
    sa4: nullable('text', 'SA4 code; null: not located.'),
    gccsa: nullable('text', 'GCCSA code; null: not located.'),
    lga: nullable('text', 'LGA code; null: not located.'),
    sal: nullable('text', 'Suburb: canonical ABS SAL name; null: not located.'),
    address: col('text', 'Formatted address, upper case.'),
    street: nullable('text', 'Number, street name and type; null: no street.'),
    postcode: nullable('text', 'Four digits; null: none stated.'),
    lon: nullable('float8', 'Longitude, GDA2020 degrees; null: no coordinates.'),
    lat: nullable('float8', 'Latitude, GDA2020 degrees; null: no coordinates.'),
    is_located: col('bool', 'It has coordinates, so a null distance means that nothing is near.'),
    property_type: nullable('text', 'house or unit; null: land, not a dwelling, or unknown.'),
    dwelling_type: nullable('text', 'Dwelling type by the latest listing, or by the address; null: unknown.'),
    beds: nullable('int2', 'Bedrooms; null: no listing states them.'),
    baths: nullable('int2', 'Bathrooms; null: no listing states them.'),
    cars: nullable('int2', 'Parking spaces; null: no listing states them.'),
    land_area_sqm: nullable(
      'int4',
      'Area of its own parcel, whole square metres; null: no parcel of its own.',
    ),
    listing_date: nullable('date', 'First day of the current listing; null: not listed.'),
    price: nullable('int4', 'Estimated value, whole dollars; null: no estimate.'),
    price_per_sqm: nullable(
      'int4',
      'Price per square metre of land, whole dollars; null: price or area unknown.',
    ),
    rent_aud_pw: nullable('int4', 'Estimated rent, whole dollars per week; null: no estimate.'),
    yield_percent: nullable(
      'float8',
      'Annual rent divided by the price, per cent; null: one of them is unknown.',
    ),
    growth_percent: nullable(
      'float8',
      'One-year growth of the median price of its dwelling kind in its suburb, per cent; null: too few sales.',
    ),
    growth_forecast_percent: nullable(
      'float8',
      'Forecast of the same for the next year, per cent; null: no forecast.',
    ),
    school_m: nullable('int4', `Nearest mainstream school, ${near}.`),
    public_housing_m: nullable('int4', `Nearest SA1 that counts as public housing, ${near}, or not covered.`),
    public_housing_covered: col(
      'bool',
      'A source covers all public housing here, so a null distance means none nearby.',
    ),
    supermarket_m: nullable('int4', `Nearest supermarket, ${near}.`),
    park_m: nullable('int4', `Nearest green space, 0 inside, ${near}.`),
    beach_m: nullable('int4', `Nearest beach, ${far}.`),
    railway_m: nullable('int4', `Nearest train stop of a timetable, ${far}.`),
    ...finderFeatureColumns,
    default_score: nullable(
      'float8',
      'Score in a search without criteria, 0 to 100; null: the default criteria exclude the property.',
    ),
  },
  primaryKey: ['gnaf_pid'],
  tracked: 'gnaf_pid',
  indexes: [
    { columns: ['cell'] },
    { columns: ['sal', 'price'] },
    { columns: ['sa3', 'price'] },
    { columns: ['sa4', 'price'] },
    { columns: ['lga', 'price'] },
    { columns: ['gccsa', 'price', 'gnaf_pid'], include: CRITERIA },
    { columns: ['state', 'price', 'gnaf_pid'], include: CRITERIA },
    ...['state', 'gccsa'].map((area) => ({
      columns: [area, 'default_score', 'gnaf_pid'],
      where: 'default_score IS NOT NULL',
    })),
  ],
  checks: { property_finder_type: "property_type IN ('house', 'unit')", property_finder_price: 'price > 0' },
});
