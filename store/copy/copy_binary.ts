import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type pg from 'pg';
import { type CopyStreamQuery, from as copyFrom } from 'pg-copy-streams';
import type { Columns } from '../../schema/table.ts';
import { CopyOut } from './copy_out.ts';
import { RowDecoder } from './row_decoder.ts';
import { RowEncoder } from './row_encoder.ts';

/** Signature, flags and header extension of PostgreSQL's binary COPY format. */
const HEADER = Buffer.from('5047434f50590aff0d0a000000000000000000', 'hex');
const TRAILER = Buffer.from('ffff', 'hex');

/** A COPY FROM STDIN in progress: rows are sent as they are added. */
export interface CopyIn {
  /** Encodes a row without keeping a reference. Full chunks go to the connection, which buffers what the server has not read. */
  add(row: Readonly<Record<string, unknown>>): void;
  /** True if so much is buffered that the rows should wait for the server. */
  readonly isAhead: boolean;
  /** Waits until the server has read most of what was sent; a rest stays buffered while more rows are encoded. */
  taken(): Promise<void>;
  end(): Promise<void>;
  /** Aborts the COPY; the transaction around it fails. */
  abort(): void;
}

/** Bytes encoded before they are passed to the connection. */
const FLUSH_BYTES = 1 << 17;
/** Maximum bytes that wait for the server while more rows are encoded: server and reader work at the same time. */
const AHEAD_BYTES = 1 << 20;

/** Settles when the stream accepts more, or is closed or failed. */
function drained(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      for (const event of ENDS_OF_WAIT) stream.off(event, done);
      resolve();
    };
    for (const event of ENDS_OF_WAIT) stream.on(event, done);
  });
}

const ENDS_OF_WAIT = ['drain', 'error', 'close'] as const;

class EncodedCopy implements CopyIn {
  readonly #stream: CopyStreamQuery;
  readonly #encoder: RowEncoder;
  #failure: Error | undefined;

  constructor(stream: CopyStreamQuery, encoder: RowEncoder) {
    this.#stream = stream;
    this.#encoder = encoder;
    stream.on('error', (error) => {
      this.#failure = error;
    });
    stream.write(HEADER);
  }

  add(row: Readonly<Record<string, unknown>>): void {
    this.#encoder.add(row);
    if (this.#encoder.bytes >= FLUSH_BYTES) this.#send();
  }

  get isAhead(): boolean {
    return this.#stream.writableNeedDrain;
  }

  async taken(): Promise<void> {
    if (this.#failure === undefined && this.isAhead) await drained(this.#stream);
    if (this.#failure) throw this.#failure;
  }

  async end(): Promise<void> {
    await this.taken();
    this.#send();
    this.#stream.end(TRAILER);
    await once(this.#stream, 'finish');
    if (this.#failure) throw this.#failure;
  }

  abort(): void {
    this.#stream.destroy();
  }

  #send(): void {
    // A COPY that the server refused has no connection to write to.
    if (this.#failure) throw this.#failure;
    this.#stream.write(this.#encoder.take());
  }
}

/** Starts a binary COPY into `target` (already quoted), in the column order of the declaration; `fixed` overrides columns for all rows. */
export function copyInto(
  client: pg.ClientBase,
  target: string,
  columns: Columns,
  fixed: Readonly<Record<string, unknown>> = {},
): CopyIn {
  const names = Object.keys(columns)
    .map((name) => `"${name}"`)
    .join(', ');
  const sql = `COPY ${target} (${names}) FROM STDIN (FORMAT binary)`;
  const stream = client.query(copyFrom(sql, { highWaterMark: AHEAD_BYTES }));
  return new EncodedCopy(stream, new RowEncoder(columns, fixed));
}

/** Rows of a result that are in memory at a time. */
const BATCH_ROWS = 20_000;

const copyTo = (query: string): string => `COPY (${query}) TO STDOUT (FORMAT binary)`;

/**
 * Yields the rows of copyOut in batches, as the server sends them. If the reader stops early, it waits until the remaining rows have
 * passed, so that the connection can run the next statement.
 */
export async function* copyBatches<T>(
  client: pg.ClientBase,
  query: string,
  columns: Columns,
): AsyncGenerator<T[]> {
  const decoder = new RowDecoder<T>(columns);
  let filled = (): void => undefined;
  let isWanted = true;
  const out = new CopyOut(copyTo(query), {
    add(bytes, at, end) {
      if (!isWanted) return;
      decoder.add(bytes, at, end);
      if (decoder.rows.length < BATCH_ROWS) return;
      out.pause();
      filled();
    },
  });
  const ended = client.query(out).done.then(() => true);
  let isOver = false;
  try {
    while (!isOver) {
      const full = new Promise<boolean>((resolve) => {
        filled = () => resolve(false);
      });
      out.resume();
      isOver = await Promise.race([full, ended]);
      if (decoder.rows.length > 0) yield decoder.rows.splice(0);
    }
  } finally {
    isWanted = false;
    out.resume();
    await ended;
  }
}

/**
 * Runs `query` (a SELECT with its columns in the order of `columns`) as binary COPY and returns its rows. All of them are in memory: the
 * caller limits them by its selection.
 */
export async function copyOut<T>(client: pg.ClientBase, query: string, columns: Columns): Promise<T[]> {
  const decoder = new RowDecoder<T>(columns);
  const out = new CopyOut(copyTo(query), decoder);
  await client.query(out).done;
  return decoder.rows;
}
