import { isUtf8 } from 'node:buffer';
import { MAX_DEPTH, MAX_TEXT } from './attribute_value.ts';

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const BACKSLASH = 0x5c;
export const OPEN_ARRAY = 0x5b;
export const CLOSE_ARRAY = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
const LOWER_N = 0x6e;

/** True for the bytes that JSON allows between its parts. */
export const isBlank = (byte: number): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** What ends the reading of a value that is not as expected; `JSON.parse` then says what it is. */
export const UNEXPECTED = Symbol('unexpected');

/** The bytes of a JSON text in quotes. */
export const jsonWord = (text: string): Uint8Array => Uint8Array.from(Buffer.from(JSON.stringify(text)));

/** A place in the bytes of JSON, moved on by what is expected there; anything else throws UNEXPECTED or a SyntaxError. */
export class JsonCursor {
  bytes: Buffer = Buffer.alloc(0);
  at = 0;
  /** Bytes from here on are none of the value's. */
  to = 0;
  /** True where the value that was passed last holds ASCII alone. */
  #isAscii = true;

  fail(at: number): never {
    this.at = at;
    throw UNEXPECTED;
  }

  /** The next byte that is not blank, or undefined at the end. */
  peek(): number | undefined {
    const { bytes, to } = this;
    let { at } = this;
    while (at < to && isBlank(bytes[at]!)) at++;
    this.at = at;
    return at < to ? bytes[at] : undefined;
  }

  expect(byte: number): void {
    if (this.peek() !== byte) this.fail(this.at);
    this.at++;
  }

  /** Passes a comma or the bracket that closes a list; true: something follows. */
  more(closing: number): boolean {
    const byte = this.peek();
    if (byte !== COMMA && byte !== closing) this.fail(this.at);
    this.at++;
    return byte === COMMA;
  }

  /** Passes a word with its quotes, if it is the next text. */
  isWord(word: Uint8Array): boolean {
    if (this.peek() !== QUOTE) return false;
    const { bytes, at } = this;
    const { length } = word;
    for (let i = 1; i < length; i++) if (bytes[at + i] !== word[i]) return false;
    if (at + length > this.to) return this.fail(this.to);
    this.at = at + length;
    return true;
  }

  /** Passes a text in quotes of plain ASCII without escapes; its first byte, `at` being the one after its closing quote. */
  plainText(): number {
    this.expect(QUOTE);
    const { bytes, to, at: from } = this;
    let at = from;
    for (; at < to; at++) {
      const byte = bytes[at]!;
      if (byte === QUOTE) break;
      if (byte < 0x20 || byte > 0x7e || byte === BACKSLASH) this.fail(at);
    }
    if (at >= to) this.fail(at);
    this.at = at + 1;
    return from;
  }

  null(): null {
    if (this.peek() !== LOWER_N || this.value() !== null) this.fail(this.at);
    return null;
  }

  /** Any value, by JSON.parse; one that is too long or nested too deep for an attribute is not as expected. */
  value(): unknown {
    this.peek();
    const from = this.at;
    const end = this.#valueEnd();
    if (end >= this.to || end - from > MAX_TEXT) this.fail(end);
    this.at = end;
    const { bytes } = this;
    if (!this.#isAscii && !isUtf8(bytes.subarray(from, end))) this.fail(this.at);
    return JSON.parse(bytes.toString(this.#isAscii ? 'latin1' : 'utf8', from, end));
  }

  /** Place after the value, as far as quotes and brackets tell; JSON.parse says whether it is one. */
  #valueEnd(): number {
    const { bytes, to } = this;
    let { at } = this;
    let depth = 0;
    let bits = 0;
    for (; at < to; at++) {
      const byte = bytes[at]!;
      bits |= byte;
      if (byte === QUOTE) {
        for (at++; at < to; at++) {
          const inner = bytes[at]!;
          bits |= inner;
          if (inner === QUOTE) break;
          if (inner === BACKSLASH) at++;
        }
        if (depth === 0) {
          at++;
          break;
        }
      } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        // what is nested too deep is for the slower way to reject
        if (++depth > MAX_DEPTH) this.fail(at);
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        if (depth === 0) break;
        depth--;
        if (depth === 0) {
          at++;
          break;
        }
      } else if (byte === COMMA && depth === 0) break;
    }
    this.#isAscii = bits < 0x80;
    return at;
  }
}
