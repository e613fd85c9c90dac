import type { Columns, ColumnType } from '../schema/table.ts';
import { EPOCH_DAYS, MS_PER_DAY } from './row_decoder.ts';

const OID = { int4: 23, text: 25 } as const;
/** Longest text that is written character by character; beyond, the call into native code pays off. */
const SHORT_TEXT = 96;
/** Room for any value of fixed size with its length. */
const FIXED_BYTES = 12;

/** Encodes rows as binary COPY tuples into a growing buffer. One instance per COPY. */
export class RowEncoder {
  readonly #names: readonly string[];
  readonly #types: readonly ColumnType[];
  /** Room for a row of fixed sizes. Whatever takes more reserves it on top, so that the rest of its row needs no check. */
  readonly #rowBytes: number;
  #buffer = Buffer.allocUnsafe(1 << 20);
  #at = 0;

  constructor(columns: Columns) {
    this.#names = Object.keys(columns);
    this.#types = Object.values(columns).map((column) => column.type);
    this.#rowBytes = 2 + this.#names.length * FIXED_BYTES;
  }

  /** Appends rows. `fixed` overrides columns for all of them (the load id). A missing value is written as NULL. */
  add(
    rows: readonly Readonly<Record<string, unknown>>[],
    fixed: Readonly<Record<string, unknown>> = {},
  ): void {
    const names = this.#names;
    const types = this.#types;
    const count = names.length;
    const isFixed = names.map((name) => name in fixed);
    for (const row of rows) {
      this.#reserve(0);
      this.#buffer[this.#at++] = count >> 8;
      this.#buffer[this.#at++] = count;
      for (let i = 0; i < count; i++) {
        const name = names[i]!;
        const value = isFixed[i] ? fixed[name] : row[name];
        if (value === null || value === undefined) this.#word(-1);
        else this.#value(types[i]!, value);
      }
    }
  }

  get bytes(): number {
    return this.#at;
  }

  /** The tuples added since the last call. */
  take(): Buffer {
    const out = Buffer.from(this.#buffer.subarray(0, this.#at));
    this.#at = 0;
    return out;
  }

  /** Makes room for `bytes` besides those of a row of fixed sizes. */
  #reserve(bytes: number): void {
    const end = this.#at + bytes + this.#rowBytes;
    if (end <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, end));
    this.#buffer.copy(grown, 0, 0, this.#at);
    this.#buffer = grown;
  }

  /** Four bytes; the caller has reserved them. By hand, because the method of Buffer checks what is known here. */
  #word(value: number): void {
    const buffer = this.#buffer;
    const at = this.#at;
    buffer[at] = value >> 24;
    buffer[at + 1] = value >> 16;
    buffer[at + 2] = value >> 8;
    buffer[at + 3] = value;
    this.#at = at + 4;
  }

  #text(text: string): void {
    const { length } = text;
    this.#reserve(4 + length * 3);
    const sizeAt = this.#at;
    const start = sizeAt + 4;
    const buffer = this.#buffer;
    let i = 0;
    if (length < SHORT_TEXT) {
      for (; i < length; i++) {
        const code = text.charCodeAt(i);
        if (code > 127) break;
        buffer[start + i] = code;
      }
    }
    const bytes = i === length ? length : buffer.write(text, start, 'utf8');
    this.#word(bytes);
    this.#at = start + bytes;
  }

  #array(oid: number, values: readonly unknown[], each: (value: never) => void): void {
    this.#reserve(24 + values.length * FIXED_BYTES);
    const sizeAt = this.#at;
    const header = values.length === 0 ? [0, 0, oid] : [1, 0, oid, values.length, 1];
    let at = sizeAt + 4;
    for (const word of header) at = this.#buffer.writeInt32BE(word, at);
    this.#at = at;
    for (const value of values) each(value as never);
    this.#buffer.writeInt32BE(this.#at - sizeAt - 4, sizeAt);
  }

  #int4(value: number): void {
    if (value !== (value | 0)) throw new RangeError(`${value} is not a 32-bit integer`);
    this.#word(4);
    this.#word(value);
  }

  #value(type: ColumnType, value: unknown): void {
    switch (type) {
      case 'text':
        this.#text(value as string);
        return;
      case 'int4':
        this.#int4(value as number);
        return;
      case 'date':
        this.#int4(Date.parse(`${value as string}T00:00:00Z`) / MS_PER_DAY - EPOCH_DAYS);
        return;
      case 'int2':
        this.#word(2);
        this.#at = this.#buffer.writeInt16BE(value as number, this.#at);
        return;
      case 'float8':
        this.#word(8);
        this.#at = this.#buffer.writeDoubleBE(value as number, this.#at);
        return;
      case 'bool':
        this.#word(1);
        this.#at = this.#buffer.writeInt8(value ? 1 : 0, this.#at);
        return;
      case 'bytea': {
        const bytes = value as Uint8Array;
        this.#reserve(4 + bytes.length);
        this.#at = this.#buffer.writeInt32BE(bytes.length, this.#at);
        this.#buffer.set(bytes, this.#at);
        this.#at += bytes.length;
        return;
      }
      case 'text[]':
        this.#array(OID.text, value as string[], (item: string) => this.#text(item));
        return;
      case 'int4[]':
        this.#array(OID.int4, value as number[], (item: number) => this.#int4(item));
        return;
      case 'jsonb': {
        const sizeAt = this.#at;
        this.#at += 1;
        this.#text(JSON.stringify(value));
        const size = this.#at - sizeAt - 5;
        this.#buffer.writeInt32BE(size + 1, sizeAt);
        this.#buffer.writeInt8(1, sizeAt + 4);
        return;
      }
    }
  }
}
