import { EtlError } from '../../../schema/errors.ts';
import { wktOfProjJson } from '../../../transforms/geo/projjson.ts';
import type { Family, FeatureField, FeaturePlace, FormatFile } from '../feature.ts';
import { openParquet } from '../table/parquet.ts';
import type { ParquetRow } from '../table/parquet_group.ts';
import { longValue } from './attribute_value.ts';
import { geometryOfWkb } from './geopackage_blob.ts';
import { damagedFeature, type PlainFeature, PlainFeatures } from './plain_features.ts';

const BATCH_FEATURES = 512;

const bad = (file: string, what: string): EtlError =>
  new EtlError(
    'bad_parquet',
    `${file}: ${what}. Deliver it as GeoParquet with geometries in WKB, for example by: ogr2ogr -f Parquet out.parquet <file>`,
    { details: { file } },
  );

const FAMILIES: Readonly<Record<string, Family>> = {
  Point: 'point',
  MultiPoint: 'point',
  LineString: 'line',
  MultiLineString: 'line',
  Polygon: 'polygon',
  MultiPolygon: 'polygon',
};

/** Metadata of the geometry column that is read. */
interface GeoColumn {
  readonly name: string;
  readonly families: Set<Family>;
  readonly crs: string | null;
}

interface GeoMetadata {
  primary_column?: unknown;
  columns?: Record<string, { encoding?: unknown; geometry_types?: unknown; crs?: unknown }>;
}

function geoColumn(text: string | null, file: string): GeoColumn {
  let geo: GeoMetadata;
  try {
    geo = JSON.parse(text ?? 'null') ?? {};
  } catch {
    throw bad(file, 'its geo metadata is no JSON');
  }
  const name = typeof geo.primary_column === 'string' ? geo.primary_column : 'geometry';
  const column = Object.hasOwn(geo.columns ?? {}, name) ? geo.columns![name]! : null;
  if (column === null)
    throw bad(file, 'it has no geo metadata, so nothing says which column is the geometry');
  if (column.encoding !== 'WKB') throw bad(file, `its geometry is encoded as ${String(column.encoding)}`);
  const types = Array.isArray(column.geometry_types) ? column.geometry_types : [];
  const families = types.map((type) => FAMILIES[String(type).replace(/ ZM?$/, '')]);
  return {
    name,
    families: new Set(families.includes(undefined) ? [] : families.filter((each) => each !== undefined)),
    crs: crsOf(column.crs),
  };
}

/** Returns the CRS of a PROJJSON by its identifier, else as well-known text; WGS84 if it is absent; null: unknown. */
function crsOf(crs: unknown): string | null {
  if (crs === undefined) return 'OGC:CRS84';
  const { id } = (crs ?? {}) as { id?: { authority?: unknown; code?: unknown } };
  return id === undefined ? wktOfProjJson(crs) : `${id.authority}:${id.code}`;
}

function featureOf(row: ParquetRow, fields: readonly FeatureField[], geometry: string): PlainFeature {
  const bytes = row[geometry] ?? null;
  if (bytes !== null && !(bytes instanceof Uint8Array))
    return damagedFeature('bad_feature', 'its geometry is no WKB');
  const shape = bytes === null ? null : geometryOfWkb(bytes);
  const values: Record<string, unknown> = {};
  for (const { name } of fields) {
    const problem = longValue(name, row[name]);
    if (problem !== null) return damagedFeature(problem.code, problem.message, shape);
    values[name] = row[name];
  }
  return { problem: null, values, geometry: shape };
}

/**
 * Opens a GeoParquet file as a layer of features, plain or in a zip; only the wanted columns are read. Records inside a row become JSON
 * text. EtlErrors as openParquet; a file without geo metadata, or with another encoding than WKB, is `bad_parquet`.
 */
export async function openGeoParquet(location: FeaturePlace, signal?: AbortSignal): Promise<FormatFile> {
  signal?.throwIfAborted();
  const parquet = await openParquet(location);
  let geo: GeoColumn;
  try {
    geo = geoColumn(parquet.metadata('geo'), location.file);
    if (!parquet.columns.some(({ name }) => name === geo.name))
      throw bad(location.file, `it has no column ${geo.name}, which its geo metadata names`);
  } catch (error) {
    await parquet.close();
    throw error;
  }
  return {
    fields: parquet.columns
      .filter(({ name }) => name !== geo.name)
      .map(({ name, numeric }) => ({ name, numeric, key: name })),
    families: geo.families,
    crs: geo.crs,
    changed: null,
    siblings: [],
    notes: () => [],
    close: () => parquet.close(),
    async *features(toGda2020, wanted) {
      let first = 1;
      const columns = [geo.name, ...wanted.map(({ name }) => name)];
      for await (const rows of parquet.rows(columns, signal)) {
        for (let at = 0; at < rows.length; at += BATCH_FEATURES) {
          const batch = rows.slice(at, at + BATCH_FEATURES).map((row) => featureOf(row, wanted, geo.name));
          yield new PlainFeatures(first, batch, toGda2020);
          first += batch.length;
        }
      }
    },
  };
}
