import type { Columns } from '../schema/table.ts';
import { FieldReader } from './field_reader.ts';
import { type MakeRow, rowMaker } from './row_code.ts';

/** Signature, flags and length of the header extension, which PostgreSQL leaves empty. */
export const HEADER_BYTES = 19;

/**
 * Decodes binary COPY output as it arrives into `rows`. Only an unfinished row is kept as bytes, so that the answer is not in
 * memory twice; bytea values are views into the chunks.
 */
export class RowDecoder<T> {
  readonly rows: T[] = [];
  readonly #makeRow: MakeRow<T>;
  readonly #reader = new FieldReader();
  /** Place and size of each field of the current row; size -1 is NULL. */
  readonly #places: Int32Array;
  readonly #sizes: Int32Array;
  #waiting: Buffer[] = [];
  #size = 0;
  /** Bytes that must be there before it makes sense to look again. */
  #need = HEADER_BYTES;
  #at = HEADER_BYTES;

  constructor(columns: Columns) {
    this.#makeRow = rowMaker(columns);
    const fields = Object.keys(columns).length;
    this.#places = new Int32Array(fields);
    this.#sizes = new Int32Array(fields);
  }

  add(chunk: Buffer): void {
    this.#waiting.push(chunk);
    this.#size += chunk.length;
    if (this.#size < this.#need) return;
    const buffer = this.#waiting.length === 1 ? chunk : Buffer.concat(this.#waiting, this.#size);
    this.#reader.use(buffer);
    while (this.#locate(buffer)) this.rows.push(this.#makeRow(this.#reader, this.#places, this.#sizes));
    const rest = buffer.subarray(this.#at);
    this.#need -= this.#at;
    this.#at = 0;
    this.#waiting = rest.length > 0 ? [rest] : [];
    this.#size = rest.length;
  }

  /** Finds the fields of the row at the current place and goes behind it; false where it is not all there, or is the trailer. */
  #locate(buffer: Buffer): boolean {
    const sizes = this.#sizes;
    const places = this.#places;
    const end = buffer.length;
    let at = this.#at + 2;
    this.#need = at;
    // The trailer's count of fields is -1.
    if (at > end || buffer[at - 2]! > 127) return false;
    for (let i = 0; i < sizes.length; i++) {
      if (at + 4 > end) {
        this.#need = at + 4;
        return false;
      }
      const size = (buffer[at]! << 24) | (buffer[at + 1]! << 16) | (buffer[at + 2]! << 8) | buffer[at + 3]!;
      sizes[i] = size;
      places[i] = at + 4;
      at += size < 0 ? 4 : 4 + size;
    }
    this.#need = at;
    if (at > end) return false;
    this.#at = at;
    return true;
  }
}
