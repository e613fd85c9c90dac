import type { Reject } from '../../schema/errors.ts';
import type { InputAccount } from '../adapter.ts';

/** Counts what became of the rows of one file, and keeps the rejects until they are taken. */
export class FileTally {
  readonly account: InputAccount;
  readonly #place: 'feature' | 'line';
  #rejects: Reject[] = [];

  constructor(file: string, table: string | null, place: 'feature' | 'line' = 'feature') {
    this.account = { file, table, rows_in: 0, records: 0, rejects: 0, drops: {} };
    this.#place = place;
  }

  drop(name: string): void {
    this.account.drops[name] = (this.account.drops[name] ?? 0) + 1;
  }

  /** Sets a feature or line aside; its number counts from 1. */
  reject(number: number, code: string, message: string): void {
    this.account.rejects++;
    this.#rejects.push({ code, file: this.account.file, at: `${this.#place} ${number}`, message });
  }

  /** Rejects since the last call. */
  takeRejects(): Reject[] {
    const taken = this.#rejects;
    this.#rejects = [];
    return taken;
  }
}
