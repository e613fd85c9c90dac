import type { Row, Table } from '../../schema/table.ts';
import type { RecordBatch, SourceBatch } from '../adapter.ts';
import type { RowTally } from '../tally.ts';

/** Maximum rows of a batch: few enough to die young in the garbage collector, which reads a third faster than 8,192. */
const MAX_ROWS = 2048;
/** Maximum bytes of geometry in a batch: a state has 100,000 pieces. */
const MAX_BYTES = 8 << 20;
/** Number of rejects that ends a batch early. */
export const MAX_REJECTS = 2048;

/** Collects the rows of one table into batches of bounded size, with the rejects of their input. */
export class RowBatches<T extends Table> {
  #rows: Row<T>[] = [];
  #bytes = 0;
  readonly #table: T;
  readonly #tally: RowTally | null;

  /** `tally` is null if the rows come from several inputs, whose rejects are then passed on separately. */
  constructor(table: T, tally: RowTally | null) {
    this.#table = table;
    this.#tally = tally;
  }

  /** Adds a row; `bytes` is its size besides numbers and short texts. */
  add(row: Row<T>, bytes = 0): void {
    this.#rows.push(row);
    this.#bytes += bytes;
  }

  /** Adds rows, and yields a batch whenever one is full; `bytesOf` measures a row. */
  *addAll(rows: Iterable<Row<T>>, bytesOf: (row: Row<T>) => number): Generator<SourceBatch> {
    for (const row of rows) {
      this.add(row, bytesOf(row));
      if (this.full) yield this.rest();
    }
  }

  get full(): boolean {
    const { length } = this.#rows;
    return (
      length >= MAX_ROWS || this.#bytes >= MAX_BYTES || (this.#tally?.pendingRejects ?? 0) >= MAX_REJECTS
    );
  }

  /** Returns the rows and rejects since the last call; both may be empty. */
  rest(): SourceBatch {
    const rows = this.#rows;
    this.#rows = [];
    this.#bytes = 0;
    const records = rows.length === 0 ? [] : [{ table: this.#table, rows } as unknown as RecordBatch];
    return { records, rejects: this.#tally?.takeRejects() ?? [] };
  }
}
