import { z } from 'zod';
import { degrees } from './numbers.ts';

const position = z.tuple([degrees, degrees]);
const ring = z.array(position);
const COORDINATES = { description: 'Longitude and latitude of each point.' };

/** Schema of a GeoJSON MultiPolygon. */
export const multiPolygonGeometry = z.strictObject({
  type: z.literal('MultiPolygon'),
  coordinates: z.array(z.array(ring)).meta(COORDINATES),
});

/** Schema of a shape clipped to a circle. */
export const clippedGeometry = z.union([
  z.strictObject({ type: z.literal('Polygon'), coordinates: z.array(ring).meta(COORDINATES) }),
  multiPolygonGeometry,
  z.strictObject({
    type: z.literal('MultiLineString'),
    coordinates: z.array(z.array(position)).meta(COORDINATES),
  }),
  z.strictObject({ type: z.literal('MultiPoint'), coordinates: z.array(position).meta(COORDINATES) }),
]);

/** Builds the schema of a FeatureCollection in GDA2020 degrees. */
export const featureCollection = <P extends z.ZodType, G extends z.ZodType>(properties: P, geometry: G) =>
  z.strictObject({
    type: z.literal('FeatureCollection'),
    features: z
      .array(
        z.strictObject({
          type: z.literal('Feature'),
          properties: properties.meta({ description: 'Attributes of the shape.' }),
          geometry: geometry.meta({ description: 'The shape, GDA2020 degrees.' }),
        }),
      )
      .meta({ description: 'The shapes.' }),
  });
