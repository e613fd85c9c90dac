import { z } from 'zod';
import { degrees } from './numbers.ts';

const position = z.tuple([degrees, degrees]);
const ring = z.array(position);

/** Coordinates of a MultiPolygon of GeoJSON. */
export const multiPolygonGeometry = z.strictObject({
  type: z.literal('MultiPolygon'),
  coordinates: z.array(z.array(ring)),
});

/** What a shape that is cut to a circle may be. */
export const clippedGeometry = z.union([
  z.strictObject({ type: z.literal('Polygon'), coordinates: z.array(ring) }),
  multiPolygonGeometry,
  z.strictObject({ type: z.literal('MultiLineString'), coordinates: z.array(z.array(position)) }),
  z.strictObject({ type: z.literal('MultiPoint'), coordinates: z.array(position) }),
]);

/** A FeatureCollection of features with such properties and geometry, in GDA2020 degrees. */
export const featureCollection = <P extends z.ZodType, G extends z.ZodType>(properties: P, geometry: G) =>
  z.strictObject({
    type: z.literal('FeatureCollection'),
    features: z.array(z.strictObject({ type: z.literal('Feature'), properties, geometry })),
  });
