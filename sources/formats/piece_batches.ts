import type { Row, Table } from '../../schema/table.ts';
import type { Batch, RecordBatch } from '../adapter.ts';

/** Rows and bytes of geometry that are held before they are passed on: a state has 100,000 pieces. */
const MAX_ROWS = 4096;
const MAX_BYTES = 8 << 20;

/** Gathers the pieces of features into batches of bounded size. */
export class PieceBatches<T extends Table> {
  readonly #table: T;
  #rows: Row<T>[] = [];
  #bytes = 0;

  constructor(table: T) {
    this.#table = table;
  }

  /** Takes rows in, and yields a batch whenever one is full; `bytesOf` measures a row. */
  *addAll(rows: Iterable<Row<T>>, bytesOf: (row: Row<T>) => number): Iterable<Batch> {
    for (const row of rows) {
      this.#rows.push(row);
      this.#bytes += bytesOf(row);
      if (this.#rows.length >= MAX_ROWS || this.#bytes >= MAX_BYTES) yield { records: this.rest() };
    }
  }

  /** What is held, which is forgotten; no batch where nothing is. */
  rest(): RecordBatch[] {
    if (this.#rows.length === 0) return [];
    const rows = this.#rows;
    this.#rows = [];
    this.#bytes = 0;
    return [{ table: this.#table, rows } as unknown as RecordBatch];
  }
}
