// @ts-expect-error: jsts has no types
import GeometryFactory from 'jsts/org/locationtech/jts/geom/GeometryFactory.js';
// @ts-expect-error: jsts has no types
import GeoJSONReader from 'jsts/org/locationtech/jts/io/GeoJSONReader.js';
// @ts-expect-error: jsts has no types
import IsValidOp from 'jsts/org/locationtech/jts/operation/valid/IsValidOp.js';
import { type MultiPolygon, toGeoJson } from '../../../transforms/geo/geometry.ts';

/** Whether JTS takes a shape as valid; its rules are those of GEOS and PostGIS. */
export const isValidInJts = (g: MultiPolygon): boolean =>
  new IsValidOp(new GeoJSONReader(new GeometryFactory()).read(toGeoJson(g))).isValid();
