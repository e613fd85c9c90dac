import type { ColumnMetaData } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';

/** Maximum unpacked bytes of a row group, which is in memory as a whole: writers make groups of about 128 MiB. */
export const MAX_GROUP_BYTES = 2 ** 29;
/** Maximum rows of a row group, and maximum values of one of its columns: writers make groups of about a million. */
export const MAX_GROUP_ROWS = 10_000_000;
const MAX_COLUMN_VALUES = 50_000_000;

/** Returns the byte range of a column's pages in the file: the first byte and the byte after the last. */
export function chunkRange(column: ColumnMetaData): [start: number, end: number] {
  const first = column.dictionary_page_offset ?? column.data_page_offset;
  const start = Number(first > 0n && first < column.data_page_offset ? first : column.data_page_offset);
  return [start, start + Number(column.total_compressed_size)];
}

const isCount = (value: unknown, most: number): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= most;

/**
 * Checks the headers of all pages of a column before they are unpacked. Sizes that lead out of the column or back, or whose sum differs
 * from the footer, would make a reader run forever or out of memory. Throws an Error.
 */
export function checkPages(bytes: Uint8Array, column: ColumnMetaData, rows: number): void {
  const name = column.path_in_schema.join('.');
  const fail = (what: string): never => {
    throw new Error(`column ${name}: ${what}`);
  };
  if (!isCount(Number(column.num_values), MAX_COLUMN_VALUES) || Number(column.num_values) < rows)
    fail(`${column.num_values} values for ${rows} rows`);
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: 0 };
  let values = 0;
  let unpacked = 0;
  while (values < Number(column.num_values)) {
    if (reader.offset >= bytes.length) fail(`its pages end after ${values} of ${column.num_values} values`);
    const header = parquetHeader(reader);
    const { compressed_page_size: packed, uncompressed_page_size: size } = header;
    if (!isCount(packed, bytes.length - reader.offset)) fail(`a page of ${packed} bytes`);
    if (!isCount(size, MAX_GROUP_BYTES - unpacked)) fail(`a page that unpacks to ${size} bytes`);
    reader.offset += packed;
    unpacked += size;
    const page = header.data_page_header ?? header.data_page_header_v2;
    const count = page?.num_values ?? header.dictionary_page_header?.num_values;
    if (!isCount(count, page === undefined ? size : MAX_COLUMN_VALUES)) fail(`a page of ${count} values`);
    if (page !== undefined) values += page.num_values;
    const levels = header.data_page_header_v2;
    if (levels === undefined) continue;
    // absent numbers, too, keep a decoder running forever
    const [definition, repetition] = [
      levels.definition_levels_byte_length,
      levels.repetition_levels_byte_length,
    ];
    if (!isCount(definition, packed) || !isCount(repetition, packed - definition))
      fail(`a page with levels of ${definition} and ${repetition} bytes`);
    if (!isCount(levels.num_nulls, levels.num_values) || !isCount(levels.num_rows, levels.num_values))
      fail(`a page of ${levels.num_rows} rows and ${levels.num_nulls} nulls`);
  }
  if (values !== Number(column.num_values)) fail(`its pages hold ${values} values, not ${column.num_values}`);
}
