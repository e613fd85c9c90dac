import { isUtf8 } from 'node:buffer';
import { MAX_VERTICES } from '../../transforms/geo/rings.ts';
import { MAX_DEPTH, MAX_TEXT } from './attribute_value.ts';
import { DecimalReader } from './decimal.ts';
import type { Family } from './feature.ts';
import { GEOJSON_TYPES } from './geojson_geometry.ts';
import type { ValueParser } from './json_scan.ts';
import type { PlainFeature, RawGeometry } from './plain_features.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
/** Numbers that a buffer of coordinates holds; what keeps one feature keeps this much. */
const SLAB_NUMBERS = 4096;
/** Longest text of attributes and further members: in a longer one an attribute may be too long. */
const MAX_VALUE_BYTES = MAX_TEXT;

const word = (text: string): Uint8Array => Uint8Array.from(Buffer.from(`"${text}"`));
const [TYPE, FEATURE, PROPERTIES, GEOMETRY, COORDINATES] = [
  word('type'),
  word('Feature'),
  word('properties'),
  word('geometry'),
  word('coordinates'),
];

/** A type of geometry: its quoted name, and how many lists are around its positions. */
interface GeometryType {
  readonly word: Uint8Array;
  readonly kind: Family;
  readonly depth: number;
}
const GEOMETRY_TYPES: readonly GeometryType[] = Object.entries(GEOJSON_TYPES).map(
  ([name, [kind, depth]]) => ({
    word: word(name),
    kind,
    depth,
  }),
);

/** Hands out coordinates of many features from one buffer: buffers of their own cost more than their numbers. */
class Slab {
  #buffer = new ArrayBuffer(0);
  #used = 0;

  /** The first `length` numbers as an array that stays as it is. */
  keep(coords: Float64Array, length: number): Float64Array {
    if (length > SLAB_NUMBERS / 8) return coords.slice(0, length);
    if (this.#used + 8 * length > this.#buffer.byteLength) {
      this.#buffer = new ArrayBuffer(8 * SLAB_NUMBERS);
      this.#used = 0;
    }
    const kept = new Float64Array(this.#buffer, this.#used, length);
    for (let i = 0; i < length; i++) kept[i] = coords[i]!;
    this.#used += 8 * length;
    return kept;
  }
}

/** What ends the reading of a feature that is not as expected; `JSON.parse` then says what it is. */
const UNEXPECTED = Symbol('unexpected');

/**
 * Reads ordinary GeoJSON features straight off the bytes, coordinates into a typed array and the attributes by JSON.parse,
 * faster than JSON.parse of the whole and with the same result. What is not ordinary (damaged, a collection of geometries, a
 * member twice, empty lists …) gives null, and is for the slower way with its messages.
 */
export class GeoJsonFeatureParser implements ValueParser<PlainFeature> {
  /** First byte of the feature that was read last. */
  start = 0;
  end = 0;
  isShort = false;
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  #to = 0;
  readonly #decimal = new DecimalReader();
  /** Coordinates of the feature that is read. */
  #coords = new Float64Array(4096);
  #length = 0;
  #ends: number[] = [];
  readonly #slab = new Slab();

  parse(bytes: Buffer, from: number, to: number): PlainFeature | null {
    this.#bytes = bytes;
    this.start = from;
    this.#at = from;
    this.#to = to;
    this.isShort = false;
    try {
      const feature = this.#feature();
      this.end = this.#at;
      return feature;
    } catch (error) {
      if (error !== UNEXPECTED && !(error instanceof SyntaxError)) throw error;
      this.isShort = this.#at >= to;
      return null;
    }
  }

  #feature(): PlainFeature {
    let isFeature = false;
    let values: Record<string, unknown> | undefined;
    let geometry: RawGeometry | null | undefined;
    this.#expect(OPEN_OBJECT);
    do {
      if (this.#isWord(TYPE)) {
        this.#expect(COLON);
        if (isFeature || !this.#isWord(FEATURE)) this.#fail(this.#at);
        isFeature = true;
      } else if (this.#isWord(PROPERTIES)) {
        this.#expect(COLON);
        if (values !== undefined) this.#fail(this.#at);
        values = this.#attributes();
      } else if (this.#isWord(GEOMETRY)) {
        this.#expect(COLON);
        if (geometry !== undefined) this.#fail(this.#at);
        geometry = this.#peek() === OPEN_OBJECT ? this.#geometry() : this.#null();
      } else {
        this.#otherKey();
        this.#expect(COLON);
        this.#value();
      }
    } while (this.#more(CLOSE_OBJECT));
    if (!isFeature) this.#fail(this.#at);
    return { problem: null, values: values ?? {}, geometry: geometry ?? null };
  }

  #attributes(): Record<string, unknown> {
    if (this.#peek() !== OPEN_OBJECT) return this.#null() ?? {};
    return this.#value() as Record<string, unknown>;
  }

  #geometry(): RawGeometry {
    let type: GeometryType | undefined;
    let depth = -1;
    this.#expect(OPEN_OBJECT);
    do {
      if (type === undefined && this.#isWord(TYPE)) {
        this.#expect(COLON);
        type = GEOMETRY_TYPES.find(({ word }) => this.#isWord(word)) ?? this.#fail(this.#at);
      } else if (depth < 0 && this.#isWord(COORDINATES)) {
        this.#expect(COLON);
        depth = this.#coordinates();
      } else this.#fail(this.#at);
    } while (this.#more(CLOSE_OBJECT));
    if (type === undefined || depth !== type.depth) this.#fail(this.#at);
    return { kind: type.kind, coords: this.#slab.keep(this.#coords, this.#length), ends: this.#ends };
  }

  /** Reads nested lists of positions; how many lists are around each. */
  #coordinates(): number {
    this.#length = 0;
    this.#ends = [];
    let depth = -1;
    const from = this.#at;
    while (this.#peek() === OPEN_ARRAY) {
      this.#at++;
      depth++;
    }
    if (depth < 0 || depth > 3) this.#fail(this.#at);
    this.#at = from;
    this.#lists(depth);
    return depth;
  }

  /** A position, or a list with `depth` lists around its positions; none may be empty. */
  #lists(depth: number): void {
    if (depth === 0) {
      this.#positions(false);
      return;
    }
    this.#expect(OPEN_ARRAY);
    if (depth === 1) {
      this.#positions(true);
      this.#expect(CLOSE_ARRAY);
      this.#ends.push(this.#length / 2);
      return;
    }
    do this.#lists(depth - 1);
    while (this.#more(CLOSE_ARRAY));
  }

  /** One position, or all up to one that no comma follows: two numbers each, and further ones that are passed over. */
  #positions(many: boolean): void {
    const bytes = this.#bytes;
    const to = this.#to;
    const decimal = this.#decimal;
    let coords = this.#coords;
    let length = this.#length;
    let at = this.#at;
    for (;;) {
      while (isBlank(bytes[at]!)) at++;
      if (bytes[at] !== OPEN_ARRAY) this.#fail(at);
      at++;
      if (length === coords.length) coords = this.#grow(length);
      let axis = 0;
      for (;;) {
        while (isBlank(bytes[at]!)) at++;
        const value = decimal.read(bytes, at, to);
        at = decimal.end;
        if (Number.isNaN(value)) this.#fail(at);
        if (axis < 2) coords[length + axis] = value;
        axis++;
        while (isBlank(bytes[at]!)) at++;
        if (bytes[at] !== COMMA) break;
        at++;
      }
      // bytes from `to` on are none of the file's, so what was read of them counts for nothing
      if (axis < 2 || bytes[at] !== CLOSE_ARRAY || at >= to) this.#fail(at);
      at++;
      length += 2;
      while (isBlank(bytes[at]!)) at++;
      if (!many || bytes[at] !== COMMA) break;
      at++;
    }
    this.#at = at;
    this.#length = length;
  }

  #fail(at: number): never {
    this.#at = at;
    throw UNEXPECTED;
  }

  #grow(length: number): Float64Array<ArrayBuffer> {
    if (length >= 2 * MAX_VERTICES) this.#fail(this.#at);
    const larger = new Float64Array(2 * length);
    larger.set(this.#coords);
    this.#coords = larger;
    return larger;
  }

  /** The next byte that is not blank, or undefined at the end. */
  #peek(): number | undefined {
    const bytes = this.#bytes;
    let at = this.#at;
    while (at < this.#to && isBlank(bytes[at]!)) at++;
    this.#at = at;
    return at < this.#to ? bytes[at] : undefined;
  }

  #expect(byte: number): void {
    if (this.#peek() !== byte) this.#fail(this.#at);
    this.#at++;
  }

  /** Passes a comma or the bracket that closes a list; true: something follows. */
  #more(closing: number): boolean {
    const byte = this.#peek();
    if (byte !== COMMA && byte !== closing) this.#fail(this.#at);
    this.#at++;
    return byte === COMMA;
  }

  /** Passes a word with its quotes, if it is the next text. */
  #isWord(word: Uint8Array): boolean {
    if (this.#peek() !== QUOTE) return false;
    const bytes = this.#bytes;
    const at = this.#at;
    for (let i = 1; i < word.length; i++) if (bytes[at + i] !== word[i]) return false;
    if (at + word.length > this.#to) return this.#fail(this.#to);
    this.#at = at + word.length;
    return true;
  }

  /** Passes the name of a member that is not needed: plain ASCII, so that it cannot be one that is needed by other means. */
  #otherKey(): void {
    this.#expect(QUOTE);
    const bytes = this.#bytes;
    let at = this.#at;
    for (; at < this.#to && bytes[at] !== QUOTE; at++) {
      if (bytes[at]! < 0x20 || bytes[at]! > 0x7e || bytes[at] === BACKSLASH) this.#fail(at);
    }
    if (at >= this.#to) this.#fail(at);
    this.#at = at + 1;
  }

  #null(): null {
    if (this.#peek() !== 0x6e || this.#value() !== null) this.#fail(this.#at);
    return null;
  }

  /** Any value, by JSON.parse. */
  #value(): unknown {
    this.#peek();
    const from = this.#at;
    const end = this.#valueEnd();
    if (end >= this.#to || end - from > MAX_VALUE_BYTES) {
      this.#at = end;
      this.#fail(this.#at);
    }
    this.#at = end;
    const bytes = this.#bytes;
    if (!this.#isAscii && !isUtf8(bytes.subarray(from, end))) this.#fail(this.#at);
    return JSON.parse(bytes.toString(this.#isAscii ? 'latin1' : 'utf8', from, end));
  }
  /** True where the value that was passed last holds ASCII alone. */
  #isAscii = true;

  /** Place after the value, as far as quotes and brackets tell; JSON.parse says whether it is one. */
  #valueEnd(): number {
    const bytes = this.#bytes;
    const to = this.#to;
    let at = this.#at;
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
      } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        // what is nested too deep is for the slower way to reject
        if (++depth > MAX_DEPTH) this.#fail(at);
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
