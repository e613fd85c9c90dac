import { col } from '../table.ts';

/** Origin of a row. */
export const provenance = {
  load_id: col('int4', 'Load that brought the row.'),
  source_no: col('int4', 'Row or feature number in the file, from 1.'),
} as const;

/** Bounding box of a piece. */
export const extent = {
  min_lon: col('float8', 'West edge of the piece, GDA2020 degrees.'),
  min_lat: col('float8', 'South edge.'),
  max_lon: col('float8', 'East edge.'),
  max_lat: col('float8', 'North edge.'),
} as const;
