import { z } from 'zod';
import { HAZARD_LAYERS } from '../../schema/records/hazard.ts';
import { clippedGeometry, featureCollection } from '../answers/geojson.ts';
import { degrees } from '../answers/numbers.ts';

/** Specification, section 4.4: hazard shapes clipped to a circle of 1 km around the property. */
export const hazardGeojson = featureCollection(
  z.strictObject({
    id: z.string(),
    layer: z.enum(HAZARD_LAYERS),
    name: z.string(),
    code: z.string().nullable(),
    severity: z.int().min(1).max(4).nullable(),
  }),
  clippedGeometry,
);
export type HazardGeojson = z.infer<typeof hazardGeojson>;

/** Number of features considered, and number left out to keep the answer small. */
export const hazardGeojsonMeta = z.strictObject({
  clip_method: z.literal('1km_radius'),
  center_lat: degrees,
  center_lng: degrees,
  radius_m: z.int(),
  simplify_tolerance_m: z.number().min(0),
  coordinate_precision: z.int().nullable(),
  features_found: z.int().min(0),
  features_returned: z.int().min(0),
  max_features: z.int().min(1),
  max_bytes: z.int().min(1),
  truncated: z.boolean(),
});
type HazardGeojsonMeta = z.infer<typeof hazardGeojsonMeta>;

/** Shapes of a hazard layer, if requested and if the property has a position. */
export interface HazardShapes {
  geojson?: HazardGeojson;
  geojson_meta?: HazardGeojsonMeta;
}
