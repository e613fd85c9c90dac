import { col, nullable, table } from '../table.ts';

/** One row per ABS suburb or locality (SAL) with a property. */
export const suburbTable = table({
  schema: 'serving',
  name: 'suburb',
  doc: 'One suburb: an ABS SAL with at least one property, with its state and main SA2.',
  columns: {
    sal: col('text', 'Canonical ABS SAL name, with its parenthesised state if it has one.'),
    state: col('text', 'State or territory abbreviation.'),
    sa2: nullable('text', 'SA2 code of most of its properties, ties to the lowest code; null: none located.'),
    sa3: nullable('text', 'SA3 of that SA2; null: none located.'),
    sal_code: col('text', 'SAL code.'),
    properties: col('int4', 'Number of properties.'),
    min_lon: nullable(
      'float8',
      'West edge of its properties’ points, GDA2020 degrees; null: none has coordinates.',
    ),
    min_lat: nullable('float8', 'South edge.'),
    max_lon: nullable('float8', 'East edge.'),
    max_lat: nullable('float8', 'North edge.'),
  },
  primaryKey: ['sal'],
  indexes: [{ columns: ['state', 'sal'] }],
  checks: { suburb_properties: 'properties > 0' },
});
