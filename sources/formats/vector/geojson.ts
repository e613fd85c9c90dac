import { EtlError } from '../../../schema/errors.ts';
import { isRecord } from '../../../schema/json_value.ts';
import { openBytes } from '../archive/byte_stream.ts';
import type { Family, FeatureField, FeaturePlace, FormatFile, Problem } from '../feature.ts';
import { longValue } from './attribute_value.ts';
import { flattenEsriGeometry } from './esri_geometry.ts';
import { GeoJsonColumns } from './geojson_columns.ts';
import { GeoJsonCompleteness } from './geojson_completeness.ts';
import { flattenGeometry } from './geojson_geometry.ts';
import {
  crsOfMember,
  endOfMembers,
  type GeoJsonHead,
  readGeoJsonHead,
  UNSTATED_CRS,
} from './geojson_head.ts';
import { JsonScanner } from './json_scan.ts';
import { damagedFeature, type PlainFeature, PlainFeatures } from './plain_features.ts';

/** Maximum features and bytes read on opening a file, to learn its columns. */
const SAMPLE_FEATURES = 1000;
const SAMPLE_BYTES = 4 << 20;
const HEAD_BYTES = 1 << 20;
const BATCH_FEATURES = 512;
/** Bytes of JSON in a batch: the parsed values take several times as much memory. */
const BATCH_BYTES = 4 << 20;
/** Maximum features whose end had to be guessed, before the whole file counts as damaged. */
const MAX_GUESSED = 1000;

const badGeoJson = (file: string, what: string): EtlError =>
  new EtlError(
    'bad_geojson',
    `${file}: ${what}. Deliver it as a GeoJSON FeatureCollection or as one feature a line.`,
    {
      details: { file },
    },
  );

const truncated = (file: string, feature: number): EtlError =>
  new EtlError(
    'truncated_json',
    `${file}: the file is cut: it ends inside its list of features. Fetch it again.`,
    { details: { file, features: feature } },
  );

/** Reads the head of a document that begins with `start`, and more bytes if it needs them; text: what is wrong with it. */
async function readHead(
  format: FeaturePlace['format'],
  start: Buffer,
  chunks: AsyncIterator<Uint8Array>,
): Promise<{ head: GeoJsonHead | string; start: Buffer }> {
  // lines of features have no head; at most the first bytes are a byte-order mark
  const headBytes = format === 'ndjson' ? 3 : HEAD_BYTES;
  for (let size = 1; ; size *= 2) {
    while (start.length < Math.min(size, headBytes)) {
      const { done, value } = await chunks.next();
      if (done) break;
      start = Buffer.concat([start, value]);
    }
    const head = headOf(format, start);
    if (typeof head !== 'string' || start.length < size || size >= headBytes) return { head, start };
  }
}

/** Streams the features of one file in order. */
class GeoJsonReader {
  /** Head of the first document. */
  readonly head: GeoJsonHead;
  readonly #location: FeaturePlace & { crs?: string };
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #completeness = new GeoJsonCompleteness();
  /** Head of the current document, and its members before the features. */
  #document: { readonly head: GeoJsonHead; readonly members: string };
  #scanner: JsonScanner;
  #columns: GeoJsonColumns | null = null;
  /** Bytes of JSON of the features since the last call of `takeBytes`. */
  #bytes = 0;
  /** Features read so far. */
  count = 0;
  /** True: some features are Esri JSON, which has no CRS of its own if it states none. */
  isEsri = false;

  private constructor(
    location: FeaturePlace,
    head: GeoJsonHead,
    start: Buffer,
    chunks: AsyncIterator<Uint8Array>,
  ) {
    this.#location = location;
    this.head = head;
    this.#chunks = chunks;
    this.#document = { head, members: start.toString('latin1', 0, head.start) };
    this.#scanner = new JsonScanner(head.mode);
    this.#scanner.push(start.subarray(head.start));
  }

  static async open(location: FeaturePlace, signal: AbortSignal | undefined): Promise<GeoJsonReader> {
    const chunks = openBytes(location, signal);
    try {
      const { head, start } = await readHead(location.format, Buffer.alloc(0), chunks);
      if (typeof head === 'string') throw badGeoJson(location.file, head);
      return new GeoJsonReader(location, head, start, chunks);
    } catch (error) {
      await chunks.return(undefined);
      throw error;
    }
  }

  /** Keys the values of all further features by column number. */
  readColumns(columns: GeoJsonColumns): void {
    this.#columns = columns;
  }

  /** Returns the next features, fewer than `limit` if their JSON exceeds `bytes`; empty at the end of the file. */
  async next(limit: number, bytes: number): Promise<PlainFeature[]> {
    const features: PlainFeature[] = [];
    for (this.#bytes = 0; features.length < limit && this.#bytes < bytes; ) {
      const scanned = this.#scanner.take();
      if (scanned !== undefined) {
        features.push(this.#feature(scanned));
        this.count++;
        continue;
      }
      if (!(this.#scanner.closed ? await this.#nextDocument() : await this.#refill())) break;
    }
    return features;
  }

  #feature(scanned: { text?: string; problem: Problem | null }): PlainFeature {
    if (this.#scanner.guessed > MAX_GUESSED)
      throw badGeoJson(this.#location.file, `more than ${MAX_GUESSED} places are no JSON features`);
    if (scanned.problem !== null) return damagedFeature(scanned.problem.code, scanned.problem.message);
    const text = scanned.text!;
    this.#bytes += text.length;
    try {
      const value = JSON.parse(text);
      const isEsri = this.#document.head.isUntyped && isEsriFeature(value);
      this.isEsri ||= isEsri;
      return featureOf(value, isEsri, this.#columns);
    } catch (error) {
      this.#scanner.rewind(text);
      return damagedFeature('bad_json', (error as Error).message.slice(0, 200));
    }
  }

  /** Reads the next bytes; false: no further feature can follow. */
  async #refill(): Promise<boolean> {
    const { done, value } = await this.#chunks.next();
    if (!done) {
      this.#scanner.push(value);
      return true;
    }
    if (this.#ended) {
      if (this.#document.head.mode === 'collection') throw truncated(this.#location.file, this.count);
      return false;
    }
    this.#ended = true;
    this.#scanner.end();
    return true;
  }
  #ended = false;

  /** Moves to the next document of the file; false: there is none. */
  async #nextDocument(): Promise<boolean> {
    if (this.#isDone) return false;
    const { head, members } = this.#document;
    let buffered: Buffer = Buffer.from(this.#scanner.rest());
    const readMore = async (): Promise<boolean> => {
      const { done, value } = await this.#chunks.next();
      if (!done) buffered = Buffer.concat([buffered, value]);
      return !done;
    };
    if (!head.isList) {
      let end = endOfMembers(buffered.toString('latin1'));
      while (end === null && buffered.length < HEAD_BYTES && (await readMore()))
        end = endOfMembers(buffered.toString('latin1'));
      if (end === null && buffered.length >= HEAD_BYTES)
        throw badGeoJson(this.#location.file, 'more than a million bytes follow its list of features');
      const tail = buffered.toString('latin1', 0, end ?? buffered.length);
      refuseLateCrs(tail, head, this.#location);
      this.#completeness.add(members + tail);
      buffered = buffered.subarray(end ?? buffered.length);
    }
    let at = 0;
    do {
      while (at < buffered.length && isPadding(buffered[at]!)) at++;
      if (at < buffered.length) break;
      buffered = Buffer.alloc(0);
      at = 0;
    } while (await readMore());
    if (at < buffered.length) return this.#openDocument(buffered.subarray(at));
    this.#isDone = true;
    return false;
  }
  #isDone = false;

  async #openDocument(firstBytes: Buffer): Promise<true> {
    const { head, start } = await readHead(this.#location.format, firstBytes, this.#chunks);
    if (typeof head === 'string')
      throw badGeoJson(this.#location.file, `after the end of its features, ${head}`);
    if (JSON.stringify(head.crs) !== JSON.stringify(this.head.crs))
      throw badGeoJson(this.#location.file, 'it has several documents, which state different CRSs');
    this.#document = { head, members: start.toString('latin1', 0, head.start) };
    this.#scanner = new JsonScanner(head.mode);
    this.#scanner.push(start.subarray(head.start));
    if (this.#ended) this.#scanner.end();
    return true;
  }

  /** Returns how the file states that it lacks features, once all were read; null: it does not. */
  incomplete(): string | null {
    return this.#completeness.lacks(this.#location.file, this.count);
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}

/** True for blanks, record separators, and zeros that some programs pad a file with. */
const isPadding = (byte: number): boolean => byte <= 0x20;

function headOf(format: FeaturePlace['format'], start: Buffer): GeoJsonHead | string {
  if (start.length === 0) return 'the file is empty';
  if (format !== 'ndjson') return readGeoJsonHead(start.toString('latin1'));
  const mark = start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf ? 3 : 0;
  return { mode: 'sequence', start: mark, crs: undefined, isList: false, isUntyped: false };
}

/** Returns true for a feature of Esri JSON, as a feature service answers f=json. */
const isEsriFeature = ({ type, attributes }: Record<string, unknown>): boolean =>
  type === undefined && isRecord(attributes);

function featureOf(
  value: Record<string, unknown>,
  isEsri: boolean,
  columns: GeoJsonColumns | null,
): PlainFeature {
  const { type, properties, geometry } = value;
  if (type !== 'Feature' && !isEsri) {
    const esri = isEsriFeature(value) ? ' (Esri JSON; ask the service for GeoJSON)' : '';
    return damagedFeature('bad_json', `not a GeoJSON feature${esri}: its type is ${JSON.stringify(type)}`);
  }
  const statedValues = isEsri ? value.attributes : properties;
  const all = isRecord(statedValues) ? statedValues : {};
  const shape = isEsri ? flattenEsriGeometry(geometry) : flattenGeometry(geometry);
  for (const name of Object.keys(all)) {
    const problem = longValue(name, all[name]);
    if (problem !== null) return damagedFeature(problem.code, problem.message, shape);
  }
  return { problem: null, values: columns?.pick(all) ?? all, geometry: shape };
}

/** Returns the columns of the first features, in order of appearance. */
function fieldsOf(sample: readonly PlainFeature[]): FeatureField[] {
  const numeric = new Map<string, boolean | null>();
  for (const { values } of sample) {
    for (const name in values) {
      if (numeric.get(name) == null)
        numeric.set(name, values[name] === null ? null : typeof values[name] === 'number');
    }
  }
  return [...numeric].map(([name, isNumber], key) => ({ name, numeric: isNumber === true, key }));
}

function familiesOf(sample: readonly PlainFeature[]): Set<Family> {
  const kinds = new Set<Family>();
  for (const { geometry } of sample) if (geometry !== null && 'kind' in geometry) kinds.add(geometry.kind);
  return kinds;
}

/** Notes columns that no adapter has looked for, because they first appear after the sample. */
function lateColumns(lateNames: ReadonlySet<string>, file: string): string[] {
  if (lateNames.size === 0) return [];
  const names = [...lateNames].sort().join(', ');
  return [`${file}: columns absent from the first ${SAMPLE_FEATURES} features are not read: ${names}.`];
}

/**
 * Opens a GeoJSON FeatureCollection, a feature set of Esri JSON, several in sequence, or a sequence of features (one a line, or RFC 8142), of any size: memory is
 * bounded by a batch. The file is plain, .gz or in a zip. Its columns are the columns of the first thousand features. The CRS is the `crs`
 * member, else WGS84. Problems of a feature: `bad_json`, `bad_encoding`, `feature_too_large`, `long_value`, `too_many_vertices`. EtlErrors:
 * `bad_geojson`, `truncated_json` and the errors of openBytes.
 */
export async function openGeoJson(location: FeaturePlace, signal?: AbortSignal): Promise<FormatFile> {
  const reader = await GeoJsonReader.open(location, signal);
  let sample: PlainFeature[];
  try {
    sample = await reader.next(SAMPLE_FEATURES, SAMPLE_BYTES);
  } catch (error) {
    await reader.close();
    throw error;
  }
  const fields = fieldsOf(sample);
  let lateNames: ReadonlySet<string> = new Set();
  return {
    fields,
    families: familiesOf(sample),
    crs: reader.isEsri && reader.head.crs === undefined ? null : crsOfMember(reader.head.crs),
    changed: null,
    siblings: [],
    notes: () => lateColumns(lateNames, location.file),
    incomplete: () => reader.incomplete(),
    close: () => reader.close(),
    async *features(toGda2020) {
      const columns = new GeoJsonColumns(fields);
      reader.readColumns(columns);
      lateNames = columns.late;
      try {
        let first = 1;
        for (let at = 0; at < sample.length; at += BATCH_FEATURES) {
          const batch = sample
            .slice(at, at + BATCH_FEATURES)
            .map((each) => ({ ...each, values: columns.pick(each.values) }));
          yield new PlainFeatures(first, batch, toGda2020);
          first += batch.length;
        }
        sample = [];
        for (;;) {
          signal?.throwIfAborted();
          const batch = await reader.next(BATCH_FEATURES, BATCH_BYTES);
          if (batch.length === 0) break;
          yield new PlainFeatures(first, batch, toGda2020);
          first += batch.length;
        }
      } finally {
        await reader.close();
      }
    },
  };
}

/** Refuses a CRS after the features, which were transformed without knowing it; a configured CRS takes precedence. */
function refuseLateCrs(
  tail: string,
  head: GeoJsonHead,
  { file, crs }: FeaturePlace & { crs?: string },
): void {
  const name = /^[^[\]]*?"crs"\s*:\s*\{[^[\]]{0,200}?"(?:name|code)"\s*:\s*"?([^"}\s]{1,60})/.exec(tail)?.[1];
  if (name === undefined || head.crs !== undefined || crs !== UNSTATED_CRS) return;
  throw new EtlError(
    'missing_crs',
    `${file}: the file states its CRS (${name}) after its features, too late to use. Set crs of the dataset, for example EPSG:7844.`,
    { details: { file } },
  );
}
