import type { Database } from 'node-sqlite3-wasm';
import type { EtlError } from '../../../schema/errors.ts';
import type { Family, FeatureField, FeaturePlace, FormatFile } from '../feature.ts';
import { longValue, MAX_TEXT } from './attribute_value.ts';
import { geometryOfBlob } from './geopackage_blob.ts';
import { badGeoPackage, guard, openGeoPackageDatabase, rowsOf, type SqlRow } from './geopackage_database.ts';
import { damagedFeature, type PlainFeature, PlainFeatures } from './plain_features.ts';

const BATCH_FEATURES = 512;
const BATCH_BYTES = 8 << 20;
/** Maximum bytes of an attribute that is read: no text within the limit has more. */
const MAX_VALUE_BYTES = 4 * MAX_TEXT;
/** Maximum bytes of a geometry: five million vertices with height and measure. */
const MAX_GEOMETRY_BYTES = 192 << 20;
const MAX_LAYERS = 10_000;
const MAX_COLUMNS = 2000;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Builds the error for a view: its query could take any time and memory. */
const isView = (file: string, view: string): EtlError =>
  badGeoPackage(
    file,
    `${view} is a view, and views are not read. Save its features as a table (QGIS: Export, Save Features As, GeoPackage)`,
  );

/** SQL names of the row number; a column of the table with such a name hides it. */
const ROW_NUMBERS = ['rowid', '_rowid_', 'oid'];

/** Lists the names of the feature tables, in code-unit order. EtlError `bad_geopackage`. */
export async function listGeoPackageLayers(location: FeaturePlace): Promise<string[]> {
  const { db, close } = await openGeoPackageDatabase(location);
  try {
    const rows = guard(location.file, () => [
      ...rowsOf(
        db,
        `SELECT c.table_name AS name, m.type FROM gpkg_contents c
         JOIN sqlite_master m ON m.name = c.table_name COLLATE NOCASE AND m.type IN ('table', 'view')
         WHERE c.data_type = 'features' LIMIT ${MAX_LAYERS}`,
      ),
    ]);
    const columnsNamed = (type: string): string[] =>
      rows.flatMap((row) => (row.type === type ? String(row.name) : [])).sort();
    const names = columnsNamed('table');
    const [view] = columnsNamed('view');
    if (names.length === 0)
      throw view === undefined
        ? badGeoPackage(location.file, 'it has no table of features')
        : isView(location.file, view);
    return names;
  } finally {
    await close();
  }
}

interface GeoPackageLayer {
  readonly table: string;
  readonly geometry: string;
  /** Name of the row number in SQL. */
  readonly rowNumber: string;
  readonly fields: readonly FeatureField[];
  readonly families: ReadonlySet<Family>;
  readonly crs: string | null;
  readonly changed: string | null;
}

const FAMILIES: Readonly<Record<string, Family>> = {
  POINT: 'point',
  MULTIPOINT: 'point',
  LINESTRING: 'line',
  MULTILINESTRING: 'line',
  POLYGON: 'polygon',
  MULTIPOLYGON: 'polygon',
};

function readLayer(db: Database, location: FeaturePlace): GeoPackageLayer {
  const table = location.layer ?? '';
  const [described] = rowsOf(
    db,
    `SELECT g.column_name AS geometry, g.geometry_type_name AS type, s.organization, s.organization_coordsys_id AS number, s.definition,
       (SELECT max(last_change) FROM gpkg_contents WHERE table_name = g.table_name COLLATE NOCASE) AS changed
     FROM gpkg_geometry_columns g LEFT JOIN gpkg_spatial_ref_sys s ON s.srs_id = g.srs_id WHERE g.table_name = ? COLLATE NOCASE LIMIT 1`,
    [table],
  );
  if (described === undefined)
    throw badGeoPackage(location.file, `no geometry column is declared for the table ${table}`);
  const [view] = rowsOf(
    db,
    `SELECT name FROM sqlite_master WHERE type = 'view' AND name = ? COLLATE NOCASE`,
    [table],
  );
  if (view !== undefined) throw isView(location.file, table);
  const geometry = String(described.geometry);
  const columns = [
    ...rowsOf(db, `SELECT name, type FROM pragma_table_info(?) LIMIT ${MAX_COLUMNS}`, [table]),
  ];
  const names = new Set(columns.map(({ name }) => String(name).toLowerCase()));
  const rowNumber = ROW_NUMBERS.find((name) => !names.has(name));
  if (rowNumber === undefined)
    throw badGeoPackage(location.file, `${table} has columns named ${ROW_NUMBERS.join(', ')}: rename one`);
  const family = FAMILIES[String(described.type).toUpperCase()];
  return {
    table,
    geometry,
    rowNumber,
    fields: columns
      .filter(({ name }) => String(name).toLowerCase() !== geometry.toLowerCase())
      .map(({ name, type }, key) => ({
        name: String(name),
        numeric: /INT|REAL|DOUBLE|FLOAT|NUMERIC|DECIMAL/i.test(String(type)),
        key,
      })),
    families: new Set(family === undefined ? [] : [family]),
    crs: crsOf(described),
    changed: /^\d{4}-\d\d-\d\d/.exec(String(described.changed))?.[0] ?? null,
  };
}

/** Returns the CRS of a layer. Numbers 0 and -1 mean coordinates without a known system. */
function crsOf({ organization, number, definition }: SqlRow): string | null {
  if (typeof number === 'number' && number > 0 && /^(EPSG|ESRI)$/i.test(String(organization)))
    return `${organization}:${number}`.toUpperCase();
  const text = typeof definition === 'string' ? definition.trim() : '';
  return text === '' || text === 'undefined' ? null : text;
}

/** Builds the SELECT list of a row. Values above the size limit are not read; SQLite knows sizes without reading the values. */
function columnsOf({ geometry, rowNumber }: GeoPackageLayer, fields: readonly FeatureField[]): string {
  const columns = [
    { name: quoted(geometry), most: MAX_GEOMETRY_BYTES, as: 'geom' },
    ...fields.map(({ name }, i) => ({ name: quoted(name), most: MAX_VALUE_BYTES, as: `c${i}` })),
  ];
  const isTooLong = ({ name, most }: { name: string; most: number }) => `octet_length(${name}) > ${most}`;
  return [
    `${rowNumber} AS row_number`,
    // the first column that is too long, by its position
    `CASE ${columns.map((each, i) => `WHEN ${isTooLong(each)} THEN ${i}`).join(' ')} END AS too_long`,
    ...columns.map((each) => `CASE WHEN ${isTooLong(each)} THEN NULL ELSE ${each.name} END AS ${each.as}`),
  ].join(', ');
}

function featureOf(row: SqlRow, fields: readonly FeatureField[]): PlainFeature {
  if (row.too_long === 0)
    return damagedFeature('feature_too_large', `its geometry has more than ${MAX_GEOMETRY_BYTES} bytes`);
  if (row.too_long !== null) {
    const { name } = fields[Number(row.too_long) - 1]!;
    return damagedFeature(
      'long_value',
      `${name} is longer than ${MAX_VALUE_BYTES} bytes`,
      geometryOfBlob(row.geom),
    );
  }
  const values: Record<number, unknown> = {};
  for (const [i, { name, key }] of fields.entries()) {
    const value = row[`c${i}`];
    const problem = longValue(name, value);
    if (problem !== null) return damagedFeature(problem.code, problem.message, geometryOfBlob(row.geom));
    values[key as number] = value;
  }
  return { problem: null, values, geometry: geometryOfBlob(row.geom) };
}

/** Reads features in order of their row numbers. A number that does not increase shows damaged pages, such as a cycle. */
function* featuresOf(
  db: Database,
  layer: GeoPackageLayer,
  fields: readonly FeatureField[],
  file: string,
): Generator<PlainFeature> {
  const sql = `SELECT ${columnsOf(layer, fields)} FROM ${quoted(layer.table)} ORDER BY ${layer.rowNumber}`;
  let last: number | bigint | null = null;
  for (const row of rowsOf(db, sql)) {
    const number = row.row_number as number | bigint;
    if (last !== null && number <= last)
      throw badGeoPackage(
        file,
        `row ${number} of ${layer.table} comes after row ${last}: its pages are damaged`,
      );
    last = number;
    yield featureOf(row, fields);
  }
}

const sizeOf = ({ geometry }: PlainFeature): number =>
  64 + (geometry !== null && 'coords' in geometry ? geometry.coords.byteLength : 0);

/**
 * Opens one table of a GeoPackage (`place.layer`) of any size, plain or in a zip. Features come in order of their row numbers. Views and
 * generated columns are not read. Problems of a feature: `long_value`, `feature_too_large` and the problems of its geometry. EtlErrors:
 * `bad_geopackage` and the errors of localFile.
 */
export async function openGeoPackage(location: FeaturePlace, signal?: AbortSignal): Promise<FormatFile> {
  signal?.throwIfAborted();
  const { db, close } = await openGeoPackageDatabase(location);
  let layer: GeoPackageLayer;
  try {
    layer = guard(location.file, () => readLayer(db, location));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    fields: layer.fields,
    families: layer.families,
    crs: layer.crs,
    changed: layer.changed,
    siblings: [],
    notes: () => [],
    close,
    async *features(toGda2020, wanted) {
      const rows = featuresOf(db, layer, wanted, location.file);
      try {
        for (let first = 1; ; ) {
          signal?.throwIfAborted();
          const batch = guard(location.file, () => takeBatch(rows));
          if (batch.length === 0) return;
          yield new PlainFeatures(first, batch, toGda2020);
          first += batch.length;
        }
      } finally {
        rows.return(undefined);
        await close();
      }
    },
  };
}

function takeBatch(rows: Generator<PlainFeature>): PlainFeature[] {
  const batch: PlainFeature[] = [];
  for (let bytes = 0; batch.length < BATCH_FEATURES && bytes < BATCH_BYTES; ) {
    const { done, value } = rows.next();
    if (done) break;
    batch.push(value);
    bytes += sizeOf(value);
  }
  return batch;
}
