import { isAscii, isUtf8 } from 'node:buffer';
import type { Problem } from '../feature.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const RECORD_SEPARATOR = 0x1e;
const LF = 0x0a;
const isBlank = (byte: number): boolean =>
  byte === 0x20 || byte === LF || byte === 0x0d || byte === 0x09 || byte === RECORD_SEPARATOR;

/** Maximum bytes of one feature: 1.7 million vertices of ordinary precision, more than any published polygon has. */
const MAX_FEATURE_BYTES = 64 << 20;
/** Maximum arrays of one feature; every position is an array. */
const MAX_ARRAYS = 10_000_000;

/** `collection`: values between commas up to a closing bracket. `sequence`: values one after the other up to the end. */
export type ScanMode = 'collection' | 'sequence';

/** Text of one value of the sequence, or why it cannot be read. */
export type Scanned = { readonly text: string; readonly problem: null } | { readonly problem: Problem };

/** Pattern of the next feature after a damaged one: the start of a line that looks like a feature. */
const NEXT: Readonly<Record<ScanMode, RegExp>> = {
  collection: /\n[ \t]{0,99}(?=\{[ \t]{0,9}"type"[ \t]{0,9}:[ \t]{0,9}"Feature")/g,
  sequence: /[\n\x1e][ \t\x1e]{0,9}(?=\{)/g,
};

const damaged = (code: string, message: string): Scanned => ({ problem: { code, message } });

/**
 * Finds the objects of a JSON list in bytes that come in chunks; memory is bounded by the longest feature. It reads only quotes and
 * brackets; the parser checks the text between them. After a feature whose brackets or quotes do not close, it goes on at the next line
 * that starts one.
 */
export class JsonScanner {
  readonly #mode: ScanMode;
  /** Bytes [#from, #to) are buffered. Between features #from is the scan position; inside a feature it is the feature's start. */
  #buffer = Buffer.alloc(0);
  #from = 0;
  #to = 0;
  /** Scan position inside a feature; may be one byte past #to, after a backslash. */
  #at = 0;
  #inside = false;
  #depth = 0;
  #inText = false;
  #arrays = 0;
  /** First byte of the value. */
  #opener = 0;
  /** True while the bytes of a feature that is too long are discarded. */
  #skipping = false;
  #ended = false;
  /** True after the closing bracket of a collection. */
  closed = false;
  /** Number of features whose end had to be guessed. */
  guessed = 0;

  constructor(mode: ScanMode) {
    this.#mode = mode;
  }

  /** Adds the next bytes of the file. */
  push(chunk: Uint8Array): void {
    const unread = this.#to - this.#from;
    const space = this.#buffer.length - this.#to;
    if (space < chunk.length) {
      // doubling keeps the copies of a long feature linear
      const size =
        unread + chunk.length > this.#buffer.length ? 2 * (unread + chunk.length) : this.#buffer.length;
      const target = size > this.#buffer.length ? Buffer.allocUnsafe(size) : this.#buffer;
      this.#buffer.copy(target, 0, this.#from, this.#to);
      this.#buffer = target;
      this.#at -= this.#from;
      this.#to = unread;
      this.#from = 0;
    }
    this.#buffer.set(chunk, this.#to);
    this.#to += chunk.length;
  }

  /** Marks the end of the bytes. */
  end(): void {
    this.#ended = true;
  }

  /** Returns the buffered bytes after the closing bracket. */
  rest(): Buffer {
    return this.#buffer.subarray(this.#from, this.#to);
  }

  /** True if the file ended inside a feature or before the closing bracket. */
  get isCut(): boolean {
    return this.#ended && (this.#mode === 'collection' ? !this.closed : this.#inside);
  }

  /** Returns the next value; undefined: more bytes are needed, or there are no more. */
  take(): Scanned | undefined {
    if (!this.#inside && !this.#begin()) return undefined;
    const scanned = this.#scan();
    if (scanned !== undefined) return scanned;
    if (this.#at - this.#from > MAX_FEATURE_BYTES && !this.#skipping) return this.#tooLong();
    if (this.#skipping) this.#from = Math.min(this.#at, this.#to);
    if (this.#ended) return this.#cut();
    return undefined;
  }

  /** Moves to the start of the next value; false: the buffer has none. */
  #begin(): boolean {
    if (this.closed) return false;
    const buffer = this.#buffer;
    for (; this.#from < this.#to; this.#from++) {
      const byte = buffer[this.#from]!;
      if (isBlank(byte) || byte === COMMA) continue;
      if (byte === CLOSE_ARRAY && this.#mode === 'collection') {
        this.closed = true;
        this.#from++;
        return false;
      }
      this.#inside = true;
      this.#at = this.#from;
      this.#depth = 0;
      this.#inText = false;
      this.#arrays = 0;
      this.#opener = byte;
      return true;
    }
    return false;
  }

  /** Follows quotes and brackets to the end of the value, or of the buffer. */
  #scan(): Scanned | undefined {
    const buffer = this.#buffer;
    const to = this.#to;
    let at = this.#at;
    let depth = this.#depth;
    let inText = this.#inText;
    for (; at < to; at++) {
      const byte = buffer[at]!;
      if (inText) {
        if (byte === QUOTE) inText = false;
        else if (byte === BACKSLASH) at++;
        continue;
      }
      // digits, blanks, commas, points and signs all have codes below the bracket
      if (byte < OPEN_ARRAY && byte !== QUOTE && depth > 0) continue;
      if (byte === QUOTE) inText = true;
      else if (byte === OPEN_OBJECT) depth++;
      else if (byte === OPEN_ARRAY) {
        depth++;
        this.#arrays++;
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth--;
      if (depth <= 0 && !inText) {
        const scanned = this.#atTop(byte, at);
        if (scanned !== undefined) return scanned;
      }
    }
    this.#at = at;
    this.#depth = depth;
    this.#inText = inText;
    return undefined;
  }

  /** Handles a byte outside all brackets: the end of an object, or of something that is not an object. */
  #atTop(byte: number, at: number): Scanned | undefined {
    if (byte === CLOSE_OBJECT || (byte === CLOSE_ARRAY && this.#opener === OPEN_ARRAY))
      return this.#finish(at + 1);
    if (byte === COMMA || byte === CLOSE_ARRAY || byte === LF || byte === RECORD_SEPARATOR)
      // a bracket that closes nothing is a value of its own, so every step advances
      return this.#finish(Math.max(at, this.#from + 1));
    return undefined;
  }

  /** Returns the value that ends before `end`. */
  #finish(end: number): Scanned {
    const bytes = this.#buffer.subarray(this.#from, end);
    const wasSkipped = this.#skipping;
    const arrays = this.#arrays;
    this.#leave(end);
    if (wasSkipped) return tooLong();
    if (this.#opener !== OPEN_OBJECT) {
      this.guessed++;
      return damaged('bad_json', `not an object: ${bytes.toString('latin1', 0, 40)}`);
    }
    if (arrays > MAX_ARRAYS) {
      return damaged(
        'too_many_vertices',
        `${arrays} lists, more than ${MAX_ARRAYS}; cut the feature into parts`,
      );
    }
    // ASCII as latin1 is a plain copy, several times as fast as decoding UTF-8
    if (isAscii(bytes)) return { text: bytes.toString('latin1'), problem: null };
    if (!isUtf8(bytes)) return damaged('bad_encoding', 'the feature has bytes that are not UTF-8 text');
    return { text: bytes.toString('utf8'), problem: null };
  }

  #leave(from: number): void {
    this.#from = from;
    this.#inside = false;
    this.#skipping = false;
  }

  /**
   * Goes back to the next line that starts a feature, if `text` (the value that could not be read) contains one. Call it before the next
   * value is taken.
   */
  rewind(text: string): void {
    const bytes = Buffer.byteLength(text);
    const next = this.#nextStart(this.#from - bytes, this.#from);
    if (next !== null) this.#leave(next);
  }

  /** Returns the position of the first line in [from, to) that starts a feature, excluding the first byte; null: none. */
  #nextStart(from: number, to: number): number | null {
    const pattern = NEXT[this.#mode];
    pattern.lastIndex = 0;
    const match = pattern.exec(this.#buffer.toString('latin1', from, to));
    if (match === null) return null;
    this.guessed++;
    return from + match.index + match[0].length;
  }

  #tooLong(): Scanned | undefined {
    const next = this.#nextStart(this.#from, this.#to);
    if (next !== null) {
      this.#leave(next);
      return damaged('bad_json', 'its quotes or brackets do not close');
    }
    this.#skipping = true;
    this.#from = Math.min(this.#at, this.#to);
    return this.#ended ? this.#cut() : undefined;
  }

  /** Handles the end of the file inside a value. */
  #cut(): Scanned | undefined {
    const next = this.#skipping ? null : this.#nextStart(this.#from, this.#to);
    if (next !== null) {
      this.#leave(next);
      return damaged('bad_json', 'its quotes or brackets do not close');
    }
    if (this.#mode === 'collection') return undefined;
    this.#leave(this.#to);
    return damaged('bad_json', 'the file ends inside it');
  }
}

const tooLong = (): Scanned =>
  damaged('feature_too_large', `its text is longer than ${MAX_FEATURE_BYTES} bytes`);
