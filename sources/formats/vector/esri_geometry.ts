import { flattenGeometry } from './geojson_geometry.ts';
import type { PlainFeature } from './plain_features.ts';

/** Members of an Esri JSON geometry, with the GeoJSON type of the same positions. */
const MEMBERS: readonly (readonly [member: string, type: string])[] = [
  ['rings', 'Polygon'],
  ['paths', 'MultiLineString'],
  ['points', 'MultiPoint'],
];
const CURVES = ['curveRings', 'curvePaths'];

/**
 * Reads a geometry of Esri JSON. Its rings are one list of outlines and holes, so the even-odd rule applies. Null: none. Curves are a
 * problem `unsupported_geometry`.
 */
export function flattenEsriGeometry(geometry: unknown): PlainFeature['geometry'] {
  if (typeof geometry !== 'object' || geometry === null) return null;
  const value = geometry as Record<string, unknown>;
  if (CURVES.some((member) => member in value))
    return {
      code: 'unsupported_geometry',
      message: 'the shape has curves; ask the service for f=geojson, or for returnTrueCurves=false',
    };
  const firstMember = MEMBERS.find(([member]) => member in value);
  if (firstMember === undefined) {
    const { x, y } = value;
    return x === null || x === undefined || x === 'NaN'
      ? null
      : flattenGeometry({ type: 'Point', coordinates: [x, y] });
  }
  const flat = flattenGeometry({ type: firstMember[1], coordinates: value[firstMember[0]] });
  return flat !== null && 'kind' in flat ? { ...flat, polygonEnds: null } : flat;
}
