import type { Columns } from '../../schema/table.ts';
import type { TakesMessages } from './copy_out.ts';
import { FieldReader } from './field_reader.ts';
import { type MakeRow, rowMaker } from './row_code.ts';

/** Signature, flags and length of the header extension, which PostgreSQL leaves empty. */
export const HEADER_BYTES = 19;

/** Decodes the messages of binary COPY output into `rows`; bytea values are views into the bytes. */
export class RowDecoder<T> implements TakesMessages {
  readonly rows: T[] = [];
  readonly #makeRow: MakeRow<T>;
  readonly #reader = new FieldReader();
  #isFirst = true;

  constructor(columns: Columns) {
    this.#makeRow = rowMaker(columns);
  }

  /** Decodes one message: a row or the trailer; the first message begins with the header. */
  add(bytes: Buffer, at: number, end: number): void {
    const start = this.#isFirst ? at + HEADER_BYTES : at;
    this.#isFirst = false;
    // The trailer's count of fields is -1.
    if (start >= end || bytes[start]! > 127) return;
    this.#reader.use(bytes, start + 2);
    this.rows.push(this.#makeRow(this.#reader));
  }
}
