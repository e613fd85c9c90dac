import type { Columns, ColumnType } from '../schema/table.ts';

/** Days from 1970-01-01 to 2000-01-01, the origin of PostgreSQL dates. */
export const EPOCH_DAYS = 10_957;
export const MS_PER_DAY = 86_400_000;
/** Signature, flags and length of the header extension, which PostgreSQL leaves empty. */
export const HEADER_BYTES = 19;

/** Decodes one binary COPY field; bytea values are views into `buffer`. */
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
 * Decodes binary COPY output as it arrives into `rows`. Only an unfinished row is kept as bytes, so that the answer is not in
 * memory twice; bytea values are views into the chunks.
 */
export class RowDecoder<T> {
  readonly rows: T[] = [];
  readonly #names: readonly string[];
  readonly #types: readonly ColumnType[];
  /** Place and size of each field of the current row; size -1 is NULL. */
  readonly #places: Int32Array;
  readonly #sizes: Int32Array;
  #waiting: Buffer[] = [];
  #size = 0;
  /** Bytes that must be there before it makes sense to look again. */
  #need = HEADER_BYTES;
  #at = HEADER_BYTES;

  constructor(columns: Columns) {
    this.#names = Object.keys(columns);
    this.#types = Object.values(columns).map((column) => column.type);
    this.#places = new Int32Array(this.#names.length);
    this.#sizes = new Int32Array(this.#names.length);
  }

  add(chunk: Buffer): void {
    this.#waiting.push(chunk);
    this.#size += chunk.length;
    if (this.#size < this.#need) return;
    const buffer = this.#waiting.length === 1 ? chunk : Buffer.concat(this.#waiting, this.#size);
    while (this.#locate(buffer)) this.rows.push(this.#row(buffer));
    const rest = buffer.subarray(this.#at);
    this.#need -= this.#at;
    this.#at = 0;
    this.#waiting = rest.length > 0 ? [rest] : [];
    this.#size = rest.length;
  }

  /** Finds the fields of the row at the current place and goes behind it; false where it is not all there, or is the trailer. */
  #locate(buffer: Buffer): boolean {
    let at = this.#at + 2;
    this.#need = at;
    if (at > buffer.length || buffer.readInt16BE(at - 2) < 0) return false;
    for (let i = 0; i < this.#sizes.length; i++) {
      this.#need = at + 4;
      if (this.#need > buffer.length) return false;
      const size = buffer.readInt32BE(at);
      this.#sizes[i] = size;
      this.#places[i] = at + 4;
      at += 4 + Math.max(0, size);
    }
    this.#need = at;
    if (at > buffer.length) return false;
    this.#at = at;
    return true;
  }

  #row(buffer: Buffer): T {
    const row: Record<string, unknown> = {};
    for (let i = 0; i < this.#names.length; i++) {
      const size = this.#sizes[i]!;
      row[this.#names[i]!] = size < 0 ? null : decode(buffer, this.#types[i]!, this.#places[i]!, size);
    }
    return row as T;
  }
}
