import { col, nullable, table } from '../table.ts';
import { areaCodes, indexesByArea } from './area_level.ts';
import { located } from './located.ts';
import { DWELLING_TYPES } from './property.ts';

/** Rows for the listings of a suburb or region: one per current listing. */
export const listingTable = table({
  schema: 'serving',
  name: 'listing',
  doc: 'An open listing for sale or rent that a source mentioned recently, with the latest description of the home.',
  columns: {
    gnaf_pid: col('text', 'Property.'),
    event_id: col('text', 'Event of property_event.'),
    ...located,
    ...areaCodes,
    address: col('text', 'Formatted address, upper case.'),
    type: col('text', 'For Sale or For Rent.'),
    date: col('date', 'First day of the listing.'),
    last_date: col('date', 'Last day on which a source mentioned it.'),
    is_under_offer: col('bool', 'The latest record says it is under offer.'),
    price: nullable('int4', 'Dollars: last asking price, or rent per week; null: none, or a range only.'),
    price_low: nullable('int4', 'Lower end of the advertised range; null: none.'),
    price_high: nullable('int4', 'Upper end; null: none.'),
    bedrooms: nullable('int2', 'Bedrooms as last stated; null: never stated.'),
    bathrooms: nullable('int2', 'Bathrooms as last stated; null: never stated.'),
    parking: nullable('int2', 'Car spaces as last stated; null: never stated.'),
    dwelling_type: nullable(
      'text',
      'Dwelling type as last stated, otherwise as the address implies; null: neither.',
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
