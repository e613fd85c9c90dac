import { col, nullable, table } from '../table.ts';

/** Source: state cadastre through the field map of the dataset. */
export const parcelRecord = table({
  schema: 'record',
  name: 'parcel',
  doc: 'One ground parcel of the cadastre: current lots only; roads, casements, proposed and retired ones are named drops.',
  columns: {
    load_id: col('int4', 'Load that brought the row.'),
    source_no: col('int4', 'Feature number in the file, from 1.'),
    cell: col('int4', 'Home cell: the grid cell of the centre of the bounding box.'),
    parcel_id: col('text', 'State, a colon, and the publisher’s identifier: unique in Australia.'),
    state: col('text', 'State abbreviation.'),
    lot_plan: nullable(
      'text',
      'Lot on plan, normalised by the rules of the state; null: the source has none.',
    ),
    area_sqm: col('float8', 'Geodesic area of all parts less holes, square metres.'),
    min_lon: col('float8', 'West edge, GDA2020 degrees.'),
    min_lat: col('float8', 'South edge.'),
    max_lon: col('float8', 'East edge.'),
    max_lat: col('float8', 'North edge.'),
    repaired: nullable(
      'text',
      'Name of the documented repair that made the rings valid; null: published valid.',
    ),
    geom: col('bytea', 'WKB multipolygon, GDA2020 degrees.'),
  },
  primaryKey: ['parcel_id'],
  indexes: [{ columns: ['cell'] }],
  tracked: 'parcel_id',
  named: ['lot_plan'],
});

/** Cells that a parcel touches besides its home cell. */
export const parcelSpillRecord = table({
  schema: 'record',
  name: 'parcel_spill',
  doc: 'A grid cell that the bounding box of a parcel (widened by about one metre) touches beside its home cell.',
  columns: {
    load_id: col('int4', 'Load that brought the row.'),
    source_no: col('int4', 'Feature number in the file, from 1.'),
    cell: col('int4', 'Grid cell touched.'),
    home_cell: col('int4', 'Home cell of the parcel.'),
    parcel_id: col('text', 'Parcel.'),
  },
  primaryKey: ['cell', 'parcel_id'],
  indexes: [{ columns: ['home_cell'] }],
});
