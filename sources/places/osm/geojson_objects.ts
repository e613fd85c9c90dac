import { EtlError } from '../../../schema/errors.ts';
import { isRecord } from '../../../schema/json_value.ts';
import { type BytePlace, openBytes } from '../../formats/archive/byte_stream.ts';
import type { Problem, Shape } from '../../formats/feature.ts';
import { rejectedShape, shapeOf } from '../../formats/vector/feature_shape.ts';
import { GeoJsonCompleteness } from '../../formats/vector/geojson_completeness.ts';
import { flattenGeometry } from '../../formats/vector/geojson_geometry.ts';
import { endOfMembers, type GeoJsonHead, readGeoJsonHead } from '../../formats/vector/geojson_head.ts';
import { JsonScanner } from '../../formats/vector/json_scan.ts';
import type { OsmObject } from './osm_object.ts';
import type { Tags } from './tag_rules.ts';

const HEAD_BYTES = 1 << 20;
const BATCH = 512;

/** A feature of the file, or its defect. */
export type OsmFeature = OsmObject | (Problem & { readonly no: number });

/**
 * Reads the objects of an OpenStreetMap GeoJSON as written by `osmium export` and overpass turbo: a collection or one feature a line, plain
 * or .gz, of any size. Unlike other GeoJSON each feature has its own tags, which are not columns. EtlErrors: `bad_geojson`,
 * `truncated_json` and the errors of openBytes.
 */
export async function* readGeoJsonObjects(
  location: BytePlace,
  signal?: AbortSignal,
): AsyncGenerator<OsmFeature[]> {
  const chunks = openBytes(location, signal);
  try {
    let start = Buffer.alloc(0);
    let head: GeoJsonHead | null = null;
    let scanner: JsonScanner | null = null;
    let no = 0;
    let isEnd = false;
    while (!isEnd) {
      signal?.throwIfAborted();
      const { done, value } = await chunks.next();
      isEnd = done === true;
      if (scanner === null) {
        if (value !== undefined) start = Buffer.concat([start, value]);
        head = headOf(start, location.file, isEnd || start.length >= HEAD_BYTES);
        if (head === null) continue;
        scanner = new JsonScanner(head.mode);
        scanner.push(start.subarray(head.start));
      } else if (value !== undefined) scanner.push(value);
      if (isEnd) scanner.end();
      let batch: OsmFeature[] = [];
      for (let element = scanner.take(); element !== undefined; element = scanner.take()) {
        const object = objectOf(element, ++no);
        // the brackets closed in the wrong place: the text may contain the next feature
        if ('code' in object && element.problem === null) scanner.rewind(element.text);
        batch.push(object);
        if (batch.length < BATCH) continue;
        yield batch;
        batch = [];
      }
      if (batch.length > 0) yield batch;
      if (isEnd && scanner.isCut) throw truncated(location.file, no);
      if (scanner.closed && scanner.rest().length > HEAD_BYTES)
        throw bad(location.file, 'more than a million bytes follow its list of features');
    }
    if (scanner?.closed === true)
      checkEnd(location.file, head!, start, scanner.rest().toString('latin1'), no);
  } finally {
    await chunks.return(undefined);
  }
}

/** Reads the head of a file from its first bytes; null: more bytes are needed. */
function headOf(start: Buffer, file: string, isAll: boolean): GeoJsonHead | null {
  const head = readGeoJsonHead(start.toString('latin1', 0, HEAD_BYTES));
  if (typeof head !== 'string') return head;
  if (!isAll) return null;
  throw bad(file, head);
}

const bad = (file: string, why: string): EtlError =>
  new EtlError(
    'bad_geojson',
    `${file}: ${why}. Deliver it as a GeoJSON FeatureCollection, for example by: osmium export -u type_id -o places.geojson places.osm.pbf`,
    { details: { file } },
  );

/** Refuses a collection that states that it lacks features, and a second document after it. */
function checkEnd(file: string, head: GeoJsonHead, start: Buffer, tail: string, count: number): void {
  const end = head.isList ? 0 : (endOfMembers(tail) ?? tail.length);
  const completeness = new GeoJsonCompleteness();
  completeness.add(start.toString('latin1', 0, head.start) + tail.slice(0, end));
  const why = completeness.why(count);
  if (why !== null) throw bad(file, `it is incomplete: ${why}`);
  if (/[^\x00-\x20]/.test(tail.slice(end))) throw bad(file, 'a second document follows its features');
}

const truncated = (file: string, features: number): EtlError =>
  new EtlError(
    'truncated_json',
    `${file}: the file is cut: it ends inside its list of features. Fetch it again.`,
    { details: { file, features } },
  );

/** Converts a value to text; a list or a record, which may be nested without limit, has none. */
const scalarText = (value: unknown): string =>
  typeof value === 'object' && value !== null ? 'an object' : String(value);

function objectOf(element: { text?: string; problem: Problem | null }, no: number): OsmFeature {
  if (element.problem !== null) return { ...element.problem, no };
  let feature: unknown;
  try {
    feature = JSON.parse(element.text!);
  } catch (error) {
    return { code: 'bad_json', message: (error as Error).message.slice(0, 200), no };
  }
  if (!isRecord(feature) || feature.type !== 'Feature')
    return {
      code: 'bad_json',
      message: `not a GeoJSON feature: its type is ${scalarText((feature as { type?: unknown } | null)?.type).slice(0, 40)}`,
      no,
    };
  const { geometry } = feature;
  return { no, id: idOf(feature), tags: tagsOf(feature.properties), shape: () => areaOrPoint(geometry) };
}

/** Returns the tags: the properties themselves, or their member `tags`. */
function tagsOf(properties: unknown): Tags {
  const values = isRecord(properties) ? properties : {};
  const ownTags = isRecord(values.tags) ? values.tags : values;
  const tags: Record<string, string> = {};
  for (const [key, value] of Object.entries(ownTags))
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      tags[key] = String(value);
  return tags;
}

const LETTERS: Readonly<Record<string, string>> = { n: 'node', w: 'way', r: 'relation' };

/**
 * Returns the identifier as `way/12`, the form of overpass turbo; osmium writes `w12`, and `a24` for an area (twice the way, or twice the
 * relation plus one).
 */
function idOf(feature: Record<string, unknown>): string | null {
  const properties = isRecord(feature.properties) ? feature.properties : {};
  for (const idValue of [feature.id, properties['@id'], properties.id]) {
    const text =
      typeof idValue === 'number'
        ? `${properties['@type'] ?? properties.type}/${idValue}`
        : scalarText(idValue);
    const [, kind, id] = /^(node|way|relation|[nwra])\/?(\d{1,18})$/.exec(text) ?? [];
    if (kind === undefined) continue;
    if (kind !== 'a') return `${LETTERS[kind] ?? kind}/${BigInt(id!)}`;
    const area = BigInt(id!);
    return `${area % 2n === 0n ? 'way' : 'relation'}/${area / 2n}`;
  }
  return null;
}

/** Builds the shape of a geometry; a closed line is an area. Coordinates are WGS84, read as GDA2020. */
function areaOrPoint(geometry: unknown): Shape {
  const raw = flattenGeometry(geometry);
  if (raw === null) return { kind: 'none' };
  if ('code' in raw) return rejectedShape(raw.code, raw.message);
  const { kind, coords, ends, polygonEnds } = raw;
  const closes = kind === 'line' && ends.length === 1 && isClosed(coords);
  return shapeOf(closes ? 'polygon' : kind, coords, ends, polygonEnds);
}

function isClosed(coords: Float64Array): boolean {
  const last = coords.length - 2;
  return last >= 6 && coords[0] === coords[last] && coords[1] === coords[last + 1];
}
