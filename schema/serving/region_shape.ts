import { col, nullable, table } from '../table.ts';

/** Rows for the shape of a suburb or region. */
export const regionShapeTable = table({
  schema: 'serving',
  name: 'region_shape',
  doc: 'The simplified boundary of a suburb or region.',
  columns: {
    level: col('text', 'SAL SA2 SA3 SA4 LGA POA.'),
    code: col('text', 'ABS code.'),
    name: nullable('text', 'ABS name, verbatim; null: the level has no names.'),
    state: nullable('text', 'State abbreviation; null: the level crosses states.'),
    area_sqkm: nullable('float8', 'Area as published, square kilometres; null: not stated.'),
    geom: col('bytea', 'WKB multipolygon, GDA2020 degrees, within about 20 m of the boundary.'),
  },
  primaryKey: ['level', 'code'],
  indexes: [{ columns: ['level', 'name'] }],
});
