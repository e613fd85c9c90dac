import { type FileHandle, open } from 'node:fs/promises';
import { type AsyncBuffer, type FileMetaData, parquetMetadataAsync } from 'hyparquet';
import { bufferOf, PARSERS, type ParquetRow, readGroup } from './parquet_group.ts';

/** File and columns that a process reads; undefined: all columns. */
export interface ParquetTask {
  readonly path: string;
  readonly bytes: number;
  readonly columns: readonly string[] | undefined;
}

/** Request for rows [from, to) of a row group, counted inside it. The group is kept until another one is requested. */
export interface ParquetRows {
  readonly group: number;
  readonly from: number;
  readonly to: number;
}

/** `open` starts on a file, `close` releases it. */
export type ParquetRequest =
  | { readonly kind: 'open'; readonly task: ParquetTask }
  | ({ readonly kind: 'rows' } & ParquetRows)
  | { readonly kind: 'close' };

/** The requested rows, or why there are none. */
export type ParquetReply = { readonly rows: ParquetRow[] } | { readonly failure: string };

let handle: FileHandle | null = null;
let opened: { file: AsyncBuffer; metadata: FileMetaData; columns: ParquetTask['columns'] } | null = null;
let cachedGroup: { group: number; rows: ParquetRow[] } = { group: -1, rows: [] };

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
      if (cachedGroup.group !== request.group) {
        const { file, metadata, columns } = opened!;
        cachedGroup = { group: -1, rows: [] };
        cachedGroup = { group: request.group, rows: await readGroup(file, metadata, request.group, columns) };
      }
      return cachedGroup.rows.slice(request.from, request.to);
    case 'close':
      cachedGroup = { group: -1, rows: [] };
      opened = null;
      await handle?.close();
      return [];
  }
}

process.on('message', async (request: ParquetRequest) => {
  try {
    process.send!({ rows: await answer(request) } satisfies ParquetReply);
  } catch (cause) {
    process.send!({ failure: (cause as Error)?.message ?? String(cause) } satisfies ParquetReply);
  }
});
