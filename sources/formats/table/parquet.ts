import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { type FileMetaData, parquetMetadataAsync } from 'hyparquet';
import { EtlError } from '../../../schema/errors.ts';
import type { BytePlace } from '../archive/byte_stream.ts';
import { localFile } from '../archive/local_copy.ts';
import { readFully } from '../archive/read_fully.ts';
import { DECODE_LIMITS, type DecodeLimits, ParquetDecoder } from './parquet_decoder.ts';
import { bufferOf, PARSERS, type ParquetRow } from './parquet_group.ts';
import { MAX_GROUP_BYTES, MAX_GROUP_ROWS } from './parquet_pages.ts';
import type { ParquetTask } from './parquet_process.ts';

const MAX_METADATA_BYTES = 64 << 20;
const BATCH_ROWS = 2048;

/** A top-level column of the schema. */
interface ParquetColumn {
  readonly name: string;
  readonly numeric: boolean;
}

/** An open Parquet file; a caller that does not read `rows` to the end must close it. */
export interface ParquetFile {
  readonly columns: readonly ParquetColumn[];
  readonly count: number;
  /** Returns the value of a key in the file's own metadata; null: not there. */
  metadata(key: string): string | null;
  /** Reads all rows in order, once, in batches, with the named columns or all; closes the file at the end. */
  rows(columns?: readonly string[], signal?: AbortSignal): AsyncGenerator<ParquetRow[]>;
  close(): Promise<void>;
}

const bad = (file: string, cause: unknown): EtlError =>
  new EtlError(
    'bad_parquet',
    `${file}: the Parquet file cannot be read (${(cause as Error)?.message ?? String(cause)}). Deliver the file again.`,
    { details: { file }, cause },
  );

/** Refuses a footer that is longer than the file or than any real footer, before memory is allocated for it. */
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
    // skips everything below the column
    for (let open = 1; open > 0 && at < schema.length; at++) open += (schema[at]!.num_children ?? 0) - 1;
  }
  return columns;
}

/**
 * Opens a Parquet file, plain or in a zip (unpacked to a temporary folder until it is closed). Memory is bounded by a row group. EtlErrors:
 * `bad_parquet`, `file_too_large` (a row group of more than 512 MiB), `missing_file` and the errors of the zip.
 */
export async function openParquet(
  location: BytePlace,
  limits: DecodeLimits = DECODE_LIMITS,
): Promise<ParquetFile> {
  const local = await localFile(location);
  let handle: FileHandle | null = null;
  const close = async (): Promise<void> => {
    const openHandle = handle;
    handle = null;
    await openHandle?.close();
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
          const task = { path: local.path, bytes: local.bytes, columns };
          yield* readGroups(task, metadata, location.file, limits, signal);
        } finally {
          await close();
        }
      },
    };
  } catch (cause) {
    await close();
    if (cause instanceof EtlError) throw cause;
    throw bad(location.file, cause);
  }
}

async function* readGroups(
  task: ParquetTask,
  metadata: FileMetaData,
  name: string,
  limits: DecodeLimits,
  signal: AbortSignal | undefined,
): AsyncGenerator<ParquetRow[]> {
  signal?.throwIfAborted();
  for (const group of metadata.row_groups) {
    if (group.num_rows < 0n) throw bad(name, new Error(`a row group of ${group.num_rows} rows`));
    checkSize(group, name);
  }
  const damaged = (cause: unknown): never => {
    throw bad(name, cause);
  };
  const decoder = await ParquetDecoder.open(task, limits).catch(damaged);
  try {
    for (const [group, { num_rows, total_byte_size }] of metadata.row_groups.entries()) {
      for (let from = 0; from < Number(num_rows); from += BATCH_ROWS) {
        const to = Math.min(from + BATCH_ROWS, Number(num_rows));
        const rows = await decoder.rows({ group, from, to }, Number(total_byte_size)).catch(damaged);
        signal?.throwIfAborted();
        yield rows;
      }
    }
  } finally {
    await decoder.close();
  }
}

function checkSize({ num_rows, total_byte_size }: FileMetaData['row_groups'][number], name: string): void {
  if (Number(total_byte_size) <= MAX_GROUP_BYTES && Number(num_rows) <= MAX_GROUP_ROWS) return;
  throw new EtlError(
    'file_too_large',
    `${name}: a row group of ${num_rows} rows and ${total_byte_size} bytes; those up to ${MAX_GROUP_ROWS} rows and ${MAX_GROUP_BYTES} bytes are read. Convert it with: ogr2ogr -f Parquet -lco ROW_GROUP_SIZE=65536 smaller.parquet "${name}"`,
    { details: { file: name } },
  );
}
