import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { EtlError } from '../../../schema/errors.ts';
import { bytesOf, listZip, missingFile, unpack, type ZipMember } from '../archive/zip.ts';
import { decoderOf, encodingOfCpg } from '../table/encoding.ts';
import type { DbfField, DbfFile, DbfHeader, DbfRows } from './dbf.ts';
import { openDbfFile, parseDbfHeader } from './dbf.ts';
import type { ShpHeader } from './shp.ts';
import { parseShpHeader, ShpFile } from './shp.ts';
import type { ShapeGeometry, ShpRun } from './shp_run.ts';

/** A run of features with their attributes. Row numbers count from 0 inside the batch. */
export interface FeatureBatch {
  /** Feature number of row 0 in the file, from 1. */
  readonly first: number;
  readonly count: number;
  /** Coordinates of the whole batch in the CRS of the file; geometry(row) is a view into it. */
  readonly coords: Float64Array;
  readonly rows: DbfRows;
  /** Returns the geometry; null for a null shape, or if `problem` is not null. */
  geometry(row: number): ShapeGeometry | null;
  /** Returns what is wrong with the bytes of the shape (code `bad_shape`); null: nothing. */
  problem(row: number): string | null;
}

export interface ShapefileHeader {
  readonly shp: ShpHeader;
  readonly dbf: DbfHeader;
  /** Text of the .prj; null: there is none. */
  readonly prj: string | null;
  readonly encoding: 'utf-8' | 'windows-1252';
  /** Absolute paths of the files that are read; empty for a zip. */
  readonly paths: readonly string[];
}

/** An open shapefile; a caller that does not read `features` to the end must close it. */
export interface ShapefileReader {
  readonly header: ShapefileHeader;
  readonly shapeType: number;
  /** Number of records in the .dbf, including deleted ones. */
  readonly count: number;
  readonly fields: readonly DbfField[];
  readonly prj: string | null;
  readonly encoding: 'utf-8' | 'windows-1252';
  /** Reads all features in order, once; closes the reader at the end, on an error, and when the caller stops early. */
  features(): AsyncIterable<FeatureBatch>;
  /** Closes the files and removes what was unpacked. Safe to call twice. */
  close(): Promise<void>;
}

export interface ShapefileOptions {
  /** Encoding that overrides the .cpg. */
  encoding?: string;
  /** Path of the .shp inside a zip; required if the zip has several. */
  member?: string;
  /** Name of the file in messages; default: the base name. */
  file?: string;
}

const BATCH_FEATURES = 2048;
/** Bytes of .dbf records in a batch: wide tables get smaller batches. */
const BATCH_DBF_BYTES = 4 << 20;
const PARTS = ['shp', 'dbf', 'prj', 'cpg', 'shx'] as const;
type Siblings = Partial<Record<(typeof PARTS)[number], string>>;

const isZip = (path: string): boolean => /\.zip$/i.test(path);

/** Finds the files that belong to a .shp in its folder: same base name, any case of the extension. */
function siblingsOf(shp: string, names: readonly string[]): Siblings {
  const stem = shp.slice(0, -4);
  const siblings: Siblings = {};
  for (const part of PARTS) {
    const exact = names.find((name) => name === `${stem}.${part}`);
    const other = exact ?? names.find((name) => name.toLowerCase() === `${stem}.${part}`.toLowerCase());
    if (other !== undefined) siblings[part] = other;
  }
  siblings.shp = shp;
  return siblings;
}

function needDbf(siblings: Siblings, file: string): string {
  if (siblings.dbf !== undefined) return siblings.dbf;
  throw new EtlError(
    'missing_dbf',
    `${file}: there is no .dbf beside the .shp, so its features have no attributes. Deliver the .dbf with it.`,
    { details: { file } },
  );
}

/** Finds the files of one shapefile in a zip: the only one, or the one of the requested member. */
async function partsInZip(
  path: string,
  file: string,
  requestedMember: string | undefined,
): Promise<Partial<Record<keyof Siblings, ZipMember>> & { shp: ZipMember; dbf: ZipMember }> {
  const members = new Map((await listZip(path, () => true, { file })).map((each) => [each.name, each]));
  const names = [...members.keys()];
  const shpNames = names.filter((name) => /\.shp$/i.test(name)).sort();
  const picked = requestedMember ?? (shpNames.length === 1 ? shpNames[0]! : '');
  if (!shpNames.includes(picked)) {
    const what =
      shpNames.length === 0
        ? `the zip holds no .shp (members: ${names.slice(0, 5).join(', ')})`
        : `say which member to read, one of ${shpNames.join(', ')}; asked for ${requestedMember ?? 'none'}`;
    throw new EtlError('no_shapefile', `${file}: ${what}.`, { details: { file, members: shpNames } });
  }
  const siblings = siblingsOf(picked, names);
  needDbf(siblings, file);
  return Object.fromEntries(
    Object.entries(siblings).map(([part, name]) => [part, members.get(name)!]),
  ) as Awaited<ReturnType<typeof partsInZip>>;
}

/** Reads the headers of a shapefile without unpacking it. EtlErrors as openShapefile. */
export async function readShapefileHeader(
  path: string,
  options: ShapefileOptions = {},
): Promise<ShapefileHeader> {
  if (!isZip(path)) {
    const reader = await openShapefile(path, options);
    await reader.close();
    return reader.header;
  }
  const file = options.file ?? basename(path);
  const { shp, dbf, prj, cpg } = await partsInZip(path, file, options.member);
  const start = (member: ZipMember, bytes = 1 << 16) => bytesOf(member, undefined, bytes);
  const text = async (member: ZipMember | undefined) =>
    member === undefined ? null : (await start(member)).toString('utf8');
  return {
    shp: parseShpHeader(await start(shp, 100), file),
    dbf: parseDbfHeader(await start(dbf), file),
    prj: await text(prj),
    encoding: encodingOfCpg(options.encoding ?? (await text(cpg)), file),
    paths: [],
  };
}

/**
 * Opens a shapefile for streaming: a .shp with its .dbf, .prj, .cpg and .shx in the same folder, or a zip that holds them. A zip is
 * unpacked to a temporary folder until the reader is closed. The .shx is not required. EtlError: `missing_dbf`, `bad_dbf`, `truncated_dbf`,
 * `bad_shape`, `truncated_shapefile`, `unknown_encoding` and the errors of the zip.
 */
export async function openShapefile(path: string, options: ShapefileOptions = {}): Promise<ShapefileReader> {
  const file = options.file ?? basename(path);
  if (!isZip(path)) return openFolder(path, file, options, async () => {});
  const parts = Object.entries(await partsInZip(path, file, options.member));
  const unpacked = await unpack(Object.fromEntries(parts.map(([part, member]) => [`layer.${part}`, member])));
  return openFolder(join(unpacked.folder, 'layer.shp'), file, options, unpacked.remove);
}

async function openFolder(
  path: string,
  file: string,
  options: ShapefileOptions,
  remove: () => Promise<void>,
) {
  const opened: { close(): Promise<void> }[] = [{ close: remove }];
  let closing: Promise<void> | null = null;
  const close = (): Promise<void> => {
    closing ??= (async () => {
      for (const each of opened.reverse()) await each.close();
    })();
    return closing;
  };
  try {
    const folder = dirname(path);
    const siblings = siblingsOf(basename(path), await readdir(folder));
    const text = async (name: string | undefined) =>
      name === undefined ? null : readFile(join(folder, name), 'utf8');
    const dbfPath = join(folder, needDbf(siblings, file));
    const encoding = encodingOfCpg(options.encoding ?? (await text(siblings.cpg)), file);
    const dbf = await openDbfFile(dbfPath, file, decoderOf(encoding));
    opened.push(dbf);
    const shp = await ShpFile.open(
      path,
      file,
      siblings.shx === undefined ? null : join(folder, siblings.shx),
      dbf.header.count,
    );
    opened.push(shp);
    const paths = Object.values(siblings).map((name) => join(folder, name));
    const header: ShapefileHeader = {
      shp: shp.header,
      dbf: dbf.header,
      prj: await text(siblings.prj),
      encoding,
      paths,
    };
    return readerOf(shp, dbf, header, file, close);
  } catch (error) {
    await close();
    throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? missingFile(path, error) : error;
  }
}

function readerOf(
  shp: ShpFile,
  dbf: DbfFile,
  header: ShapefileHeader,
  file: string,
  close: () => Promise<void>,
) {
  return {
    header,
    shapeType: shp.header.shapeType,
    count: dbf.header.count,
    fields: dbf.header.fields,
    prj: header.prj,
    encoding: header.encoding,
    close,
    async *features(): AsyncIterable<FeatureBatch> {
      try {
        yield* lockstep(shp, dbf, file);
      } finally {
        await close();
      }
    },
  };
}

async function* lockstep(shp: ShpFile, dbf: DbfFile, file: string): AsyncIterable<FeatureBatch> {
  const { count, recordBytes } = dbf.header;
  const limit = Math.max(1, Math.min(BATCH_FEATURES, Math.floor(BATCH_DBF_BYTES / recordBytes)));
  let bytesRead = 0;
  for (let run = await shp.next(limit); run !== null; run = await shp.next(limit)) {
    if (bytesRead + run.count > count) throw mismatch(file, count, `more than ${count}`);
    yield batchOf(bytesRead + 1, run, await dbf.rows(bytesRead, run.count));
    bytesRead += run.count;
  }
  if (bytesRead < count) throw mismatch(file, count, String(bytesRead));
}

function mismatch(file: string, records: number, shapes: string): EtlError {
  return new EtlError(
    'dbf_shp_mismatch',
    `${file}: the .dbf has ${records} records and the .shp has ${shapes} features. Deliver both files of the same release.`,
    { details: { file, records } },
  );
}

function batchOf(first: number, run: ShpRun, rows: DbfRows): FeatureBatch {
  return {
    first,
    count: run.count,
    coords: run.coords,
    rows,
    geometry: (row) => run.geometry(row),
    problem: (row) => run.problem(row),
  };
}
