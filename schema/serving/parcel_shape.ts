import { col, table } from '../table.ts';

/** One row per parcel. Answers the shapes of /api/property/neighbours. */
export const parcelShapeTable = table({
  schema: 'serving',
  name: 'parcel_shape',
  doc: 'The shape of a parcel of the cadastre.',
  columns: {
    parcel_id: col('text', 'State, a colon, and the publisher’s identifier.'),
    cell: col('int4', 'Grid cell of the centre of its bounding box.'),
    state: col('text', 'State abbreviation.'),
    geom: col('bytea', 'WKB multipolygon, GDA2020 degrees.'),
  },
  primaryKey: ['parcel_id'],
  indexes: [{ columns: ['cell'] }],
});
