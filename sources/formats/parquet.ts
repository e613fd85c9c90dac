import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { type AsyncBuffer, type FileMetaData, parquetMetadataAsync, parquetRead } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { EtlError } from '../../schema/errors.ts';
import type { BytePlace } from './byte_stream.ts';
import { readFully } from './dbf.ts';
import { localFile } from './local_copy.ts';
import { checkPages, chunkRange, MAX_GROUP_BYTES, MAX_GROUP_ROWS } from './parquet_pages.ts';

const MAX_METADATA_BYTES = 64 << 20;
/** Rows that are handed on together. */
const BATCH_ROWS = 2048;

/** A column at the top of the schema. */
export interface ParquetColumn {
  readonly name: string;
  readonly numeric: boolean;
}

/** Values of one row by column name; records and lists are objects, geometries WKB bytes, dates ISO text. */
export type ParquetRow = Readonly<Record<string, unknown>>;

/** An open Parquet file; whoever does not read `rows` to the end closes it. */
export interface ParquetFile {
  readonly columns: readonly ParquetColumn[];
  readonly count: number;
  /** Value of a key of the file's own metadata; null: it has none. */
  metadata(key: string): string | null;
  /** All rows in order, once, in batches, with the named columns or all; closes the file as it ends. */
  rows(columns?: readonly string[], signal?: AbortSignal): AsyncGenerator<ParquetRow[]>;
  close(): Promise<void>;
}

const bad = (file: string, cause: unknown): EtlError =>
  new EtlError(
    'bad_parquet',
    `${file}: the Parquet file cannot be read (${(cause as Error)?.message ?? String(cause)}). Deliver the file again.`,
    { details: { file }, cause },
  );

const isoDate = (milliseconds: number): string | null => {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
};

/** Geometries stay bytes; dates and times are text, so that nothing depends on a time zone. */
const PARSERS = {
  geometryFromBytes: (bytes: Uint8Array) => bytes,
  geographyFromBytes: (bytes: Uint8Array) => bytes,
  dateFromDays: (days: number) => isoDate(days * 86_400_000)?.slice(0, 10) ?? null,
  timestampFromMilliseconds: (value: bigint) => isoDate(Number(value)),
  timestampFromMicroseconds: (value: bigint) => isoDate(Number(value / 1000n)),
  timestampFromNanoseconds: (value: bigint) => isoDate(Number(value / 1_000_000n)),
};

/** Random access to an open file, as hyparquet takes it. */
function bufferOf(handle: FileHandle, bytes: number): AsyncBuffer {
  return {
    byteLength: bytes,
    async slice(start, end = bytes) {
      const from = start < 0 ? Math.max(0, bytes + start) : start;
      if (from > end || end > bytes) throw new RangeError(`bytes ${from} to ${end} of ${bytes}`);
      const into = new Uint8Array(end - from);
      if ((await readFully(handle, into, from)) < into.length) throw new RangeError('the file shrank');
      return into.buffer;
    },
  };
}

/** Refuses a footer that is longer than the file or than any real one, before memory is taken for it. */
async function checkFooter(handle: FileHandle, bytes: number): Promise<void> {
  const end = Buffer.alloc(8);
  if (bytes < 12 || (await readFully(handle, end, bytes - 8)) < 8)
    throw new Error(`${bytes} bytes are too few`);
  if (end.toString('latin1', 4) !== 'PAR1')
    throw new Error('it does not end with PAR1: no Parquet, or cut off');
  const length = end.readUInt32LE(0);
  if (length > bytes - 12 || length > MAX_METADATA_BYTES)
    throw new Error(`its footer states a length of ${length} bytes`);
}

function columnsOf({ schema }: FileMetaData): ParquetColumn[] {
  const columns: ParquetColumn[] = [];
  for (let at = 1; at < schema.length; ) {
    const { name, type, num_children, converted_type, logical_type } = schema[at]!;
    const isNumber =
      /^(INT32|INT64|FLOAT|DOUBLE)$/.test(type ?? '') && !/DATE|TIME/.test(converted_type ?? '');
    const isTime = /DATE|TIME/.test(logical_type?.type ?? '');
    columns.push({ name, numeric: !num_children && isNumber && !isTime });
    // passes over everything below the column
    for (let open = 1; open > 0 && at < schema.length; at++) open += (schema[at]!.num_children ?? 0) - 1;
  }
  return columns;
}

/** A number where it is exact, else its digits. */
const plain = (value: unknown): unknown => {
  if (typeof value !== 'bigint') return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
};

/**
 * Opens a Parquet file, plain or in a zip (unpacked to a temporary folder until it is closed). Memory is bounded by a row
 * group. EtlErrors: `bad_parquet`, `file_too_large` (a row group of more than 1 GiB), `missing_file`, those of openArchive.
 */
export async function openParquet(place: BytePlace): Promise<ParquetFile> {
  const local = await localFile(place);
  let handle: FileHandle | null = null;
  const close = async (): Promise<void> => {
    const held = handle;
    handle = null;
    await held?.close();
    await local.remove();
  };
  try {
    handle = await open(local.path, 'r');
    const file = bufferOf(handle, local.bytes);
    await checkFooter(handle, local.bytes);
    const metadata = await parquetMetadataAsync(file, { parsers: PARSERS });
    return {
      columns: columnsOf(metadata),
      count: Number(metadata.num_rows),
      metadata: (key) => metadata.key_value_metadata?.find((each) => each.key === key)?.value ?? null,
      close,
      async *rows(columns, signal) {
        try {
          yield* readGroups(file, metadata, place.file, columns, signal);
        } finally {
          await close();
        }
      },
    };
  } catch (cause) {
    await close();
    if (cause instanceof EtlError) throw cause;
    throw bad(place.file, cause);
  }
}

async function* readGroups(
  file: AsyncBuffer,
  metadata: FileMetaData,
  name: string,
  columns: readonly string[] | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<ParquetRow[]> {
  let start = 0;
  for (const group of metadata.row_groups) {
    signal?.throwIfAborted();
    const count = Number(group.num_rows);
    if (Number(group.total_byte_size) > MAX_GROUP_BYTES || count > MAX_GROUP_ROWS) {
      throw new EtlError(
        'file_too_large',
        `${name}: a row group of ${count} rows and ${group.total_byte_size} bytes; those up to ${MAX_GROUP_ROWS} rows and ${MAX_GROUP_BYTES} bytes are read. Convert it with: ogr2ogr -f Parquet -lco ROW_GROUP_SIZE=65536 smaller.parquet "${name}"`,
        { details: { file: name } },
      );
    }
    await checkGroup(file, group, name, columns);
    const rows = await readGroup(file, metadata, name, columns, start, start + count);
    for (let at = 0; at < rows.length; at += BATCH_ROWS) {
      signal?.throwIfAborted();
      yield rows.slice(at, at + BATCH_ROWS);
    }
    start += count;
  }
}

/** Looks at the pages of the columns that will be read. */
async function checkGroup(
  file: AsyncBuffer,
  group: FileMetaData['row_groups'][number],
  name: string,
  columns: readonly string[] | undefined,
): Promise<void> {
  try {
    for (const { meta_data: column } of group.columns) {
      if (column === undefined) throw new Error('a column without metadata');
      if (columns !== undefined && !columns.includes(column.path_in_schema[0] ?? '')) continue;
      const [start, end] = chunkRange(column);
      if (!(start >= 0 && end <= file.byteLength)) throw new Error(`a column at bytes ${start} to ${end}`);
      checkPages(new Uint8Array(await file.slice(start, end)), column, Number(group.num_rows));
    }
  } catch (cause) {
    throw bad(name, cause);
  }
}

async function readGroup(
  file: AsyncBuffer,
  metadata: FileMetaData,
  name: string,
  columns: readonly string[] | undefined,
  rowStart: number,
  rowEnd: number,
): Promise<ParquetRow[]> {
  let rows: Record<string, unknown>[] = [];
  try {
    await parquetRead({
      file,
      metadata,
      rowStart,
      rowEnd,
      rowFormat: 'object',
      compressors,
      parsers: PARSERS,
      ...(columns === undefined ? {} : { columns: [...columns] }),
      onComplete: (read) => {
        rows = read;
      },
    });
  } catch (cause) {
    throw bad(name, cause);
  }
  if (rows.length !== rowEnd - rowStart) {
    throw bad(name, new Error(`rows ${rowStart + 1} to ${rowEnd} hold ${rows.length} rows`));
  }
  for (const row of rows) for (const column in row) row[column] = plain(row[column]);
  return rows;
}
