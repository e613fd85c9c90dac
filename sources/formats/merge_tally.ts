import type { Reject } from '../../schema/errors.ts';
import type { InputAccount } from '../adapter.ts';

/**
 * Account of one file whose rows are merged with those of other files of the part into records: the row that brings a record
 * is counted in the account of the table, a row that adds to a record that another one brought in an account without a table.
 */
export class MergeTally {
  readonly #file: string;
  readonly #table: string | null;
  readonly #place: 'line' | 'feature';
  readonly #drops: Record<string, number> = {};
  #claimed = 0;
  #merged = 0;
  #rejected = 0;
  #rejects: Reject[] = [];

  /** Without a table nothing is claimed of what is stored: for what is counted beside the rows. */
  constructor(file: string, table: string | null, place: 'line' | 'feature' = 'line') {
    this.#file = file;
    this.#table = table;
    this.#place = place;
  }

  /** The row became a record. */
  claim(): void {
    this.#claimed++;
  }

  /** The row added to a record that another row brought. */
  merge(): void {
    this.#merged++;
  }

  drop(name: string): void {
    this.#drops[name] = (this.#drops[name] ?? 0) + 1;
  }

  reject(at: number, code: string, message: string): void {
    this.#rejected++;
    this.#rejects.push({ code, file: this.#file, at: `${this.#place} ${at}`, message });
  }

  /** Rejects since the last call. */
  takeRejects(): Reject[] {
    const rejects = this.#rejects;
    this.#rejects = [];
    return rejects;
  }

  /** One account, or two where some rows became records and others were merged into those of other files. */
  accounts(): InputAccount[] {
    const drops = Object.values(this.#drops).reduce((sum, count) => sum + count, 0);
    const own: InputAccount = {
      file: this.#file,
      table: this.#table,
      rows_in: this.#claimed + this.#rejected + drops,
      records: this.#claimed,
      rejects: this.#rejected,
      drops: this.#drops,
    };
    if (this.#merged === 0) return [own];
    const merged = { rows_in: this.#merged, records: this.#merged, rejects: 0, drops: {} };
    const added: InputAccount = { file: this.#file, table: null, ...merged };
    return own.rows_in === 0 ? [added] : [own, added];
  }
}
