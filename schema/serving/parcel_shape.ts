import { col, table } from '../table.ts';

/** Rows for the shapes of /api/property/neighbours and the tiles of the console's map: one per parcel. */
export const parcelShapeTable = table({
  schema: 'serving',
  name: 'parcel_shape',
  doc: 'The shape of a parcel of the cadastre.',
  columns: {
    parcel_id: col('text', 'State, a colon, and the publisher’s identifier.'),
    cell: col('int4', 'Grid cell of the centre of its bounding box.'),
    state: col('text', 'State abbreviation.'),
    min_lon: col('float8', 'West edge, GDA2020 degrees.'),
    min_lat: col('float8', 'South edge.'),
    max_lon: col('float8', 'East edge.'),
    max_lat: col('float8', 'North edge.'),
    geom: col('bytea', 'WKB multipolygon, GDA2020 degrees.'),
  },
  primaryKey: ['parcel_id'],
  tracked: 'parcel_id',
  // Searches by box only read the index.
  indexes: [{ columns: ['cell', 'min_lon', 'max_lon', 'min_lat', 'max_lat'] }],
});
