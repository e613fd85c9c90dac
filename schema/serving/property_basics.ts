import { col, nullable, table } from '../table.ts';
import { located } from './located.ts';
import { DWELLING_TYPES } from './property.ts';

const feature = (what: string) =>
  nullable('bool', `The latest advertisement that mentions ${what} affirms it; null: never mentioned.`);
const from = (what: string) => ({
  date: nullable('date', `Date of the event that states ${what}; null: none.`),
  source: nullable('text', `Source that states ${what}; null: none.`),
});
const [beds, baths, cars, type, land, floor, year] = [
  'the bedrooms',
  'the bathrooms',
  'the car spaces',
  'the dwelling type',
  'the land size',
  'the floor size',
  'the year of construction',
].map(from);

/** Rows for basics/bed-count, bath-count, parking-count and dwelling-type: one per property with a market event. */
export const propertyBasicsTable = table({
  schema: 'serving',
  name: 'property_basics',
  doc: 'Attributes of a property from listings and sales, each as last stated, and its market status.',
  columns: {
    gnaf_pid: col('text', 'Property.'),
    ...located,
    bedrooms: nullable('int2', 'Bedrooms; null: never stated.'),
    bedrooms_date: beds!.date,
    bedrooms_source: beds!.source,
    bathrooms: nullable('int2', 'Bathrooms; null: never stated.'),
    bathrooms_date: baths!.date,
    bathrooms_source: baths!.source,
    parking: nullable('int2', 'Car spaces; null: never stated.'),
    parking_date: cars!.date,
    parking_source: cars!.source,
    dwelling_type: nullable(
      'text',
      'house unit townhouse villa duplex land rural retirement other, as listed; null: never stated.',
    ),
    dwelling_type_date: type!.date,
    dwelling_type_source: type!.source,
    advertised_land_sqm: nullable(
      'float8',
      'Land size as advertised, square metres; the area of the parcel is property.land_area_sqm. Null: never stated.',
    ),
    advertised_land_date: land!.date,
    advertised_land_source: land!.source,
    floor_area_sqm: nullable('float8', 'Floor size as advertised, square metres; null: never stated.'),
    floor_area_date: floor!.date,
    floor_area_source: floor!.source,
    year_built: nullable('int2', 'Year of construction; null: never stated.'),
    year_built_date: year!.date,
    year_built_source: year!.source,
    level_access: feature('level access'),
    good_view_outlook: feature('a view or outlook'),
    presence_of_ensuite: feature('an ensuite'),
    big_kitchen: feature('a big kitchen'),
    presence_of_pool: feature('a pool'),
    entertaining_area: feature('an entertaining area'),
    natural_light: feature('natural light'),
    features_date: nullable('date', 'Date of the latest event that mentions a feature; null: none.'),
    status: col(
      'text',
      'for sale, under offer, for rent, sold, rented, owner-occupied or unknown, by the rules of pipelines/stages/events/standing.ts.',
    ),
    status_date: nullable('date', 'Day on which the status began; null: unknown.'),
    listing_date: nullable('date', 'First day of the current listing for sale or rent; null: not listed.'),
    asking_price: nullable(
      'int4',
      'Last asking price of the latest sale listing, dollars; null: none, or a range only.',
    ),
    asking_low: nullable('int4', 'Lower end of its range; null: none.'),
    asking_high: nullable('int4', 'Upper end; null: none.'),
    sale_date: nullable('date', 'Date of the latest sale that is evidence of value; null: none.'),
    sale_price: nullable('int4', 'Its price, dollars; null: none.'),
    rent_date: nullable('date', 'First day of the latest rent listing with a rent; null: none.'),
    rent_pw: nullable('int4', 'Its last rent, dollars per week; null: none.'),
  },
  primaryKey: ['gnaf_pid'],
  tracked: 'gnaf_pid',
  indexes: [{ columns: ['cell'] }],
  checks: {
    property_basics_dwelling: `dwelling_type IN (${DWELLING_TYPES.map((each) => `'${each}'`).join(', ')})`,
    property_basics_counts: 'bedrooms >= 0 AND bathrooms >= 0 AND parking >= 0',
  },
});
