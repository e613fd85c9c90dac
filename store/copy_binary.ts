import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type { Columns, ColumnType } from '../schema/table.ts';

/** Signature, flags and header extension of PostgreSQL's binary COPY format. */
const HEADER = Buffer.from('5047434f50590aff0d0a000000000000000000', 'hex');
const TRAILER = Buffer.from('ffff', 'hex');
/** Days from 1970-01-01 to 2000-01-01, the origin of PostgreSQL dates. */
const EPOCH_DAYS = 10_957;
const MS_PER_DAY = 86_400_000;
const OID = { int4: 23, text: 25 } as const;

/** Longest text that is written character by character; beyond, the call into native code pays off. */
const SHORT_TEXT = 96;
/** Room for any value of fixed size with its length. */
const FIXED_BYTES = 12;

/** Encodes rows as binary COPY tuples into a growing buffer. One instance per COPY. */
export class RowEncoder {
  readonly #names: readonly string[];
  readonly #types: readonly ColumnType[];
  /** Room for a row of fixed sizes. Whatever takes more reserves it on top, so that the rest of its row needs no check. */
  readonly #rowBytes: number;
  #buffer = Buffer.allocUnsafe(1 << 20);
  #at = 0;

  constructor(columns: Columns) {
    this.#names = Object.keys(columns);
    this.#types = Object.values(columns).map((column) => column.type);
    this.#rowBytes = 2 + this.#names.length * FIXED_BYTES;
  }

  /** Appends rows. `fixed` overrides columns for all of them (the load id). A missing value is written as NULL. */
  add(
    rows: readonly Readonly<Record<string, unknown>>[],
    fixed: Readonly<Record<string, unknown>> = {},
  ): void {
    const names = this.#names;
    const types = this.#types;
    const count = names.length;
    const isFixed = names.map((name) => name in fixed);
    for (const row of rows) {
      this.#reserve(0);
      this.#buffer[this.#at++] = count >> 8;
      this.#buffer[this.#at++] = count;
      for (let i = 0; i < count; i++) {
        const name = names[i]!;
        const value = isFixed[i] ? fixed[name] : row[name];
        if (value === null || value === undefined) this.#word(-1);
        else this.#value(types[i]!, value);
      }
    }
  }

  get bytes(): number {
    return this.#at;
  }

  /** The tuples added since the last call. */
  take(): Buffer {
    const out = Buffer.from(this.#buffer.subarray(0, this.#at));
    this.#at = 0;
    return out;
  }

  /** Makes room for `bytes` besides those of a row of fixed sizes. */
  #reserve(bytes: number): void {
    const end = this.#at + bytes + this.#rowBytes;
    if (end <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, end));
    this.#buffer.copy(grown, 0, 0, this.#at);
    this.#buffer = grown;
  }

  /** Four bytes; the caller has reserved them. By hand, because the method of Buffer checks what is known here. */
  #word(value: number): void {
    const buffer = this.#buffer;
    const at = this.#at;
    buffer[at] = value >> 24;
    buffer[at + 1] = value >> 16;
    buffer[at + 2] = value >> 8;
    buffer[at + 3] = value;
    this.#at = at + 4;
  }

  #text(text: string): void {
    const { length } = text;
    this.#reserve(4 + length * 3);
    const sizeAt = this.#at;
    const start = sizeAt + 4;
    const buffer = this.#buffer;
    let i = 0;
    if (length < SHORT_TEXT) {
      for (; i < length; i++) {
        const code = text.charCodeAt(i);
        if (code > 127) break;
        buffer[start + i] = code;
      }
    }
    const bytes = i === length ? length : buffer.write(text, start, 'utf8');
    this.#word(bytes);
    this.#at = start + bytes;
  }

  #array(oid: number, values: readonly unknown[], each: (value: never) => void): void {
    this.#reserve(24 + values.length * FIXED_BYTES);
    const sizeAt = this.#at;
    const header = values.length === 0 ? [0, 0, oid] : [1, 0, oid, values.length, 1];
    let at = sizeAt + 4;
    for (const word of header) at = this.#buffer.writeInt32BE(word, at);
    this.#at = at;
    for (const value of values) each(value as never);
    this.#buffer.writeInt32BE(this.#at - sizeAt - 4, sizeAt);
  }

  #int4(value: number): void {
    if (value !== (value | 0)) throw new RangeError(`${value} is not a 32-bit integer`);
    this.#word(4);
    this.#word(value);
  }

  #value(type: ColumnType, value: unknown): void {
    switch (type) {
      case 'text':
        this.#text(value as string);
        return;
      case 'int4':
        this.#int4(value as number);
        return;
      case 'date':
        this.#int4(Date.parse(`${value as string}T00:00:00Z`) / MS_PER_DAY - EPOCH_DAYS);
        return;
      case 'int2':
        this.#word(2);
        this.#at = this.#buffer.writeInt16BE(value as number, this.#at);
        return;
      case 'float8':
        this.#word(8);
        this.#at = this.#buffer.writeDoubleBE(value as number, this.#at);
        return;
      case 'bool':
        this.#word(1);
        this.#at = this.#buffer.writeInt8(value ? 1 : 0, this.#at);
        return;
      case 'bytea': {
        const bytes = value as Uint8Array;
        this.#reserve(4 + bytes.length);
        this.#at = this.#buffer.writeInt32BE(bytes.length, this.#at);
        this.#buffer.set(bytes, this.#at);
        this.#at += bytes.length;
        return;
      }
      case 'text[]':
        this.#array(OID.text, value as string[], (item: string) => this.#text(item));
        return;
      case 'int4[]':
        this.#array(OID.int4, value as number[], (item: number) => this.#int4(item));
        return;
      case 'jsonb': {
        const sizeAt = this.#at;
        this.#at += 1;
        this.#text(JSON.stringify(value));
        const size = this.#at - sizeAt - 5;
        this.#buffer.writeInt32BE(size + 1, sizeAt);
        this.#buffer.writeInt8(1, sizeAt + 4);
        return;
      }
    }
  }
}

/** A COPY FROM STDIN in progress: rows are sent as they come, with back-pressure. */
export interface CopyIn {
  write(
    rows: readonly Readonly<Record<string, unknown>>[],
    fixed?: Readonly<Record<string, unknown>>,
  ): Promise<void>;
  end(): Promise<void>;
  /** Breaks the COPY off; the transaction around it fails. */
  abort(): void;
}

/** Bytes gathered before they are handed to the connection. */
const FLUSH_BYTES = 1 << 17;
/** Bytes that wait for the server while more rows are encoded: server and reader work at the same time. */
const AHEAD_BYTES = 1 << 20;

/** Settles when the stream takes more, or will not any more. */
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

/** Starts a binary COPY into `target` (already quoted), in the column order of the declaration. */
export function copyInto(client: pg.ClientBase, target: string, columns: Columns): CopyIn {
  const names = Object.keys(columns)
    .map((name) => `"${name}"`)
    .join(', ');
  const sql = `COPY ${target} (${names}) FROM STDIN (FORMAT binary)`;
  const stream = client.query(copyFrom(sql, { highWaterMark: AHEAD_BYTES }));
  let failure: Error | undefined;
  stream.on('error', (error) => {
    failure = error;
  });
  stream.write(HEADER);
  const encoder = new RowEncoder(columns);
  const flush = async (): Promise<void> => {
    if (failure) throw failure;
    if (!stream.write(encoder.take())) await drained(stream);
    if (failure) throw failure;
  };
  return {
    async write(rows, fixed) {
      encoder.add(rows, fixed);
      if (encoder.bytes >= FLUSH_BYTES) await flush();
    },
    async end() {
      await flush();
      stream.end(TRAILER);
      await once(stream, 'finish');
      if (failure) throw failure;
    },
    abort() {
      stream.destroy();
    },
  };
}

/** Decodes one binary COPY field; `buffer` is the whole answer, bytea values are views into it. */
function decode(buffer: Buffer, type: ColumnType, at: number, size: number): unknown {
  switch (type) {
    case 'text':
      return buffer.toString('utf8', at, at + size);
    case 'int4':
      return buffer.readInt32BE(at);
    case 'int2':
      return buffer.readInt16BE(at);
    case 'float8':
      return buffer.readDoubleBE(at);
    case 'bool':
      return buffer[at] === 1;
    case 'bytea':
      return buffer.subarray(at, at + size);
    case 'date':
      return new Date((buffer.readInt32BE(at) + EPOCH_DAYS) * MS_PER_DAY).toISOString().slice(0, 10);
    case 'jsonb':
      return JSON.parse(buffer.toString('utf8', at + 1, at + size));
    case 'text[]':
      return decodeArray(buffer, 'text', at);
    case 'int4[]':
      return decodeArray(buffer, 'int4', at);
  }
}

function decodeArray(buffer: Buffer, type: 'text' | 'int4', start: number): unknown[] {
  if (buffer.readInt32BE(start) === 0) return [];
  const length = buffer.readInt32BE(start + 12);
  const out: unknown[] = [];
  for (let i = 0, at = start + 20; i < length; i++) {
    const size = buffer.readInt32BE(at);
    out.push(decode(buffer, type, at + 4, size));
    at += 4 + size;
  }
  return out;
}

/**
 * Runs `query` (a SELECT whose columns stand in the order of `columns`) as binary COPY and returns its rows.
 * The whole answer is held in memory: the caller bounds it by its selection.
 */
export async function copyOut<T>(client: pg.ClientBase, query: string, columns: Columns): Promise<T[]> {
  const chunks: Buffer[] = [];
  const stream = client.query(copyTo(`COPY (${query}) TO STDOUT (FORMAT binary)`));
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  const buffer = Buffer.concat(chunks);
  const fields = Object.entries(columns).map(([name, column]) => [name, column.type] as const);
  const rows: T[] = [];
  let at = HEADER.length;
  while (at < buffer.length) {
    const count = buffer.readInt16BE(at);
    at += 2;
    if (count < 0) break;
    const row: Record<string, unknown> = {};
    for (const [name, type] of fields) {
      const size = buffer.readInt32BE(at);
      at += 4;
      if (size < 0) row[name] = null;
      else {
        row[name] = decode(buffer, type, at, size);
        at += size;
      }
    }
    rows.push(row as T);
  }
  return rows;
}
