import type { Columns } from '../schema/table.ts';
import { FieldWriter } from './field_writer.ts';
import { rowWriter } from './row_code.ts';

/** Encodes rows as binary COPY tuples into a growing buffer. One instance per COPY. */
export class RowEncoder {
  readonly #columns: Columns;
  readonly #writer = new FieldWriter();

  constructor(columns: Columns) {
    this.#columns = columns;
  }

  /** Appends rows. `fixed` overrides columns for all of them (the load id). A missing value is written as NULL. */
  add(
    rows: readonly Readonly<Record<string, unknown>>[],
    fixed: Readonly<Record<string, unknown>> = {},
  ): void {
    const write = rowWriter(this.#columns, Object.keys(fixed));
    for (const row of rows) write(this.#writer, row, fixed);
  }

  get bytes(): number {
    return this.#writer.bytes;
  }

  /** The tuples added since the last call. */
  take(): Buffer {
    return this.#writer.take();
  }
}
