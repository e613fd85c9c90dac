import { col, nullable, table } from '../table.ts';
import { areaCodes, indexesByArea } from './area_level.ts';
import { located } from './located.ts';
import { DWELLING_TYPES } from './property.ts';

/** One row per listing that is current. Answers the listings of a suburb or region. */
export const listingTable = table({
  schema: 'serving',
  name: 'listing',
  doc: 'A listing for sale or rent that is open and was mentioned lately, with the home as it was last described.',
  columns: {
    gnaf_pid: col('text', 'Property.'),
    event_id: col('text', 'Event of property_event.'),
    ...located,
    ...areaCodes,
    address: col('text', 'Formatted address, upper case.'),
    type: col('text', 'For Sale or For Rent.'),
    date: col('date', 'First day of the listing.'),
    last_date: col('date', 'Last day on which a source mentions it.'),
    is_under_offer: col('bool', 'The last word on it is that it is under offer.'),
    price: nullable('int4', 'Dollars: last asking price, or rent per week; null: none, or a range only.'),
    price_low: nullable('int4', 'Lower end of the advertised range; null: none.'),
    price_high: nullable('int4', 'Upper end; null: none.'),
    bedrooms: nullable('int2', 'Bedrooms as last stated; null: never.'),
    bathrooms: nullable('int2', 'The same of bathrooms.'),
    parking: nullable('int2', 'The same of car spaces.'),
    dwelling_type: nullable(
      'text',
      'The same of the type; where it is never stated, what the address implies; null: nothing.',
    ),
    lon: nullable('float8', 'Longitude, GDA2020 degrees; null: no coordinates.'),
    lat: nullable('float8', 'Latitude, GDA2020 degrees; null: no coordinates.'),
  },
  primaryKey: ['gnaf_pid', 'event_id'],
  tracked: 'gnaf_pid',
  indexes: [{ columns: ['cell'] }, ...indexesByArea('type', 'date')],
  checks: {
    listing_type: "type IN ('For Sale', 'For Rent')",
    listing_dwelling: `dwelling_type IN (${DWELLING_TYPES.map((each) => `'${each}'`).join(', ')})`,
  },
});
