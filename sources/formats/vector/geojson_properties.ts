import type { FeatureField } from '../feature.ts';
import { MAX_TEXT } from './attribute_value.ts';
import { DecimalReader } from './decimal.ts';
import {
  BACKSLASH,
  CLOSE_OBJECT,
  COLON,
  type JsonCursor,
  jsonWord,
  OPEN_OBJECT,
  QUOTE,
} from './json_cursor.ts';

const MINUS = 0x2d;
const SLASH = 0x2f;
const ZERO = 0x30;
const NINE = 0x39;
/** Names that are kept of columns that come too late. */
const MAX_LATE = 50;
const MAX_LATE_CHARS = 60;

/** Values of the columns of a file by their number; undefined: the feature lacks it, or nobody asked for it. */
export type ColumnValues = Record<number, unknown>;

/**
 * Reads the attributes of a feature by column: most features have the same columns in the same order, and most columns are not
 * wanted. A value is what JSON.parse gives for it.
 */
export class GeoJsonProperties {
  readonly #words: readonly Uint8Array[];
  readonly #names: readonly string[];
  readonly #columns = new Map<string, number>();
  readonly #wanted: readonly boolean[];
  /** By column: the text that came last, since neighbours often repeat a value. */
  readonly #seen: string[];
  /** The text that is read, without its escapes. */
  readonly #plain = Buffer.alloc(256);
  readonly #decimal = new DecimalReader();
  /** Columns that are none of the file's, as far as they were met. */
  readonly late = new Set<string>();

  constructor(fields: readonly FeatureField[], wanted: readonly FeatureField[]) {
    this.#names = fields.map(({ name }) => name);
    this.#words = this.#names.map(jsonWord);
    for (const [column, name] of this.#names.entries()) this.#columns.set(name, column);
    const names = new Set(wanted.map(({ name }) => name));
    this.#wanted = this.#names.map((name) => names.has(name));
    this.#seen = this.#names.map(() => '');
  }

  /** Values of the object at the cursor, which is left behind it. Throws as the cursor does. */
  read(json: JsonCursor): ColumnValues {
    const values: unknown[] = new Array(this.#names.length);
    json.expect(OPEN_OBJECT);
    if (json.peek() === CLOSE_OBJECT) {
      json.at++;
      return values as ColumnValues;
    }
    let next = 0;
    do {
      const column = this.#column(json, next);
      json.expect(COLON);
      if (column < 0) json.value();
      else values[column] = this.#value(json, column);
      next = column + 1;
    } while (json.more(CLOSE_OBJECT));
    return values as ColumnValues;
  }

  /** Values of attributes that were read whole. */
  pick(all: Readonly<Record<string, unknown>>): ColumnValues {
    const values: ColumnValues = {};
    for (const name of Object.keys(all)) {
      const column = this.#columns.get(name);
      if (column === undefined) this.#addLate(name);
      else values[column] = all[name];
    }
    return values;
  }

  #column(json: JsonCursor, next: number): number {
    if (next < this.#words.length && json.isWord(this.#words[next]!)) return next;
    if (json.peek() !== QUOTE) json.fail(json.at);
    const name = json.value() as string;
    const column = this.#columns.get(name);
    if (column === undefined) this.#addLate(name);
    return column ?? -1;
  }

  #addLate(name: string): void {
    if (this.late.size < MAX_LATE) this.late.add(name.slice(0, MAX_LATE_CHARS));
  }

  #value(json: JsonCursor, column: number): unknown {
    const byte = json.peek()!;
    if (byte === QUOTE) return this.#text(json, column);
    if (byte !== MINUS && !(byte >= ZERO && byte <= NINE)) return json.value();
    const number = this.#decimal.read(json.bytes, json.at, json.to);
    if (Number.isNaN(number)) json.fail(this.#decimal.end);
    json.at = this.#decimal.end;
    return number;
  }

  #text(json: JsonCursor, column: number): unknown {
    const { bytes, to } = json;
    const from = json.at + 1;
    let at = from;
    for (; at < to; at++) {
      const byte = bytes[at]!;
      if (byte === QUOTE) break;
      // what is not plain ASCII is for JSON.parse
      if (byte < 0x20 || byte > 0x7e) return json.value();
      if (byte === BACKSLASH) return this.#escaped(json, at) ?? json.value();
    }
    if (at >= to || at - from > MAX_TEXT) json.fail(at);
    json.at = at + 1;
    if (!this.#wanted[column]) return undefined;
    const seen = this.#seen[column]!;
    if (seen.length === at - from) {
      let i = from;
      while (i < at && seen.charCodeAt(i - from) === bytes[i]) i++;
      if (i === at) return seen;
    }
    const text = bytes.toString('latin1', from, at);
    this.#seen[column] = text;
    return text;
  }

  /** A short text whose escapes, the first of which is at `first`, stand for themselves; null: it is another one. */
  #escaped(json: JsonCursor, first: number): string | null {
    const { bytes, to } = json;
    const from = json.at + 1;
    const plain = this.#plain;
    let length = first - from;
    if (length >= plain.length) return null;
    for (let i = 0; i < length; i++) plain[i] = bytes[from + i]!;
    for (let at = first; at < to && length < plain.length; at++) {
      let byte = bytes[at]!;
      if (byte === QUOTE) {
        json.at = at + 1;
        return plain.toString('latin1', 0, length);
      }
      if (byte < 0x20 || byte > 0x7e) return null;
      if (byte === BACKSLASH) {
        if (++at >= to) return null;
        byte = bytes[at]!;
        if (byte !== BACKSLASH && byte !== QUOTE && byte !== SLASH) return null;
      }
      plain[length++] = byte;
    }
    return null;
  }
}
