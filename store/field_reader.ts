import type { ColumnType } from '../schema/table.ts';
import { dateOfDays } from './day_numbers.ts';
import { TextPool } from './text_pool.ts';

/** Texts of a thread: tables that are read one after the other share their names and keys. */
const TEXTS = new TextPool();

/** Reads the fields of binary COPY tuples out of one chunk of bytes. A method for each column type, called by generated code. */
export class FieldReader {
  #buffer: Buffer = Buffer.alloc(0);
  #view: DataView = new DataView(new ArrayBuffer(0));

  /** Goes on with other bytes. */
  use(buffer: Buffer): void {
    this.#buffer = buffer;
    this.#view = new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
  }

  text(at: number, size: number): string {
    return TEXTS.read(this.#buffer, at, size);
  }

  int4(at: number): number {
    return this.#view.getInt32(at);
  }

  int2(at: number): number {
    return this.#view.getInt16(at);
  }

  float8(at: number): number {
    return this.#view.getFloat64(at);
  }

  bool(at: number): boolean {
    return this.#buffer[at] === 1;
  }

  /** A view into the bytes. */
  bytea(at: number, size: number): Uint8Array {
    return new Uint8Array(this.#buffer.buffer, this.#buffer.byteOffset + at, size);
  }

  date(at: number): string {
    return dateOfDays(this.#view.getInt32(at));
  }

  jsonb(at: number, size: number): unknown {
    return JSON.parse(this.#buffer.toString('utf8', at + 1, at + size));
  }

  texts(start: number): string[] {
    return this.#array(start, (at, size) => this.text(at, size));
  }

  numbers(start: number): number[] {
    return this.#array(start, (at) => this.int4(at));
  }

  #array<T>(start: number, item: (at: number, size: number) => T): T[] {
    if (this.int4(start) === 0) return [];
    const length = this.int4(start + 12);
    const out: T[] = [];
    for (let i = 0, at = start + 20; i < length; i++) {
      const size = this.int4(at);
      out.push(item(at + 4, size));
      at += 4 + size;
    }
    return out;
  }
}

/** The method of reader and writer for each column type. */
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
  jsonb: 'jsonb',
};
