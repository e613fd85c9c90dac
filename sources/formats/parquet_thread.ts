import { type FileHandle, open } from 'node:fs/promises';
import { parentPort } from 'node:worker_threads';
import { type AsyncBuffer, type FileMetaData, parquetMetadataAsync } from 'hyparquet';
import { bufferOf, PARSERS, type ParquetRow, readGroup } from './parquet_group.ts';

/** The file that a thread reads, and its columns; undefined: all. */
export interface ParquetTask {
  readonly path: string;
  readonly bytes: number;
  readonly columns: readonly string[] | undefined;
}

/** Asks for rows [from, to) of a row group, counted inside it. The group is held until another one is asked for. */
export interface ParquetRows {
  readonly group: number;
  readonly from: number;
  readonly to: number;
}

/** `open` begins with a file, `close` lets it go. */
export type ParquetRequest =
  | { readonly kind: 'open'; readonly task: ParquetTask }
  | ({ readonly kind: 'rows' } & ParquetRows)
  | { readonly kind: 'close' };

/** The rows that were asked for, or why there are none. */
export type ParquetReply = { readonly rows: ParquetRow[] } | { readonly failure: string };

/**
 * Bytes of the rows in one buffer of their own, which moves to the other thread: what is decoded are views of whole pages, which
 * would be copied for every batch.
 */
function pack(rows: ParquetRow[]): ArrayBuffer {
  const views: [row: Record<string, unknown>, column: string, bytes: Uint8Array][] = [];
  let size = 0;
  for (const row of rows) {
    for (const column in row) {
      const value = row[column];
      if (!(value instanceof Uint8Array)) continue;
      views.push([row, column, value]);
      size += value.length;
    }
  }
  const packed = new Uint8Array(size);
  let at = 0;
  for (const [row, column, bytes] of views) {
    packed.set(bytes, at);
    row[column] = packed.subarray(at, at + bytes.length);
    at += bytes.length;
  }
  return packed.buffer;
}

let handle: FileHandle | null = null;
let opened: { file: AsyncBuffer; metadata: FileMetaData; columns: ParquetTask['columns'] } | null = null;
let held: { group: number; rows: ParquetRow[] } = { group: -1, rows: [] };

async function answer(request: ParquetRequest): Promise<ParquetRow[]> {
  switch (request.kind) {
    case 'open': {
      const { path, bytes, columns } = request.task;
      handle = await open(path, 'r');
      const file = bufferOf(handle, bytes);
      opened = { file, metadata: await parquetMetadataAsync(file, { parsers: PARSERS }), columns };
      return [];
    }
    case 'rows':
      if (held.group !== request.group) {
        const { file, metadata, columns } = opened!;
        held = { group: -1, rows: [] };
        held = { group: request.group, rows: await readGroup(file, metadata, request.group, columns) };
      }
      return held.rows.slice(request.from, request.to);
    case 'close':
      held = { group: -1, rows: [] };
      opened = null;
      await handle?.close();
      return [];
  }
}

parentPort!.on('message', async (request: ParquetRequest) => {
  try {
    const rows = await answer(request);
    parentPort!.postMessage({ rows } satisfies ParquetReply, [pack(rows)]);
  } catch (cause) {
    parentPort!.postMessage({ failure: (cause as Error)?.message ?? String(cause) } satisfies ParquetReply);
  }
});
