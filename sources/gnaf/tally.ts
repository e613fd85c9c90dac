import type { Reject } from '../../schema/errors.ts';
import type { InputAccount } from '../adapter.ts';

/** Counts what becomes of the rows of one member, and holds its rejects until they are taken. */
export class Tally {
  rows_in = 0;
  records = 0;
  readonly #file: string;
  readonly #table: string | null;
  readonly #drops: Record<string, number> = {};
  #rejects = 0;
  #pending: Reject[] = [];

  /** @param file path inside the release; `table` is null where the rows only enrich other records. */
  constructor(file: string, table: string | null) {
    this.#file = file;
    this.#table = table;
  }

  /** Rejects a row that `rows_in` already counts. */
  reject(code: string, line: number, message: string): void {
    this.#rejects++;
    this.#pending.push({ code, file: this.#file, at: `line ${line}`, message });
  }

  /** Counts and rejects a line that is no row. */
  readonly badLine = (code: string, line: number, message: string): void => {
    this.rows_in++;
    this.reject(code, line, message);
  };

  drop(name: string, rows = 1): void {
    if (rows > 0) this.#drops[name] = (this.#drops[name] ?? 0) + rows;
  }

  get pendingRejects(): number {
    return this.#pending.length;
  }

  takeRejects(): Reject[] {
    const taken = this.#pending;
    this.#pending = [];
    return taken;
  }

  account(): InputAccount {
    return {
      file: this.#file,
      table: this.#table,
      rows_in: this.rows_in,
      records: this.records,
      rejects: this.#rejects,
      drops: { ...this.#drops },
    };
  }
}
