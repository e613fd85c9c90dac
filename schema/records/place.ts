import { col, nullable, table } from '../table.ts';
import { extent, provenance } from './piece.ts';

/** Categories of places. The first three serve amenities/nearby; beaches and railway stations serve the finder's distances. */
export const PLACE_CATEGORIES = [
  'supermarket',
  'green_space',
  'restaurant',
  'beach',
  'railway_station',
] as const;
export type PlaceCategory = (typeof PLACE_CATEGORIES)[number];

/** Source: OpenStreetMap, Overture places and tables of places. */
export const placePieceRecord = table({
  schema: 'record',
  name: 'place_piece',
  doc: 'A place: a point, or the part of an area in one grid cell. Places are counted by place_id, never by piece.',
  columns: {
    ...provenance,
    cell: col('int4', 'Grid cell.'),
    place_id: col('text', 'Source and its identifier, for example osm:way/123, overture:08f….'),
    category: col('text', 'supermarket, green_space, restaurant, beach or railway_station.'),
    name: nullable('text', 'Name; null: the source has none.'),
    lon: col('float8', 'Longitude of the point, or of an interior point of the whole area, GDA2020 degrees.'),
    lat: col('float8', 'Latitude of that point.'),
    ...extent,
    geom: nullable(
      'bytea',
      'WKB multipolygon of the part in the cell, GDA2020 degrees, clipped to the cell widened by a margin; null: the place is a point.',
    ),
  },
  primaryKey: ['cell', 'place_id', 'category'],
});
