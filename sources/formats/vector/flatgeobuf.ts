import { ByteBuffer } from 'flatbuffers';
import { ColumnType } from 'flatgeobuf/lib/mjs/flat-geobuf/column-type.js';
import { Feature } from 'flatgeobuf/lib/mjs/flat-geobuf/feature.js';
import type { Geometry } from 'flatgeobuf/lib/mjs/flat-geobuf/geometry.js';
import { GeometryType } from 'flatgeobuf/lib/mjs/flat-geobuf/geometry-type.js';
import { parseProperties } from 'flatgeobuf/lib/mjs/generic/feature.js';
import type { HeaderMeta } from 'flatgeobuf/lib/mjs/header-meta.js';
import { fromByteBuffer } from 'flatgeobuf/lib/mjs/header-meta.js';
import { calcTreeSize } from 'flatgeobuf/lib/mjs/packedrtree.js';
import { EtlError } from '../../../schema/errors.ts';
import { ByteReader } from '../archive/byte_reader.ts';
import { openBytes } from '../archive/byte_stream.ts';
import type { Family, FeaturePlace, FormatFile, Problem } from '../feature.ts';
import { longValue } from './attribute_value.ts';
import { damagedFeature, type PlainFeature, PlainFeatures, type RawGeometry } from './plain_features.ts';

/** The first three bytes of a file, and the format version. */
const MAGIC = [0x66, 0x67, 0x62, 3];
const MAX_HEADER_BYTES = 10 << 20;
/** Maximum bytes of a feature: five million vertices and room for attributes. */
const MAX_FEATURE_BYTES = 128 << 20;
const BATCH_FEATURES = 512;
const BATCH_BYTES = 8 << 20;

const TEXT_TYPES = new Set<ColumnType>([
  ColumnType.String,
  ColumnType.Json,
  ColumnType.DateTime,
  ColumnType.Binary,
  ColumnType.Bool,
]);

const KINDS: Readonly<Partial<Record<GeometryType, Family>>> = {
  [GeometryType.Point]: 'point',
  [GeometryType.MultiPoint]: 'point',
  [GeometryType.LineString]: 'line',
  [GeometryType.MultiLineString]: 'line',
  [GeometryType.Polygon]: 'polygon',
  [GeometryType.MultiPolygon]: 'polygon',
};

const bad = (file: string, what: string, cause?: unknown): EtlError =>
  new EtlError('bad_flatgeobuf', `${file}: ${what}. Deliver the file again.`, { details: { file }, cause });

/** Prefixes bytes with their length, aligned to eight bytes as flatbuffers requires. */
function prefixed(length: number, bytes: Uint8Array): ByteBuffer {
  const padded = new Uint8Array(4 + bytes.length);
  new DataView(padded.buffer).setUint32(0, length, true);
  padded.set(bytes, 4);
  return new ByteBuffer(padded);
}

async function readHeader(reader: ByteReader, file: string): Promise<HeaderMeta> {
  const magic = await reader.take(8);
  if (magic === null || !MAGIC.every((byte, i) => magic[i] === byte))
    throw bad(file, 'it is not a FlatGeobuf file of version 3');
  const length = await reader.uint32();
  if (length === null || length > MAX_HEADER_BYTES)
    throw bad(file, `its header states a length of ${length} bytes`);
  const bytes = await reader.take(length);
  if (bytes === null) throw bad(file, 'it ends inside its header');
  try {
    return fromByteBuffer(prefixed(length, bytes));
  } catch (cause) {
    throw bad(file, `its header cannot be read (${(cause as Error).message})`, cause);
  }
}

function crsOf({ crs }: HeaderMeta): string | null {
  if (crs === null) return null;
  if (crs.code > 0) return `${crs.org || 'EPSG'}:${crs.code}`.toUpperCase();
  return crs.wkt || crs.code_string || null;
}

/** Adds the checked coordinates of a part; throws if a list extends past the feature. */
function part(geometry: Geometry, coords: number[], ends: number[]): void {
  const xy = geometry.xyArray();
  if (xy === null) return;
  const base = coords.length / 2;
  for (const value of xy) coords.push(value);
  const ownEnds = geometry.endsArray();
  const n = xy.length / 2;
  let last = 0;
  for (const end of ownEnds === null || ownEnds.length === 0 ? [n] : ownEnds) {
    if (end < last || end > n) throw new RangeError(`part ends do not ascend to ${n} vertices`);
    if (end > last) ends.push(base + end);
    last = end;
  }
}

function geometryOf(feature: Feature, header: HeaderMeta, bytes: number): RawGeometry | Problem | null {
  const geometry = feature.geometry();
  if (geometry === null) return null;
  const type = header.geometryType === GeometryType.Unknown ? geometry.type() : header.geometryType;
  const members = membersOf(geometry, type, bytes);
  const unknown = members.find((member) => KINDS[member.type] === undefined);
  if (unknown !== undefined)
    return {
      code: 'unsupported_geometry',
      message: `geometry of type ${GeometryType[unknown.type] ?? unknown.type}`,
    };
  // Only the polygons of a collection with polygons are read, as in GeoJSON and WKB.
  const polygons = members.filter((member) => KINDS[member.type] === 'polygon');
  const memberShapes = polygons.length > 0 ? polygons : members;
  const kind = KINDS[memberShapes[0]?.type ?? GeometryType.Polygon]!;
  if (memberShapes.some((member) => KINDS[member.type] !== kind))
    return { code: 'unsupported_geometry', message: 'a collection of points and lines' };
  const coords: number[] = [];
  const ends: number[] = [];
  const polygonEnds: number[] = [];
  const endPolygon = (): void => {
    if (ends.length > (polygonEnds.at(-1) ?? 0)) polygonEnds.push(ends.length);
  };
  for (const member of memberShapes) {
    const parts = member.geometry.partsLength();
    if (parts * 4 > bytes) throw new RangeError(`${parts} parts`);
    if (parts === 0) part(member.geometry, coords, ends);
    endPolygon();
    for (let i = 0; i < parts; i++) {
      part(member.geometry.parts(i)!, coords, ends);
      endPolygon();
    }
  }
  return coords.length === 0
    ? null
    : { kind, coords: Float64Array.from(coords), ends, polygonEnds: kind === 'polygon' ? polygonEnds : null };
}

/** Maximum nesting of collections. */
const DEPTH_MAX = 8;

interface FlatGeobufMember {
  geometry: Geometry;
  type: GeometryType;
}

/** Lists a geometry, or the members of a collection and of nested ones. A file may refer to one part repeatedly, so visits are limited. */
function membersOf(geometry: Geometry, type: GeometryType, bytes: number): FlatGeobufMember[] {
  const members: FlatGeobufMember[] = [];
  let visits = 0;
  const add = (member: FlatGeobufMember, depth: number): void => {
    if (++visits * 4 > bytes) throw new RangeError(`${visits} members`);
    if (member.type !== GeometryType.GeometryCollection || depth === DEPTH_MAX) {
      members.push(member);
      return;
    }
    for (let i = 0; i < member.geometry.partsLength(); i++) {
      const part = member.geometry.parts(i)!;
      add({ geometry: part, type: part.type() }, depth + 1);
    }
  };
  add({ geometry, type }, 0);
  return members;
}

function featureOf(bytes: Uint8Array, header: HeaderMeta): PlainFeature {
  try {
    const feature = Feature.getSizePrefixedRootAsFeature(prefixed(bytes.length, bytes));
    const values = parseProperties(feature, header.columns);
    const geometry = geometryOf(feature, header, bytes.length);
    for (const name in values) {
      const problem = longValue(name, values[name]);
      if (problem !== null) return damagedFeature(problem.code, problem.message, geometry);
    }
    return { problem: null, values, geometry };
  } catch (cause) {
    return damagedFeature('bad_feature', `its bytes cannot be read (${(cause as Error).message})`);
  }
}

async function nextFeature(
  reader: ByteReader,
  header: HeaderMeta,
  location: { file: string; featuresRead: number },
): Promise<{ feature: PlainFeature; bytes: number } | null> {
  const length = await reader.uint32();
  const { file, featuresRead } = location;
  if (length === null) {
    if (reader.isCut || (header.featuresCount > 0 && featuresRead < header.featuresCount))
      throw bad(file, `it ends after ${featuresRead} features, its header states ${header.featuresCount}`);
    return null;
  }
  if (length > MAX_FEATURE_BYTES) {
    if (!(await reader.skip(length))) throw bad(file, `it ends inside feature ${featuresRead + 1}`);
    return { feature: damagedFeature('feature_too_large', `${length} bytes`), bytes: 0 };
  }
  const bytes = await reader.take(length);
  if (bytes === null) throw bad(file, `it ends inside feature ${featuresRead + 1}`);
  return { feature: featureOf(bytes, header), bytes: length };
}

/**
 * Opens a FlatGeobuf file, plain or in a zip, as a stream: the spatial index is skipped. Problems of a feature: `bad_feature`,
 * `feature_too_large`, `long_value`. EtlErrors: `bad_flatgeobuf` (also cut off) and the errors of openBytes.
 */
export async function openFlatGeobuf(location: FeaturePlace, signal?: AbortSignal): Promise<FormatFile> {
  const { file } = location;
  const reader = new ByteReader(openBytes(location, signal));
  let header: HeaderMeta;
  try {
    header = await readHeader(reader, file);
  } catch (error) {
    await reader.close();
    throw error;
  }
  const kind = KINDS[header.geometryType];
  return {
    fields: (header.columns ?? []).map(({ name, type }) => ({
      name,
      numeric: !TEXT_TYPES.has(type),
      key: name,
    })),
    families: new Set(kind === undefined ? [] : [kind]),
    crs: crsOf(header),
    changed: null,
    siblings: [],
    notes: () => [],
    close: () => reader.close(),
    async *features(toGda2020) {
      try {
        const { indexNodeSize, featuresCount } = header;
        const index = indexNodeSize > 0 && featuresCount > 0 ? calcTreeSize(featuresCount, indexNodeSize) : 0;
        if (!(await reader.skip(index))) throw bad(file, 'it ends inside its index');
        for (let first = 1; ; ) {
          signal?.throwIfAborted();
          const batch: PlainFeature[] = [];
          for (let bytes = 0; batch.length < BATCH_FEATURES && bytes < BATCH_BYTES; ) {
            const next = await nextFeature(reader, header, { file, featuresRead: first - 1 + batch.length });
            if (next === null) break;
            batch.push(next.feature);
            bytes += next.bytes;
          }
          if (batch.length === 0) return;
          yield new PlainFeatures(first, batch, toGda2020);
          first += batch.length;
        }
      } finally {
        await reader.close();
      }
    },
  };
}
