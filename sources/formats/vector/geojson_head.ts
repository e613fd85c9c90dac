import type { ScanMode } from './json_scan.ts';

/** Content of a GeoJSON file up to its features. */
export interface GeoJsonHead {
  readonly mode: ScanMode;
  /** Byte where the features start. */
  readonly start: number;
  /** Value of the `crs` member, or of `spatialReference` in Esri JSON; undefined: none before the features. */
  readonly crs: unknown;
  /** True: a bare list of features, without members. */
  readonly isList: boolean;
  /** True: a list of features without the type FeatureCollection before it, which may be Esri JSON. */
  readonly isUntyped: boolean;
}

const space = /[\s\x1e]*/y;
const string = /"(?:[^"\\]|\\.)*"/y;

/** Reads texts from the front of a string; each step returns null if the text ends too early. */
class Cursor {
  at = 0;
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  skipSpace(): void {
    space.lastIndex = this.at;
    space.test(this.text);
    this.at = space.lastIndex;
  }

  peek(): string {
    this.skipSpace();
    return this.text[this.at] ?? '';
  }

  /** Reads a JSON string, including its quotes. */
  string(): string | null {
    this.skipSpace();
    string.lastIndex = this.at;
    const match = string.exec(this.text)?.[0] ?? null;
    if (match !== null) this.at += match.length;
    return match;
  }

  /** Reads any JSON value, as text. */
  value(): string | null {
    this.skipSpace();
    const from = this.at;
    let depth = 0;
    while (this.at < this.text.length) {
      const c = this.text[this.at]!;
      if (c === '"') {
        if (this.string() === null) return null;
        if (depth === 0) return this.text.slice(from, this.at);
        continue;
      }
      if (depth === 0 && /[,}\]]/.test(c)) return this.text.slice(from, this.at);
      if (c === '{' || c === '[') depth++;
      else if (c === '}' || c === ']') depth--;
      this.at++;
      if (depth === 0 && (c === '}' || c === ']')) return this.text.slice(from, this.at);
    }
    return null;
  }
}

const parse = (text: string | null): unknown => {
  try {
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
};

/**
 * Distinguishes a collection (`{"type": "FeatureCollection", …, "features": [` or a bare list) from a sequence of features by the first
 * bytes of a file, decoded as latin1. Text: what is wrong with it.
 */
export function readGeoJsonHead(latin1: string): GeoJsonHead | string {
  const cursor = new Cursor(latin1);
  if (latin1.startsWith('\xef\xbb\xbf')) cursor.at = 3;
  if (cursor.peek() === '[')
    return { mode: 'collection', start: cursor.at + 1, crs: undefined, isList: true, isUntyped: false };
  const start = cursor.at;
  if (cursor.peek() !== '{')
    return latin1.trim() === '' ? 'the file is empty' : 'it does not start with a JSON object';
  cursor.at++;
  const sequence: GeoJsonHead = { mode: 'sequence', start, crs: undefined, isList: false, isUntyped: false };
  let crs: unknown;
  let isCollection = false;
  let hasProperties = false;
  while (cursor.peek() === '"' || cursor.peek() === ',') {
    if (cursor.peek() === ',') cursor.at++;
    const key = parse(cursor.string());
    if (cursor.peek() !== ':') break;
    cursor.at++;
    if (key === 'features' && cursor.peek() === '[')
      return { mode: 'collection', start: cursor.at + 1, crs, isList: false, isUntyped: !isCollection };
    if (key === 'geometry' && !isCollection) return sequence;
    // A collection may have properties too.
    if (key === 'properties') hasProperties = true;
    const value = cursor.value();
    if (value === null) break;
    if (key === 'crs' || key === 'spatialReference') crs = parse(value);
    if (key !== 'type') continue;
    if (value === '"Feature"') return sequence;
    if (value !== '"FeatureCollection"') return `it is a ${value.slice(0, 40)}`;
    isCollection = true;
  }
  if (hasProperties && !isCollection && cursor.peek() === '}') return sequence;
  return 'no list of features comes in its first million bytes';
}

/** CRS of a GeoJSON file that states none (RFC 7946): longitude and latitude on WGS84. */
export const UNSTATED_CRS = 'OGC:CRS84';

/**
 * Returns the CRS of a `crs` member: `EPSG:n` or its name; WGS84 if there is no member (RFC 7946); null: it states that the CRS is unknown.
 */
export function crsOfMember(crs: unknown): string | null {
  if (crs === undefined) return UNSTATED_CRS;
  const { type, properties, wkid, latestWkid, wkt } = (crs ?? {}) as Record<string, unknown> & {
    properties?: Record<string, unknown>;
  };
  if (Number.isInteger(latestWkid ?? wkid)) return `EPSG:${latestWkid ?? wkid}`;
  if (typeof wkt === 'string') return wkt;
  if (typeof properties?.name === 'string') return properties.name;
  if (type === 'EPSG' && Number.isInteger(Number(properties?.code))) return `EPSG:${properties?.code}`;
  return null;
}

/** Returns the index after the bracket that closes an object whose members start `text`; null: it comes later. */
export function endOfMembers(text: string): number | null {
  const cursor = new Cursor(text);
  for (;;) {
    const next = cursor.peek();
    if (next === '') return null;
    if (next === '}') return cursor.at + 1;
    if (next === '"') {
      if (cursor.string() === null) return null;
    } else if (next === '{' || next === '[') {
      if (cursor.value() === null) return null;
    } else cursor.at++;
  }
}
