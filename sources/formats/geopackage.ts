import { open } from 'node:fs/promises';
import initSqlJs, { type Database, type SqlValue } from 'sql.js';
import { EtlError } from '../../schema/errors.ts';
import { longValue } from './attribute_value.ts';
import type { Family, FeatureField, FeaturePlace, FormatFile } from './feature.ts';
import { geometryOfBlob } from './geopackage_blob.ts';
import { localFile } from './local_copy.ts';
import { damagedFeature, type PlainFeature, PlainFeatures } from './plain_features.ts';

/** Largest GeoPackage that is read: the whole file is in memory, twice while it is opened. */
export const MAX_GEOPACKAGE_BYTES = 512 * 2 ** 20;
const BATCH_FEATURES = 512;
const BATCH_BYTES = 8 << 20;

const bad = (file: string, what: string, cause?: unknown): EtlError =>
  new EtlError('bad_geopackage', `${file}: ${what}. Deliver the file again.`, { details: { file }, cause });

function refuseLarge(file: string, bytes: number): void {
  if (bytes <= MAX_GEOPACKAGE_BYTES) return;
  const name = file.replace(/^.* › (?=.*\.gpkg)/, '').replace(/\.gpkg.*$/i, '');
  throw new EtlError(
    'file_too_large',
    `${file}: a GeoPackage of ${bytes} bytes; those up to ${MAX_GEOPACKAGE_BYTES} are read. Convert it with: ogr2ogr -f FlatGeobuf "${name}" "${name}.gpkg" (a folder with one .fgb for each layer).`,
    { details: { file, bytes } },
  );
}

/** An open GeoPackage. */
interface Opened {
  readonly db: Database;
  close(): Promise<void>;
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Runs a step of SQLite; what it throws is an EtlError `bad_geopackage`. */
function guard<T>(file: string, step: () => T): T {
  try {
    return step();
  } catch (cause) {
    if (cause instanceof EtlError) throw cause;
    throw bad(file, `SQLite cannot read it (${(cause as Error)?.message ?? String(cause)})`, cause);
  }
}

async function openDatabase(place: FeaturePlace): Promise<Opened> {
  const local = await localFile(place, (bytes) => refuseLarge(place.file, bytes));
  let bytes: Buffer;
  try {
    const handle = await open(local.path, 'r');
    try {
      bytes = await handle.readFile();
    } finally {
      await handle.close();
    }
  } finally {
    await local.remove();
  }
  if (bytes.toString('latin1', 0, 15) !== 'SQLite format 3') throw bad(place.file, 'it is no SQLite file');
  const sqlite = await initSqlJs();
  const db = guard(place.file, () => new sqlite.Database(bytes));
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (isOpen) db.close();
    isOpen = false;
  };
  try {
    // what the file defines itself (triggers, views, generated columns) may call no function with an effect
    guard(place.file, () => db.exec('PRAGMA trusted_schema = OFF'));
  } catch (error) {
    await close();
    throw error;
  }
  return { db, close };
}

function* rowsOf(db: Database, sql: string, values: SqlValue[] = []): Generator<SqlValue[]> {
  const statement = db.prepare(sql, values);
  try {
    while (statement.step()) yield statement.get();
  } finally {
    statement.free();
  }
}

/** Names of the feature tables, in code-unit order. EtlError `bad_geopackage`, `file_too_large` (with the command to convert it). */
export async function listGeoPackageLayers(place: FeaturePlace): Promise<string[]> {
  const { db, close } = await openDatabase(place);
  try {
    const rows = guard(place.file, () => [
      ...rowsOf(
        db,
        "SELECT c.table_name FROM gpkg_contents c JOIN sqlite_master m ON m.name = c.table_name AND m.type = 'table' WHERE c.data_type = 'features'",
      ),
    ]);
    const names = rows.map(([name]) => String(name)).sort();
    if (names.length === 0) throw bad(place.file, 'it has no table of features');
    return names;
  } finally {
    await close();
  }
}

interface Layer {
  readonly table: string;
  readonly geometry: string;
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

function readLayer(db: Database, place: FeaturePlace): Layer {
  const table = place.layer ?? '';
  const [described] = rowsOf(
    db,
    `SELECT g.column_name, g.geometry_type_name, s.organization, s.organization_coordsys_id, s.definition,
       (SELECT max(last_change) FROM gpkg_contents WHERE table_name = g.table_name)
     FROM gpkg_geometry_columns g LEFT JOIN gpkg_spatial_ref_sys s ON s.srs_id = g.srs_id WHERE g.table_name = ?`,
    [table],
  );
  if (described === undefined) throw bad(place.file, `no geometry column is declared for the table ${table}`);
  const [geometry, type, organization, number, definition, changed] = described;
  const columns = [...rowsOf(db, `PRAGMA table_info(${quoted(table)})`)];
  const family = FAMILIES[String(type).toUpperCase()];
  return {
    table,
    geometry: String(geometry),
    fields: columns
      .filter(([, name]) => String(name).toLowerCase() !== String(geometry).toLowerCase())
      .map(([, name, declared], key) => ({
        name: String(name),
        numeric: /INT|REAL|DOUBLE|FLOAT|NUMERIC|DECIMAL/i.test(String(declared)),
        key,
      })),
    families: new Set(family === undefined ? [] : [family]),
    crs: crsOf(organization, number, definition),
    changed: /^\d{4}-\d\d-\d\d/.exec(String(changed))?.[0] ?? null,
  };
}

/** Numbers 0 and -1 stand for coordinates of no known system. */
function crsOf(organization: unknown, number: unknown, definition: unknown): string | null {
  if (typeof number === 'number' && number > 0 && /^(EPSG|ESRI)$/i.test(String(organization)))
    return `${organization}:${number}`.toUpperCase();
  const text = typeof definition === 'string' ? definition.trim() : '';
  return text === '' || text === 'undefined' ? null : text;
}

function* featuresOf(db: Database, layer: Layer, wanted: readonly FeatureField[]): Generator<PlainFeature> {
  const columns = [layer.geometry, ...wanted.map((field) => field.name)].map(quoted).join(', ');
  for (const [blob, ...cells] of rowsOf(db, `SELECT ${columns} FROM ${quoted(layer.table)} ORDER BY rowid`)) {
    const values: Record<number, unknown> = {};
    let problem = null;
    for (const [i, field] of wanted.entries()) {
      values[field.key as number] = cells[i];
      problem ??= longValue(field.name, cells[i]);
    }
    yield problem === null
      ? { problem, values, geometry: geometryOfBlob(blob) }
      : damagedFeature(problem.code, problem.message);
  }
}

const sizeOf = ({ geometry }: PlainFeature): number =>
  64 + (geometry !== null && 'coords' in geometry ? geometry.coords.byteLength : 0);

/**
 * Opens one table of a GeoPackage (`place.layer`), plain or in a zip, up to MAX_GEOPACKAGE_BYTES. Features come in the order
 * of their row numbers. Views and generated columns are not read. EtlErrors: `bad_geopackage`, `file_too_large`.
 */
export async function openGeoPackage(place: FeaturePlace, signal?: AbortSignal): Promise<FormatFile> {
  signal?.throwIfAborted();
  const { db, close } = await openDatabase(place);
  let layer: Layer;
  try {
    layer = guard(place.file, () => readLayer(db, place));
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
      try {
        const rows = featuresOf(db, layer, wanted);
        for (let first = 1; ; ) {
          signal?.throwIfAborted();
          const batch = guard(place.file, () => takeBatch(rows));
          if (batch.length === 0) return;
          yield new PlainFeatures(first, batch, toGda2020);
          first += batch.length;
        }
      } finally {
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
