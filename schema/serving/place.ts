import { extent } from '../records/piece.ts';
import { PLACE_CATEGORIES } from '../records/place.ts';
import { col, nullable, table } from '../table.ts';
import { locatedPlace } from './located.ts';

/** Rows for amenities/nearby with any radius: read by grid cell, counted by place_id. */
export const placeTable = table({
  schema: 'serving',
  name: 'place',
  doc: 'A place: a point, or the part of an area in one grid cell.',
  columns: {
    place_id: col('text', 'Source and its identifier, for example osm:way/123.'),
    category: col('text', 'supermarket, green_space, restaurant, beach or railway_station.'),
    ...locatedPlace,
    name: nullable('text', 'Name; null: none in the source.'),
    lon: col('float8', 'Longitude of the point, or of an interior point of the whole area, GDA2020 degrees.'),
    lat: col('float8', 'Latitude of that point.'),
    ...extent,
    geom: nullable('bytea', 'WKB multipolygon of the part in the cell, GDA2020 degrees; null: a point.'),
  },
  primaryKey: ['cell', 'place_id', 'category'],
  checks: { place_category: `category IN (${PLACE_CATEGORIES.map((c) => `'${c}'`).join(', ')})` },
});
