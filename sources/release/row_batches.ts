import type { Row, Table } from '../../schema/table.ts';
import type { RecordBatch, SourceBatch } from '../adapter.ts';
import type { RowTally } from '../tally.ts';

/** Rows of a batch: few enough to die young in the garbage collector, which reads a third faster than 8,192. */
const MAX_ROWS = 2048;
/** Bytes of geometry of a batch: a state has 100,000 pieces. */
const MAX_BYTES = 8 << 20;
/** Rejects that end a batch early. */
export const MAX_REJECTS = 2048;

/** Gathers the rows of one table into batches of bounded size, with the rejects of the input that they come from. */
export class RowBatches<T extends Table> {
  #rows: Row<T>[] = [];
  #bytes = 0;
  readonly #table: T;
  readonly #tally: RowTally | null;

  /** `tally` is null where several inputs give the rows, whose rejects are then passed on by themselves. */
  constructor(table: T, tally: RowTally | null) {
    this.#table = table;
    this.#tally = tally;
  }

  /** Takes a row in; `bytes` are those that it holds besides its numbers and short texts. */
  add(row: Row<T>, bytes = 0): void {
    this.#rows.push(row);
    this.#bytes += bytes;
  }

  /** Takes rows in, and yields a batch whenever one is full; `bytesOf` measures a row. */
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

  /** What has been gathered since the last call; without rows or rejects where there are none. */
  rest(): SourceBatch {
    const rows = this.#rows;
    this.#rows = [];
    this.#bytes = 0;
    const records = rows.length === 0 ? [] : [{ table: this.#table, rows } as unknown as RecordBatch];
    return { records, rejects: this.#tally?.takeRejects() ?? [] };
  }
}
