import { daysOfDate } from './day_numbers.ts';

const OID = { int4: 23, text: 25, float8: 701 } as const;
/** Maximum length of text written character by character; beyond it, the call into native code pays off. */
const SHORT_TEXT = 96;
/** Bytes for any value of fixed size, including its length. */
const FIXED_BYTES = 12;

/**
 * Writes the fields of binary COPY tuples into a growing buffer: one method for each column type, and `missing` for NULL. A value larger
 * than fixed size reserves its own bytes, so the rest of its row needs no check.
 */
export class FieldWriter {
  #buffer = Buffer.allocUnsafe(1 << 20);
  #view = new DataView(this.#buffer.buffer, this.#buffer.byteOffset, this.#buffer.length);
  #at = 0;
  #rowBytes = 0;

  get bytes(): number {
    return this.#at;
  }

  /** Returns the bytes written since the last call. */
  take(): Buffer {
    const out = Buffer.from(this.#buffer.subarray(0, this.#at));
    this.#at = 0;
    return out;
  }

  /** Begins a tuple with this number of fields. */
  start(fields: number): void {
    this.#rowBytes = 2 + fields * FIXED_BYTES;
    this.#reserve(0);
    this.#view.setInt16(this.#at, fields);
    this.#at += 2;
  }

  missing(): void {
    this.#word(-1);
  }

  text(text: string): void {
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

  int4(value: number): void {
    if (value !== (value | 0)) throw new RangeError(`${value} is not a 32-bit integer`);
    this.#word(4);
    this.#word(value);
  }

  date(value: string): void {
    this.int4(daysOfDate(value));
  }

  int2(value: number): void {
    if (value !== (value << 16) >> 16) throw new RangeError(`${value} is not a 16-bit integer`);
    this.#word(2);
    this.#view.setInt16(this.#at, value);
    this.#at += 2;
  }

  float8(value: number): void {
    this.#word(8);
    this.#view.setFloat64(this.#at, value);
    this.#at += 8;
  }

  bool(value: boolean): void {
    this.#word(1);
    this.#buffer[this.#at++] = value ? 1 : 0;
  }

  bytea(bytes: Uint8Array): void {
    this.#reserve(4 + bytes.length);
    this.#word(bytes.length);
    this.#buffer.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  texts(values: readonly string[]): void {
    this.#array(OID.text, values, (item) => this.text(item));
  }

  numbers(values: readonly number[]): void {
    this.#array(OID.int4, values, (item) => this.int4(item));
  }

  fractions(values: readonly number[]): void {
    this.#array(OID.float8, values, (item) => this.float8(item));
  }

  jsonb(value: unknown): void {
    const sizeAt = this.#at;
    this.#at += 1;
    this.text(JSON.stringify(value));
    this.#view.setInt32(sizeAt, this.#at - sizeAt - 4);
    this.#view.setInt8(sizeAt + 4, 1);
  }

  #array<T>(oid: number, values: readonly T[], each: (value: T) => void): void {
    this.#reserve(24 + values.length * FIXED_BYTES);
    const sizeAt = this.#at;
    this.#at += 4;
    const header = values.length === 0 ? [0, 0, oid] : [1, 0, oid, values.length, 1];
    for (const word of header) this.#word(word);
    for (const value of values) each(value);
    this.#view.setInt32(sizeAt, this.#at - sizeAt - 4);
  }

  /** Reserves `bytes`, in addition to a row of fixed-size values. */
  #reserve(bytes: number): void {
    const end = this.#at + bytes + this.#rowBytes;
    if (end <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, end));
    this.#buffer.copy(grown, 0, 0, this.#at);
    this.#buffer = grown;
    this.#view = new DataView(grown.buffer, grown.byteOffset, grown.length);
  }

  /** Writes four bytes; the caller has reserved them. */
  #word(value: number): void {
    this.#view.setInt32(this.#at, value);
    this.#at += 4;
  }
}
