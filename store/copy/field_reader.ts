import type { ColumnType } from '../../schema/table.ts';
import { dateOfDays } from './day_numbers.ts';
import { TextPool } from './text_pool.ts';

/** Text pool of a thread: tables that are read in sequence share their names and keys. */
const TEXTS = new TextPool();

/**
 * Reads the fields of a binary COPY tuple in sequence: one method for each column type, called in column order. Each returns null for NULL
 * and moves to the next field.
 */
export class FieldReader {
  #buffer: Buffer = Buffer.alloc(0);
  #view: DataView = new DataView(new ArrayBuffer(0));
  #at = 0;

  /** Continues with the field at `at` of the given bytes. */
  use(buffer: Buffer, at: number): void {
    this.#at = at;
    if (buffer === this.#buffer) return;
    this.#buffer = buffer;
    this.#view = new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
  }

  text(): string | null {
    const size = this.#size();
    return size < 0 ? null : TEXTS.read(this.#buffer, this.#view, this.#skip(size), size);
  }

  int4(): number | null {
    return this.#size() < 0 ? null : this.#view.getInt32(this.#skip(4));
  }

  int2(): number | null {
    return this.#size() < 0 ? null : this.#view.getInt16(this.#skip(2));
  }

  float8(): number | null {
    return this.#size() < 0 ? null : this.#view.getFloat64(this.#skip(8));
  }

  bool(): boolean | null {
    return this.#size() < 0 ? null : this.#buffer[this.#skip(1)] === 1;
  }

  /** Returns a view into the bytes. */
  bytea(): Uint8Array | null {
    const size = this.#size();
    if (size < 0) return null;
    return new Uint8Array(this.#buffer.buffer, this.#buffer.byteOffset + this.#skip(size), size);
  }

  date(): string | null {
    const days = this.int4();
    return days === null ? null : dateOfDays(days);
  }

  jsonb(): unknown {
    const size = this.#size();
    if (size < 0) return null;
    const at = this.#skip(size);
    return JSON.parse(this.#buffer.toString('utf8', at + 1, at + size));
  }

  texts(): (string | null)[] | null {
    return this.#array(() => this.text());
  }

  numbers(): (number | null)[] | null {
    return this.#array(() => this.int4());
  }

  fractions(): (number | null)[] | null {
    return this.#array(() => this.float8());
  }

  /** Reads a one-dimensional array; an empty array has no dimension. */
  #array<T>(item: () => T): T[] | null {
    if (this.#size() < 0) return null;
    const dimensions = this.#view.getInt32(this.#skip(12));
    if (dimensions === 0) return [];
    const length = this.#view.getInt32(this.#skip(8));
    return Array.from({ length }, item);
  }

  /** Reads the size of the field, -1 for NULL; its bytes follow. */
  #size(): number {
    return this.#view.getInt32(this.#skip(4));
  }

  /** Skips bytes; returns where they begin. */
  #skip(bytes: number): number {
    const at = this.#at;
    this.#at = at + bytes;
    return at;
  }
}

/** Method of reader and writer for each column type. */
export const METHOD: Readonly<Record<ColumnType, Exclude<keyof FieldReader, 'use'>>> = {
  text: 'text',
  int2: 'int2',
  int4: 'int4',
  float8: 'float8',
  bool: 'bool',
  date: 'date',
  bytea: 'bytea',
  'text[]': 'texts',
  'int4[]': 'numbers',
  'float8[]': 'fractions',
  jsonb: 'jsonb',
};
