import { multiPolygon, simplify } from '@turf/turf';
import { fromGeoJson, type MultiPolygon, toGeoJson } from './geometry.ts';
import { madeValid, ogcFault } from './ogc_validity.ts';

/** Tolerance of the simplification, degrees: about 20 m. */
const TOLERANCE_DEG = 0.0002;

/**
 * Simplifies a region for maps (Douglas and Peucker): within about 20 m of its border, with far fewer vertices. A ring that would
 * vanish is unchanged. Neighbouring regions are simplified separately, so their borders may differ by as much.
 */
export function outlineOf(geometry: MultiPolygon): MultiPolygon {
  const shape = multiPolygon(toGeoJson(geometry).coordinates);
  const { coordinates } = simplify(shape, { tolerance: TOLERANCE_DEG, mutate: true }).geometry;
  // Simplified borders may cross. If nothing would be left, or the result cannot be made valid, the region is unchanged.
  const valid = madeValid(fromGeoJson(coordinates));
  return valid !== null && ogcFault(valid) === null ? valid : geometry;
}
