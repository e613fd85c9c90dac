import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serialize } from 'flatgeobuf/lib/mjs/geojson.js';
import type { Feature, FeatureCollection, Geometry, Position } from 'geojson';
import { type BasicType, parquetWriteBuffer } from 'hyparquet-writer';
import sqlite from 'node-sqlite3-wasm';
import { encodeLineWkb, encodePointWkb, encodeWkb } from '../../transforms/geo/wkb.ts';

/** Features in the GeoJSON model, written to the bytes of every format. */
export type Model = readonly Feature<Geometry | null>[];

export const collection = (features: Model, crs?: string): string =>
  JSON.stringify({
    type: 'FeatureCollection',
    ...(crs === undefined ? {} : { crs: { type: 'name', properties: { name: crs } } }),
    features,
  });

export const lines = (features: Model): string =>
  features.map((each) => `${JSON.stringify(each)}\n`).join('');

const flat = (rings: readonly (readonly Position[])[]) => {
  const ends: number[] = [];
  for (const ring of rings) ends.push((ends.at(-1) ?? 0) + ring.length);
  return { coords: Float64Array.from(rings.flatMap((ring) => ring.flatMap(([x, y]) => [x!, y!]))), ends };
};

/** WKB of a geometry, always of its multi form. */
export function wkbOf(geometry: Geometry): Uint8Array {
  switch (geometry.type) {
    case 'Polygon':
    case 'MultiPolygon': {
      const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates;
      const { coords, ends } = flat(polygons.flat());
      const polygonEnds: number[] = [];
      for (const polygon of polygons) polygonEnds.push((polygonEnds.at(-1) ?? 0) + polygon.length);
      return encodeWkb({ coords, ringEnds: ends, polygonEnds });
    }
    case 'LineString':
    case 'MultiLineString': {
      const { coords, ends } = flat(
        geometry.type === 'LineString' ? [geometry.coordinates] : geometry.coordinates,
      );
      return encodeLineWkb({ coords, lineEnds: ends });
    }
    case 'Point':
    case 'MultiPoint': {
      const points = geometry.type === 'Point' ? [geometry.coordinates] : geometry.coordinates;
      return encodePointWkb({ coords: flat([points]).coords });
    }
    default:
      throw new Error(geometry.type);
  }
}

/** A GeoPackage geometry blob with an envelope of the given code. */
export function gpkgBlob(geometry: Geometry | null, envelope = 1): Uint8Array | null {
  if (geometry === null) return null;
  const header = Buffer.alloc(8 + [0, 32, 48, 48, 64][envelope]!);
  header.write('GP');
  header[3] = 1 | (envelope << 1);
  header.writeInt32LE(7844, 4);
  return Buffer.concat([header, wkbOf(geometry)]);
}

const namesOf = (features: Model): string[] => [
  ...new Set(features.flatMap((each) => Object.keys(each.properties ?? {}))),
];

export interface GeoPackageSpec {
  table?: string;
  srs?: number;
  organization?: string;
  definition?: string;
  type?: string;
  /** SQL that runs last. */
  also?: string;
}

export async function geoPackage(features: Model, spec: GeoPackageSpec = {}): Promise<Buffer> {
  const { table = 'layer', srs = 7844, organization = 'EPSG', definition = 'undefined' } = spec;
  const folder = await mkdtemp(join(tmpdir(), 'geopackage-'));
  const path = join(folder, 'a.gpkg');
  const db = new sqlite.Database(path);
  db.exec('PRAGMA synchronous = OFF; BEGIN');
  const names = namesOf(features);
  const typeOf = (name: string) =>
    features.some((each) => typeof each.properties?.[name] === 'number') ? 'REAL' : 'TEXT';
  db.exec(`CREATE TABLE gpkg_spatial_ref_sys (srs_name, srs_id INTEGER PRIMARY KEY, organization, organization_coordsys_id, definition, description);
    CREATE TABLE gpkg_contents (table_name, data_type, identifier, description, last_change, min_x, min_y, max_x, max_y, srs_id);
    CREATE TABLE gpkg_geometry_columns (table_name, column_name, geometry_type_name, srs_id, z, m);
    CREATE TABLE "${table}" (fid INTEGER PRIMARY KEY, geom BLOB${names.map((name) => `, "${name.replaceAll('"', '""')}" ${typeOf(name)}`).join('')});`);
  db.run('INSERT INTO gpkg_spatial_ref_sys VALUES (?, ?, ?, ?, ?, ?)', [
    '',
    srs,
    organization,
    srs,
    definition,
    '',
  ]);
  db.run(
    `INSERT INTO gpkg_contents (table_name, data_type, last_change, srs_id) VALUES (?, 'features', '2024-05-17T00:00:00Z', ?)`,
    [table, srs],
  );
  db.run('INSERT INTO gpkg_geometry_columns VALUES (?, ?, ?, ?, 0, 0)', [
    table,
    'geom',
    spec.type ?? 'GEOMETRY',
    srs,
  ]);
  const insert = db.prepare(
    `INSERT INTO "${table}" VALUES (${['?', '?', ...names.map(() => '?')].join(', ')})`,
  );
  for (const [i, { geometry, properties }] of features.entries()) {
    insert.run([i + 1, gpkgBlob(geometry), ...names.map((name) => properties?.[name] ?? null)]);
  }
  insert.finalize();
  if (spec.also !== undefined) db.exec(spec.also);
  db.exec('COMMIT');
  db.close();
  const bytes = await readFile(path);
  await rm(folder, { recursive: true });
  return bytes;
}

/** Every feature needs a geometry and the same properties. */
export const flatGeobuf = (features: Model, crs = 7844): Buffer =>
  Buffer.from(serialize({ type: 'FeatureCollection', features } as FeatureCollection, crs));

export function geoParquet(
  features: Model,
  spec: { geo?: unknown; rowGroupSize?: number; crs?: unknown; types?: string[] } = {},
): Buffer {
  const columns = namesOf(features).map((name) => {
    const data = features.map((each) => each.properties?.[name] ?? null);
    const type: BasicType = data.some((value) => typeof value === 'number') ? 'DOUBLE' : 'STRING';
    return { name, data, type, nullable: true };
  });
  const geometry = {
    name: 'geometry',
    data: features.map((each) => (each.geometry === null ? null : wkbOf(each.geometry))),
    type: 'BYTE_ARRAY' as const,
    nullable: true,
  };
  const crs = spec.crs ?? { type: 'GeographicCRS', name: 'GDA2020', id: { authority: 'EPSG', code: 7844 } };
  const stated = {
    version: '1.1.0',
    primary_column: 'geometry',
    columns: { geometry: { encoding: 'WKB', geometry_types: spec.types ?? [], crs } },
  };
  const geo = spec.geo === undefined ? stated : spec.geo;
  return Buffer.from(
    parquetWriteBuffer({
      columnData: [...columns, geometry],
      rowGroupSize: spec.rowGroupSize ?? 1000,
      codec: 'UNCOMPRESSED',
      statistics: false,
      ...(geo === null ? {} : { kvMetadata: [{ key: 'geo', value: JSON.stringify(geo) }] }),
    }),
  );
}

/** A square polygon with its south-west corner at x, y. */
export const squareAt = (x: number, y: number, size = 0.01): Geometry => ({
  type: 'Polygon',
  coordinates: [
    [
      [x, y],
      [x + size, y],
      [x + size, y + size],
      [x, y + size],
      [x, y],
    ],
  ],
});

export const feature = (
  properties: Record<string, unknown> | null,
  geometry: Geometry | null = squareAt(145, -37.8),
): Feature<Geometry | null> => ({ type: 'Feature', properties, geometry });
