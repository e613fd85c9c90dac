import { MAX_VERTICES } from '../../../transforms/geo/rings.ts';
import type { Family } from '../feature.ts';
import { DecimalReader } from './decimal.ts';
import { GEOJSON_TYPES } from './geojson_geometry.ts';
import type { GeoJsonProperties } from './geojson_properties.ts';
import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  isBlank,
  JsonCursor,
  jsonWord,
  OPEN_ARRAY,
  OPEN_OBJECT,
  UNEXPECTED,
} from './json_cursor.ts';
import type { ValueParser } from './json_scan.ts';
import type { PlainFeature, RawGeometry } from './plain_features.ts';

/** Numbers that a buffer of coordinates holds; what keeps one feature keeps this much. */
const SLAB_NUMBERS = 4096;

const [TYPE, FEATURE, PROPERTIES, GEOMETRY, COORDINATES] = [
  'type',
  'Feature',
  'properties',
  'geometry',
  'coordinates',
].map(jsonWord) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array];

/** A type of geometry: its quoted name, and how many lists are around its positions. */
interface GeometryType {
  readonly word: Uint8Array;
  readonly kind: Family;
  readonly depth: number;
}
const GEOMETRY_TYPES: readonly GeometryType[] = Object.entries(GEOJSON_TYPES).map(
  ([name, [kind, depth]]) => ({
    word: jsonWord(name),
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
  readonly #json = new JsonCursor();
  /** How attributes are read; null: all of them, under their names. */
  #properties: GeoJsonProperties | null = null;
  readonly #decimal = new DecimalReader();
  /** Coordinates of the feature that is read. */
  #coords = new Float64Array(4096);
  #length = 0;
  #ends: number[] = [];
  readonly #slab = new Slab();
  #lastType = GEOMETRY_TYPES[0]!;

  /** From the next feature on, values are those of the wanted columns, by the number of the column. */
  readColumns(properties: GeoJsonProperties): void {
    this.#properties = properties;
  }

  parse(bytes: Buffer, from: number, to: number): PlainFeature | null {
    const json = this.#json;
    json.bytes = bytes;
    json.at = from;
    json.to = to;
    this.start = from;
    this.isShort = false;
    try {
      const feature = this.#feature();
      this.end = this.#json.at;
      return feature;
    } catch (error) {
      if (error !== UNEXPECTED && !(error instanceof SyntaxError)) throw error;
      this.isShort = this.#json.at >= to;
      return null;
    }
  }

  #feature(): PlainFeature {
    let isFeature = false;
    let values: PlainFeature['values'] | undefined;
    let geometry: RawGeometry | null | undefined;
    this.#json.expect(OPEN_OBJECT);
    do {
      if (this.#json.isWord(TYPE)) {
        this.#json.expect(COLON);
        if (isFeature || !this.#json.isWord(FEATURE)) this.#json.fail(this.#json.at);
        isFeature = true;
      } else if (this.#json.isWord(PROPERTIES)) {
        this.#json.expect(COLON);
        if (values !== undefined) this.#json.fail(this.#json.at);
        values = this.#attributes();
      } else if (this.#json.isWord(GEOMETRY)) {
        this.#json.expect(COLON);
        if (geometry !== undefined) this.#json.fail(this.#json.at);
        geometry = this.#json.peek() === OPEN_OBJECT ? this.#geometry() : this.#json.null();
      } else {
        // plain, so that it cannot be one of the others by other means
        this.#json.plainText();
        this.#json.expect(COLON);
        this.#json.value();
      }
    } while (this.#json.more(CLOSE_OBJECT));
    if (!isFeature) this.#json.fail(this.#json.at);
    return { problem: null, values: values ?? {}, geometry: geometry ?? null };
  }

  #attributes(): PlainFeature['values'] {
    const json = this.#json;
    if (json.peek() !== OPEN_OBJECT) return json.null() ?? {};
    return this.#properties?.read(json) ?? (json.value() as Record<string, unknown>);
  }

  #geometry(): RawGeometry {
    let type: GeometryType | undefined;
    let depth = -1;
    this.#json.expect(OPEN_OBJECT);
    do {
      if (type === undefined && this.#json.isWord(TYPE)) {
        this.#json.expect(COLON);
        type = this.#geometryType();
      } else if (depth < 0 && this.#json.isWord(COORDINATES)) {
        this.#json.expect(COLON);
        depth = this.#coordinates();
      } else this.#json.fail(this.#json.at);
    } while (this.#json.more(CLOSE_OBJECT));
    if (type === undefined || depth !== type.depth) return this.#json.fail(this.#json.at);
    return { kind: type.kind, coords: this.#slab.keep(this.#coords, this.#length), ends: this.#ends };
  }

  #geometryType(): GeometryType {
    const json = this.#json;
    if (json.isWord(this.#lastType.word)) return this.#lastType;
    const type = GEOMETRY_TYPES.find(({ word }) => json.isWord(word)) ?? json.fail(json.at);
    this.#lastType = type;
    return type;
  }

  /** Reads nested lists of positions; how many lists are around each. */
  #coordinates(): number {
    this.#length = 0;
    this.#ends = [];
    let depth = -1;
    const from = this.#json.at;
    while (this.#json.peek() === OPEN_ARRAY) {
      this.#json.at++;
      depth++;
    }
    if (depth < 0 || depth > 3) this.#json.fail(this.#json.at);
    this.#json.at = from;
    this.#lists(depth);
    return depth;
  }

  /** A position, or a list with `depth` lists around its positions; none may be empty. */
  #lists(depth: number): void {
    if (depth === 0) {
      this.#positions(false);
      return;
    }
    this.#json.expect(OPEN_ARRAY);
    if (depth === 1) {
      this.#positions(true);
      this.#json.expect(CLOSE_ARRAY);
      this.#ends.push(this.#length / 2);
      return;
    }
    do this.#lists(depth - 1);
    while (this.#json.more(CLOSE_ARRAY));
  }

  /** One position, or all up to one that no comma follows: two numbers each, and further ones that are passed over. */
  #positions(many: boolean): void {
    const { bytes, to } = this.#json;
    const decimal = this.#decimal;
    let coords = this.#coords;
    let length = this.#length;
    let at = this.#json.at;
    for (;;) {
      while (isBlank(bytes[at]!)) at++;
      if (bytes[at] !== OPEN_ARRAY) this.#json.fail(at);
      at++;
      if (length === coords.length) coords = this.#grow(length);
      let axis = 0;
      for (;;) {
        while (isBlank(bytes[at]!)) at++;
        const value = decimal.read(bytes, at, to);
        at = decimal.end;
        if (Number.isNaN(value)) this.#json.fail(at);
        if (axis < 2) coords[length + axis] = value;
        axis++;
        while (isBlank(bytes[at]!)) at++;
        if (bytes[at] !== COMMA) break;
        at++;
      }
      // bytes from `to` on are none of the file's, so what was read of them counts for nothing
      if (axis < 2 || bytes[at] !== CLOSE_ARRAY || at >= to) this.#json.fail(at);
      at++;
      length += 2;
      while (isBlank(bytes[at]!)) at++;
      if (!many || bytes[at] !== COMMA) break;
      at++;
    }
    this.#json.at = at;
    this.#length = length;
  }

  #grow(length: number): Float64Array<ArrayBuffer> {
    if (length >= 2 * MAX_VERTICES) this.#json.fail(this.#json.at);
    const larger = new Float64Array(2 * length);
    larger.set(this.#coords);
    this.#coords = larger;
    return larger;
  }
}
