import { col, table } from '../table.ts';

/** Completeness of the served values by suburb. */
export const fieldCoverageTable = table({
  schema: 'serving',
  name: 'field_coverage',
  doc: 'Share of the properties of a suburb that have a value of a field.',
  columns: {
    sal: col('text', 'Canonical ABS SAL name.'),
    field: col('text', 'Serving table and column, such as property.land_area_sqm.'),
    state: col('text', 'State abbreviation of most of its properties; ties go to the first by name.'),
    properties: col('int4', 'Properties of the suburb.'),
    filled: col('int4', 'Of these, those with a value.'),
    share_filled: col('float8', 'The same as a fraction, 0 to 1.'),
  },
  primaryKey: ['sal', 'field'],
  indexes: [{ columns: ['field', 'sal'] }],
  checks: { field_coverage_filled: 'filled BETWEEN 0 AND properties AND properties > 0' },
});
