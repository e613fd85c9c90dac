import { col, nullable, table } from '../table.ts';

/** Rows for address lookup: localities that a text may mean. */
export const localityTable = table({
  schema: 'serving',
  name: 'locality',
  doc: 'One locality of G-NAF that has a property, with the postcodes of its addresses.',
  columns: {
    state: col('text', 'State abbreviation.'),
    name: col('text', 'G-NAF locality, upper case.'),
    name_key: col('text', 'Comparable form of the name, as in search_area.'),
    postcodes: col('text[]', 'Postcodes of its addresses, sorted.'),
    properties: col('int4', 'Number of properties.'),
    min_lon: nullable('float8', 'West edge of their points, GDA2020 degrees; null: none has coordinates.'),
    min_lat: nullable('float8', 'South edge.'),
    max_lon: nullable('float8', 'East edge.'),
    max_lat: nullable('float8', 'North edge.'),
  },
  primaryKey: ['state', 'name'],
  indexes: [{ columns: ['name_key'] }],
});
