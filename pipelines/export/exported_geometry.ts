import type { Table, UntypedRow } from '../../schema/table.ts';
import { toGeoJson } from '../../transforms/geo/geometry.ts';
import { decodeAnyWkb } from '../../transforms/geo/wkb.ts';

/** Column with the shape of a row, as WKB. */
const SHAPE = 'geom';

/** Returns whether a table's rows have a location: a shape or point coordinates. */
export const hasGeometry = ({ columns }: Table): boolean =>
  SHAPE in columns || ('lon' in columns && 'lat' in columns);

/** Returns the declared columns except the shape, which is exported as `geometry`. */
export const plainColumns = ({ columns }: Table): [string, Table['columns'][string]][] =>
  Object.entries(columns).filter(([name]) => name !== SHAPE);

/** Returns a point as little-endian WKB. */
function pointWkb(lon: number, lat: number): Uint8Array {
  const bytes = new Uint8Array(21);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, 1);
  view.setUint32(1, 1, true);
  view.setFloat64(5, lon, true);
  view.setFloat64(13, lat, true);
  return bytes;
}

/** Returns a row's shape or point as WKB; null: no location. */
export function wkbOf(row: UntypedRow): Uint8Array | null {
  const shape = row[SHAPE] as Uint8Array | null | undefined;
  if (shape != null) return shape;
  const { lon, lat } = row as { lon?: number | null; lat?: number | null };
  return lon == null || lat == null ? null : pointWkb(lon, lat);
}

const pairs = (coords: Float64Array, from: number, to: number): [number, number][] =>
  Array.from({ length: to - from }, (_, i) => [coords[(from + i) * 2]!, coords[(from + i) * 2 + 1]!]);

/** Returns a row's geometry as GeoJSON; null: no location. */
export function geoJsonOf(row: UntypedRow): object | null {
  const wkb = wkbOf(row);
  if (wkb === null) return null;
  const { kind, geometry } = decodeAnyWkb(wkb);
  if (kind === 'polygon') return toGeoJson(geometry);
  const { coords } = geometry;
  if (kind === 'point') {
    const points = pairs(coords, 0, coords.length / 2);
    return points.length === 1
      ? { type: 'Point', coordinates: points[0] }
      : { type: 'MultiPoint', coordinates: points };
  }
  const lines = [...geometry.lineEnds].map((end, i) =>
    pairs(coords, i === 0 ? 0 : geometry.lineEnds[i - 1]!, end),
  );
  return { type: 'MultiLineString', coordinates: lines };
}

/** GeoParquet's definition of EPSG:7844 (GDA2020, degrees). Coordinates are longitude, latitude, as the format requires for every CRS. */
export const GDA2020 = {
  $schema: 'https://proj.org/schemas/v0.7/projjson.schema.json',
  type: 'GeographicCRS',
  name: 'GDA2020',
  datum: {
    type: 'GeodeticReferenceFrame',
    name: 'Geocentric Datum of Australia 2020',
    ellipsoid: { name: 'GRS 1980', semi_major_axis: 6378137, inverse_flattening: 298.257222101 },
  },
  coordinate_system: {
    subtype: 'ellipsoidal',
    axis: [
      { name: 'Geodetic latitude', abbreviation: 'Lat', direction: 'north', unit: 'degree' },
      { name: 'Geodetic longitude', abbreviation: 'Lon', direction: 'east', unit: 'degree' },
    ],
  },
  id: { authority: 'EPSG', code: 7844 },
};
