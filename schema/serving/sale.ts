import { col, nullable, table } from '../table.ts';
import { areaCodes, indexesByArea } from './area_level.ts';
import { located } from './located.ts';
import { DWELLING_TYPES } from './property.ts';

/** Rows for recent-sales-nearby and the sales of an area: one per sale that is evidence of value. Comparables and valuation are computed from it. */
export const saleTable = table({
  schema: 'serving',
  name: 'sale',
  doc: 'A sale of one property at a stated price, with the home as it was described at the time.',
  columns: {
    gnaf_pid: col('text', 'Property.'),
    event_id: col('text', 'Event of property_event.'),
    ...located,
    ...areaCodes,
    address: col('text', 'Formatted address, upper case.'),
    street: nullable('text', 'Number, street name and type, as in property_finder; null: no street.'),
    date: col('date', 'Contract date, or the settlement date.'),
    settlement_date: nullable('date', 'Settlement date; null: not stated.'),
    price: col('int4', 'Dollars.'),
    bedrooms: nullable(
      'int2',
      'Bedrooms as last stated before the sale, or first stated after it; null: never.',
    ),
    bathrooms: nullable('int2', 'The same for bathrooms.'),
    parking: nullable('int2', 'The same for car spaces.'),
    dwelling_type: nullable(
      'text',
      'The same for the dwelling type; if never stated, as the address implies; null: neither.',
    ),
    land_area_sqm: nullable(
      'float8',
      'Area of the parcel, or the advertised land size, square metres; null: neither.',
    ),
    floor_area_sqm: nullable(
      'float8',
      'Floor size as last stated before the sale, or first stated after it; null: never.',
    ),
    year_built: nullable('int2', 'The same for the year of construction.'),
    lon: nullable('float8', 'Longitude, GDA2020 degrees; null: no coordinates.'),
    lat: nullable('float8', 'Latitude, GDA2020 degrees; null: no coordinates.'),
    point_cell: nullable('int4', 'Grid cell of the point; null: no coordinates.'),
    sources: col('text[]', 'Sources that report it, ascending.'),
  },
  primaryKey: ['gnaf_pid', 'event_id'],
  tracked: 'gnaf_pid',
  indexes: [
    { columns: ['cell'] },
    { columns: ['point_cell', 'date'] },
    { columns: ['date'] },
    ...indexesByArea('date'),
  ],
  checks: {
    sale_price: 'price > 0',
    sale_dwelling: `dwelling_type IN (${DWELLING_TYPES.map((each) => `'${each}'`).join(', ')})`,
  },
});
