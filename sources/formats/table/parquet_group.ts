import type { FileHandle } from 'node:fs/promises';
import { type AsyncBuffer, type FileMetaData, parquetRead } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { readFully } from '../archive/read_fully.ts';
import { checkPages, chunkRange } from './parquet_pages.ts';

/** Values of one row by column name; records and lists are objects, geometries WKB bytes, dates ISO text. */
export type ParquetRow = Readonly<Record<string, unknown>>;

const isoDate = (milliseconds: number): string | null => {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
};

const utf8 = new TextDecoder();

/** Returns true for WKB: a byte order, then a type whose high bytes are zero. Texts have no NUL. */
const isWkb = (bytes: Uint8Array): boolean =>
  bytes.length >= 9 &&
  ((bytes[0] === 1 && bytes[1] !== 0 && bytes[3] === 0) || (bytes[0] === 0 && bytes[2] === 0));

/** Value parsers: geometries stay bytes, also in binary columns that nothing annotates; dates and times are text, so nothing depends on a time zone. */
export const PARSERS = {
  geometryFromBytes: (bytes: Uint8Array) => bytes,
  geographyFromBytes: (bytes: Uint8Array) => bytes,
  stringFromBytes: (bytes: Uint8Array | undefined) => bytes && (isWkb(bytes) ? bytes : utf8.decode(bytes)),
  dateFromDays: (days: number) => isoDate(days * 86_400_000)?.slice(0, 10) ?? null,
  timestampFromMilliseconds: (value: bigint) => isoDate(Number(value)),
  timestampFromMicroseconds: (value: bigint) => isoDate(Number(value / 1000n)),
  timestampFromNanoseconds: (value: bigint) => isoDate(Number(value / 1_000_000n)),
};

/** Adapts an open file to hyparquet's interface for random access. */
export function bufferOf(handle: FileHandle, bytes: number): AsyncBuffer {
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

/** Converts a bigint to a number if that is exact, else to its digits. */
const plain = (value: unknown): unknown => {
  if (typeof value !== 'bigint') return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
};

/** Checks the pages of the columns that will be read. */
async function checkGroup(
  file: AsyncBuffer,
  group: FileMetaData['row_groups'][number],
  columns: readonly string[] | undefined,
): Promise<void> {
  for (const { meta_data: column } of group.columns) {
    if (column === undefined) throw new Error('a column without metadata');
    if (columns !== undefined && !columns.includes(column.path_in_schema[0] ?? '')) continue;
    const [start, end] = chunkRange(column);
    if (!(start >= 0 && end <= file.byteLength)) throw new Error(`a column at bytes ${start} to ${end}`);
    checkPages(new Uint8Array(await file.slice(start, end)), column, Number(group.num_rows));
  }
}

/** Reads the rows of one row group, with the named columns or all. Throws an Error if its bytes contradict the footer. */
export async function readGroup(
  file: AsyncBuffer,
  metadata: FileMetaData,
  group: number,
  columns: readonly string[] | undefined,
): Promise<ParquetRow[]> {
  const groups = metadata.row_groups;
  await checkGroup(file, groups[group]!, columns);
  const rowStart = groups.slice(0, group).reduce((sum, { num_rows }) => sum + Number(num_rows), 0);
  const rowEnd = rowStart + Number(groups[group]!.num_rows);
  let rows: Record<string, unknown>[] = [];
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
  if (rows.length !== rowEnd - rowStart)
    throw new Error(`rows ${rowStart + 1} to ${rowEnd} hold ${rows.length} rows`);
  for (const row of rows) for (const column in row) row[column] = plain(row[column]);
  return rows;
}
