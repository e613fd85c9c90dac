import type { Reject } from '../schema/errors.ts';
import type { InputAccount } from './adapter.ts';

/** Shape, area and address that a rejected row describes, as far as known. */
type RejectSubject = Pick<Reject, 'extent' | 'area' | 'gnaf_pid'>;

/**
 * Counts the rows of one file and keeps its rejects until they are taken. Rows read and rows decided are counted separately, so a row
 * without an outcome unbalances the account.
 */
export class RowTally {
  rows_in = 0;
  /** Rows that became records. */
  records = 0;
  /** Rows merged into the record of another row. */
  merged = 0;
  /** Rows by value that a field map does not know, and zones without a category by code. */
  unknown: Readonly<Record<string, number>> = {};
  uncategorised: Readonly<Record<string, number>> = {};
  readonly file: string;
  readonly #table: string | null;
  readonly #unit: 'line' | 'feature';
  readonly #drops: Record<string, number> = {};
  #rejected = 0;
  #rejects: Reject[] = [];

  /** `file` is its path inside the release; `table` is null if the rows only enrich other records. */
  constructor(file: string, table: string | null, unit: 'line' | 'feature' = 'line') {
    this.file = file;
    this.#table = table;
    this.#unit = unit;
  }

  drop(name: string, rows = 1): void {
    if (rows > 0) this.#drops[name] = (this.#drops[name] ?? 0) + rows;
  }

  /** Rejects a line or feature that `rows_in` already counts; its number counts from 1. */
  reject(number: number, code: string, message: string, subject?: RejectSubject): void {
    this.#rejected++;
    this.#rejects.push({ code, file: this.file, at: `${this.#unit} ${number}`, message, ...subject });
  }

  /** Counts and rejects a malformed line. */
  readonly badLine = (line: number, code: string, message: string): void => {
    this.rows_in++;
    this.reject(line, code, message);
  };

  /** Number of all rejects so far, taken or not. */
  get rejected(): number {
    return this.#rejected;
  }

  get pendingRejects(): number {
    return this.#rejects.length;
  }

  /** Returns the rejects since the last call. */
  takeRejects(): Reject[] {
    const takenRejects = this.#rejects;
    this.#rejects = [];
    return takenRejects;
  }

  /** Returns the row account; two if some rows became records and others were merged into records of other files. */
  accounts(): InputAccount[] {
    const { file, merged } = this;
    const account: InputAccount = {
      file,
      table: this.#table,
      rows_in: this.rows_in - merged,
      records: this.records,
      rejects: this.#rejected,
      drops: { ...this.#drops },
      ...(Object.keys(this.unknown).length > 0 ? { unknown: { ...this.unknown } } : {}),
      ...(Object.keys(this.uncategorised).length > 0 ? { uncategorised: { ...this.uncategorised } } : {}),
    };
    if (merged === 0) return [account];
    const added = { file, table: null, rows_in: merged, records: merged, rejects: 0, drops: {} };
    return account.rows_in === 0 ? [added] : [account, added];
  }
}
