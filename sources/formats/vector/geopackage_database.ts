import { mkdtemp, open, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Database, Statement } from 'node-sqlite3-wasm';
import { EtlError } from '../../../schema/errors.ts';
import { localFile } from '../archive/local_copy.ts';
import { listZip } from '../archive/zip.ts';
import type { FeaturePlace } from '../feature.ts';

type SqlValue = number | bigint | string | Uint8Array | null;
/** Values of a row by their names in the query. */
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** First bytes of a rollback journal with changes to undo. */
const HOT_JOURNAL = Buffer.from('d9d505f920a163d7', 'hex');
const UTF8 = 1;

/** Builds the EtlError `bad_geopackage`. */
export const badGeoPackage = (file: string, what: string, cause?: unknown): EtlError =>
  new EtlError('bad_geopackage', `${file}: ${what}. Deliver the file again.`, { details: { file }, cause });

/** Runs a step of SQLite; converts what it throws to an EtlError `bad_geopackage`. */
export function guard<T>(file: string, step: () => T): T {
  try {
    return step();
  } catch (cause) {
    if (cause instanceof EtlError) throw cause;
    throw badGeoPackage(file, `SQLite cannot read it (${(cause as Error)?.message ?? String(cause)})`, cause);
  }
}

/** Reads the first bytes of a file, fewer if it is shorter; null: the file does not exist. */
async function startOf(path: string, bytes: number): Promise<Buffer | null> {
  const handle = await open(path, 'r').catch(() => null);
  if (handle === null) return null;
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Refuses a file that is not SQLite, and one whose last changes are in a journal next to it. */
async function checkFile(path: string, file: string): Promise<void> {
  const header = await startOf(path, 100);
  if (header?.toString('latin1', 0, 15) !== 'SQLite format 3')
    throw badGeoPackage(file, 'it is not a SQLite file');
  if (header.length < 100)
    throw badGeoPackage(file, `it ends after ${header.length} bytes, inside its header`);
  const encoding = header.readUInt32BE(56);
  if (encoding > UTF8) throw badGeoPackage(file, 'its texts are UTF-16, a GeoPackage has UTF-8');
  const log = await startOf(`${path}-wal`, 1);
  const journal = await startOf(`${path}-journal`, HOT_JOURNAL.length);
  if ((log?.length ?? 0) > 0 || journal?.equals(HOT_JOURNAL))
    throw unmergedChanges(file, log?.length ? '-wal' : '-journal');
}

/** Refuses a zip member whose last changes are in a log next to it. */
async function checkZip({ path, member, file }: FeaturePlace): Promise<void> {
  if (member === null) return;
  const [log] = await listZip(path, (name) => name === `${member}-wal`, { file: basename(path) });
  if ((log?.bytes ?? 0) > 0) throw unmergedChanges(file, '-wal');
}

const unmergedChanges = (file: string, name: string): EtlError =>
  badGeoPackage(
    file,
    `its last changes lie in the file ${name} beside it: open it in the program that wrote it and close that`,
  );

export interface OpenGeoPackage {
  readonly db: Database;
  /** Safe to call twice. */
  close(): Promise<void>;
}

/**
 * Opens a GeoPackage of any size in place, or the member of a zip from a temporary folder; SQLite holds 2 MB of its pages. It is opened
 * through a link in that folder, where SQLite also puts its lock: the file's own folder may be read-only.
 */
export async function openGeoPackageDatabase(location: FeaturePlace): Promise<OpenGeoPackage> {
  await checkZip(location);
  const local = await localFile(location);
  let folder: string | null = null;
  let db: Database | null = null;
  const close = async (): Promise<void> => {
    const [held, left] = [db, folder];
    db = null;
    folder = null;
    held?.close();
    if (left !== null) await rm(left, { recursive: true, force: true });
    await local.remove();
  };
  try {
    await checkFile(local.path, location.file);
    folder = await mkdtemp(join(tmpdir(), `release-${process.pid}-`));
    const link = join(folder, 'layer.gpkg');
    await symlink(local.path, link);
    // large, and few runs read a GeoPackage
    const { default: sqlite } = await import('node-sqlite3-wasm');
    const opened = guard(location.file, () => new sqlite.Database(link, { readOnly: true }));
    db = opened;
    // One lock for all, which also allows reading a file in WAL mode. Objects defined in the file (triggers, views, generated columns) may
    // call no function with side effects.
    guard(location.file, () => opened.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA trusted_schema = OFF'));
    return { db: opened, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Streams the rows of a query; leaving the loop early ends the query. */
export function* rowsOf(db: Database, sql: string, values: SqlValue[] = []): Generator<SqlRow> {
  const statement = db.prepare(sql);
  try {
    yield* statement.iterate(values) as IterableIterator<SqlRow>;
  } finally {
    finalize(statement);
  }
}

/** Ends a query; an error here repeats the error of the query, so it is ignored. */
function finalize(statement: Statement): void {
  try {
    statement.finalize();
  } catch {}
}
