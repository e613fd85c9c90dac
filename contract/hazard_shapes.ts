import { expandBbox } from '../schema/grid.ts';
import type { HazardLayer } from '../schema/records/hazard.ts';
import type { Serving } from '../schema/serving/database.ts';
import { circleClipper } from '../transforms/hazards/clip.ts';
import { cellsWithin, centreOf } from './centre.ts';
import type { HazardGeojson, HazardShapes } from './hazard_payload.ts';

/** Radius of the circle that hazard shapes are clipped to, metres (specification, section 4.4). */
const RADIUS_M = 1000;
/** Most features in one answer, and most characters of their shapes: what does not fit is counted in geojson_meta. */
const MAX_FEATURES = 500;
const MAX_CHARACTERS = 2_000_000;

/**
 * The shapes of some hazard layers clipped to a circle of 1 km around the property, as a FeatureCollection in GDA2020 degrees, in
 * the order of their layers and ids, with what was left out beside it. Nothing for a property without coordinates.
 */
export async function hazardShapes(
  db: Serving,
  gnafId: string,
  layers: readonly HazardLayer[],
): Promise<HazardShapes> {
  const centre = await centreOf(db, gnafId);
  if (!centre) return {};
  const [west, south, east, north] = expandBbox([centre.lon, centre.lat, centre.lon, centre.lat], RADIUS_M);
  const pieces = await db
    .selectFrom('serving.hazard')
    .select(['layer', 'feature_id', 'cell', 'shape', 'name', 'code', 'severity', 'geom'])
    .where('cell', 'in', cellsWithin(centre, RADIUS_M))
    .where('layer', 'in', layers)
    .where('is_assessed', '=', true)
    .where('min_lon', '<=', east)
    .where('max_lon', '>=', west)
    .where('min_lat', '<=', north)
    .where('max_lat', '>=', south)
    .orderBy('layer')
    .orderBy('feature_id')
    .orderBy('cell')
    .execute();
  const byFeature = new Map<string, typeof pieces>();
  for (const piece of pieces) {
    const key = `${piece.layer}|${piece.feature_id}`;
    const group = byFeature.get(key);
    if (group) group.push(piece);
    else byFeature.set(key, [piece]);
  }
  const clip = circleClipper(centre, RADIUS_M);
  const features: HazardGeojson['features'] = [];
  let found = 0;
  let characters = 0;
  for (const group of byFeature.values()) {
    const { layer, feature_id, shape, name, code, severity } = group[0]!;
    const geometry = clip(shape, group);
    if (geometry === null) continue;
    found++;
    const size = JSON.stringify(geometry).length;
    if (features.length >= MAX_FEATURES || characters + size > MAX_CHARACTERS) continue;
    characters += size;
    features.push({
      type: 'Feature',
      properties: { id: feature_id, layer: layer as HazardLayer, name, code, severity },
      geometry: geometry as HazardGeojson['features'][number]['geometry'],
    });
  }
  return {
    geojson: { type: 'FeatureCollection', features },
    geojson_meta: {
      clip_method: '1km_radius',
      center_lat: centre.lat,
      center_lng: centre.lon,
      radius_m: RADIUS_M,
      simplify_tolerance_m: 0,
      coordinate_precision: null,
      features_found: found,
      features_returned: features.length,
      max_features: MAX_FEATURES,
      max_bytes: MAX_CHARACTERS,
      truncated: features.length < found,
    },
  };
}
