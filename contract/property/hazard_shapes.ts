import { expandBbox } from '../../schema/grid.ts';
import { groupBy } from '../../schema/group_by.ts';
import type { HazardLayer } from '../../schema/records/hazard.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { circleClipper } from '../../transforms/layers/clip.ts';
import { meetsBox } from '../answers/in_box.ts';
import { DEGREE_DECIMALS } from '../answers/numbers.ts';
import { cellsWithin, centreOf } from '../regions/centre.ts';
import type { HazardGeojson, HazardShapes } from './hazard_payload.ts';

/** Radius of the circle that hazard shapes are clipped to, metres (specification, section 4.4). */
const RADIUS_M = 1000;
/** Maximum features and maximum characters of their shapes in one answer. The rest is counted in geojson_meta. */
const MAX_FEATURES = 500;
const MAX_CHARACTERS = 2_000_000;

/** A clipped feature and its size as JSON. */
interface Clipped {
  feature: HazardGeojson['features'][number];
  characters: number;
}

/** Reads pieces of hazard layers around a point, by feature, ordered by layer and id. */
async function featuresAround(
  db: Serving,
  centre: { lon: number; lat: number; state: string },
  layers: readonly HazardLayer[],
) {
  const box = expandBbox([centre.lon, centre.lat, centre.lon, centre.lat], RADIUS_M);
  const pieces = await db
    .selectFrom('serving.hazard')
    .select(['layer', 'feature_id', 'cell', 'shape', 'hazard_class', 'name', 'code', 'severity', 'geom'])
    .where('cell', 'in', cellsWithin(centre, RADIUS_M))
    .where('layer', 'in', layers)
    .where('is_assessed', '=', true)
    .where(meetsBox(box))
    .orderBy('layer')
    .orderBy('feature_id')
    .orderBy('cell')
    .execute();
  const byFeature = groupBy(pieces, (piece) => `${piece.layer}|${piece.feature_id}`);
  return [...byFeature.values()];
}

const classKey = (layer: string, hazard_class: string): string => `${layer}|${hazard_class}`;

/** Takes as many features of a class as fit into a record, and counts the rest. */
function shapesOfClass(all: readonly Clipped[], centre: { lon: number; lat: number }): HazardShapes {
  const features: HazardGeojson['features'] = [];
  let sum = 0;
  for (const { feature, characters } of all) {
    if (features.length >= MAX_FEATURES || sum + characters > MAX_CHARACTERS) continue;
    sum += characters;
    features.push(feature);
  }
  return {
    geojson: { type: 'FeatureCollection', features },
    geojson_meta: {
      clip_method: '1km_radius',
      center_lat: centre.lat,
      center_lng: centre.lon,
      radius_m: RADIUS_M,
      simplify_tolerance_m: 0,
      coordinate_precision: DEGREE_DECIMALS,
      features_found: all.length,
      features_returned: features.length,
      max_features: MAX_FEATURES,
      max_bytes: MAX_CHARACTERS,
      truncated: features.length < all.length,
    },
  };
}

/**
 * Reads the shapes of hazard layers, clipped to a circle of 1 km around the property, by layer and class. Each is a FeatureCollection in
 * GDA2020 degrees, ordered by id, with counts of what was left out. Empty for a property without coordinates.
 */
export async function hazardShapes(
  db: Serving,
  gnafId: string,
  layers: readonly HazardLayer[],
): Promise<(layer: HazardLayer, hazard_class: string) => HazardShapes> {
  const centre = await centreOf(db, gnafId);
  if (!centre) return () => ({});
  const clip = circleClipper(centre, RADIUS_M);
  const byClass = new Map<string, Clipped[]>();
  for (const group of await featuresAround(db, centre, layers)) {
    const { layer, feature_id, shape, hazard_class, name, code, severity } = group[0]!;
    const clipped = clip(shape, group);
    if (clipped === null) continue;
    const geometry = clipped as HazardGeojson['features'][number]['geometry'];
    const properties = { id: feature_id, layer: layer as HazardLayer, name, code, severity };
    const key = classKey(layer, hazard_class);
    const existing = byClass.get(key) ?? [];
    existing.push({
      feature: { type: 'Feature', properties, geometry },
      characters: JSON.stringify(geometry).length,
    });
    byClass.set(key, existing);
  }
  return (layer, hazard_class) => shapesOfClass(byClass.get(classKey(layer, hazard_class)) ?? [], centre);
}
