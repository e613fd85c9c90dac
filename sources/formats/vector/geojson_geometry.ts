import { MAX_RING_VERTICES } from '../../../transforms/geo/rings.ts';
import type { Family, Problem } from '../feature.ts';
import type { RawGeometry } from './plain_features.ts';

/** Family of each GeoJSON type, and the depth of lists around its positions. */
const GEOJSON_TYPES: Readonly<Record<string, readonly [Family, number]>> = {
  Point: ['point', 0],
  MultiPoint: ['point', 1],
  LineString: ['line', 1],
  MultiLineString: ['line', 2],
  Polygon: ['polygon', 2],
  MultiPolygon: ['polygon', 3],
};

const problem = (code: string, message: string): Problem => ({ code, message });
const show = (value: unknown): string => JSON.stringify(value)?.slice(0, 40) ?? String(value);

/** Positions of a nested list, in order, with the vertex numbers where its innermost lists end. */
class Flat {
  readonly values: number[] = [];
  readonly ends: number[] = [];
  /** Ring numbers where polygons end. */
  readonly polygonEnds: number[] = [];

  /** Adds a nested list of positions. Returns what is wrong with it; null: nothing. */
  add(value: unknown, depth: number, isPolygon = false): Problem | null {
    if (depth === 0) return this.#position(value);
    if (!Array.isArray(value)) return problem('bad_shape', `${show(value)} where a list is expected`);
    for (const each of value) {
      const bad = this.add(each, depth - 1, isPolygon);
      if (bad !== null) return bad;
    }
    if (depth === 1 && value.length > 0) this.ends.push(this.values.length / 2);
    if (depth === 2 && isPolygon && this.ends.length > (this.polygonEnds.at(-1) ?? 0))
      this.polygonEnds.push(this.ends.length);
    return null;
  }

  #position(value: unknown): Problem | null {
    if (!Array.isArray(value)) return problem('bad_shape', `${show(value)} where a position is expected`);
    const [x, y] = value;
    if (typeof x !== 'number' || typeof y !== 'number')
      return problem('bad_coordinate', `position ${show(value)}`);
    if (this.values.length >= 2 * MAX_RING_VERTICES)
      return problem(
        'too_many_vertices',
        `more than ${MAX_RING_VERTICES} vertices; cut the feature into parts`,
      );
    this.values.push(x, y);
    return null;
  }
}

interface UncheckedGeometry {
  type?: unknown;
  coordinates?: unknown;
  geometries?: unknown;
}

/** Yields the members of a geometry and of collections in it, which may be nested a few deep. */
function* membersOf(geometry: UncheckedGeometry, depth = 0): Iterable<UncheckedGeometry> {
  if (geometry === null || typeof geometry !== 'object') yield {};
  else if (geometry.type !== 'GeometryCollection' || depth > 8) yield geometry;
  else if (Array.isArray(geometry.geometries))
    for (const each of geometry.geometries) yield* membersOf(each as UncheckedGeometry, depth + 1);
}

const isKnown = ({ type }: UncheckedGeometry): boolean => Object.hasOwn(GEOJSON_TYPES, String(type));

/**
 * Returns the coordinates of a GeoJSON geometry without Z and M; null: null or empty. Of a collection with polygons, only the polygons are
 * read: its lines and points are left over from a clip. Any other collection must have members of one family. Problems: `bad_shape`,
 * `bad_coordinate`, `too_many_vertices`, `unsupported_geometry`.
 */
export function flattenGeometry(geometry: unknown): RawGeometry | Problem | null {
  if (geometry === null || geometry === undefined) return null;
  if (typeof geometry !== 'object') return problem('bad_shape', `the geometry is ${show(geometry)}`);
  const flat = new Flat();
  let kind: Family | null = null;
  const members = [...membersOf(geometry)];
  const polygons = members.filter(({ type }) => type === 'Polygon' || type === 'MultiPolygon');
  for (const member of polygons.length > 0 && members.every(isKnown) ? polygons : members) {
    const type = String(member?.type);
    if (!Object.hasOwn(GEOJSON_TYPES, type))
      return problem('unsupported_geometry', `geometry of type ${type.slice(0, 40)}`);
    const [own, depth] = GEOJSON_TYPES[type]!;
    if (kind !== null && kind !== own)
      return problem('unsupported_geometry', `a collection of ${kind}s and ${own}s`);
    kind = own;
    const { coordinates } = member;
    // an empty geometry has an empty list, at any depth
    if (depth === 0 && Array.isArray(coordinates) && coordinates.length === 0) continue;
    const bad = flat.add(coordinates, depth, own === 'polygon');
    if (bad !== null) return bad;
  }
  if (kind === null || flat.values.length === 0) return null;
  return {
    kind,
    coords: new Float64Array(flat.values),
    ends: flat.ends,
    polygonEnds: kind === 'polygon' ? flat.polygonEnds : null,
  };
}
