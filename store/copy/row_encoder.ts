import type { Columns } from '../../schema/table.ts';
import { FieldWriter } from './field_writer.ts';
import { rowWriter, type WriteRow } from './row_code.ts';

/** Encodes rows as binary COPY tuples into a growing buffer. One instance per COPY. */
export class RowEncoder {
  readonly #write: WriteRow;
  readonly #fixed: Readonly<Record<string, unknown>>;
  readonly #writer = new FieldWriter();

  /** `fixed` overrides columns for all rows (the load id). */
  constructor(columns: Columns, fixed: Readonly<Record<string, unknown>> = {}) {
    this.#write = rowWriter(columns, Object.keys(fixed));
    this.#fixed = fixed;
  }

  /** Appends a row. A missing value is written as NULL. */
  add(row: Readonly<Record<string, unknown>>): void {
    this.#write(this.#writer, row, this.#fixed);
  }

  get bytes(): number {
    return this.#writer.bytes;
  }

  /** Returns the tuples added since the last call. */
  take(): Buffer {
    return this.#writer.take();
  }
}
