import { EtlError } from '../../schema/errors.ts';
import { bboxOf, type MultiLine, type MultiPoint, type MultiPolygon } from './geometry.ts';
import { decodePlainPolygon } from './wkb_polygon.ts';

const POINT = 1;
const LINE = 2;
const POLYGON = 3;
const MULTI_POINT = 4;
const MULTI_LINE = 5;
const MULTI_POLYGON = 6;

/** Writes the header of a little-endian geometry: its type and the number of parts or vertices. Returns the offset after it. */
function writeHeader(view: DataView, at: number, type: number, count: number): number {
  view.setUint8(at, 1);
  view.setUint32(at + 1, type, true);
  view.setUint32(at + 5, count, true);
  return at + 9;
}

/** Encodes a multipolygon as little-endian two-dimensional WKB. */
export function encodeWkb(g: MultiPolygon): Uint8Array {
  const rings = g.ringEnds.length;
  const polygons = g.polygonEnds.length;
  const bytes = new Uint8Array(9 + 9 * polygons + 4 * rings + 8 * g.coords.length);
  const view = new DataView(bytes.buffer);
  let at = writeHeader(view, 0, MULTI_POLYGON, polygons);
  let ring = 0;
  let vertex = 0;
  for (const polygonEnd of g.polygonEnds) {
    at = writeHeader(view, at, POLYGON, polygonEnd - ring);
    for (; ring < polygonEnd; ring++) {
      const end = g.ringEnds[ring]!;
      view.setUint32(at, end - vertex, true);
      at += 4;
      for (let i = vertex * 2; i < end * 2; i++, at += 8) view.setFloat64(at, g.coords[i]!, true);
      vertex = end;
    }
  }
  return bytes;
}

/** Encodes lines as a little-endian two-dimensional WKB multilinestring. */
export function encodeLineWkb(g: MultiLine): Uint8Array {
  const bytes = new Uint8Array(9 + 9 * g.lineEnds.length + 8 * g.coords.length);
  const view = new DataView(bytes.buffer);
  let at = writeHeader(view, 0, MULTI_LINE, g.lineEnds.length);
  let vertex = 0;
  for (const end of g.lineEnds) {
    at = writeHeader(view, at, LINE, end - vertex);
    for (let i = vertex * 2; i < end * 2; i++, at += 8) view.setFloat64(at, g.coords[i]!, true);
    vertex = end;
  }
  return bytes;
}

/** Encodes points as a little-endian two-dimensional WKB multipoint. */
export function encodePointWkb(g: MultiPoint): Uint8Array {
  const points = g.coords.length / 2;
  const bytes = new Uint8Array(9 + 21 * points);
  const view = new DataView(bytes.buffer);
  let at = writeHeader(view, 0, MULTI_POINT, points);
  for (let i = 0; i < g.coords.length; i += 2, at += 21) {
    view.setUint8(at, 1);
    view.setUint32(at + 1, POINT, true);
    view.setFloat64(at + 5, g.coords[i]!, true);
    view.setFloat64(at + 13, g.coords[i + 1]!, true);
  }
  return bytes;
}

interface WkbHeader {
  little: boolean;
  type: number;
  ordinates: number;
}

/** Reads counts and headers of a WKB value, never past its end. */
class WkbReader {
  at = 0;
  private readonly view: DataView;

  constructor(bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  fail(what: string): never {
    throw new EtlError(
      'bad_wkb',
      `Geometry bytes cannot be read at byte ${this.at} of ${this.view.byteLength}: ${what}. Load the feature again from its source.`,
    );
  }

  need(size: number, what: string): void {
    if (this.at + size > this.view.byteLength) this.fail(`${what} is cut off`);
  }

  /** Reads a count of items of at least `itemBytes` each; fails if the remaining bytes cannot hold them. */
  count(little: boolean, itemBytes: number, what: string): number {
    this.need(4, `the count of ${what}`);
    const n = this.view.getUint32(this.at, little);
    this.at += 4;
    if (n * itemBytes > this.view.byteLength - this.at)
      this.fail(`${n} ${what} do not fit in the bytes left`);
    return n;
  }

  /** Reads byte order, geometry type (1 to 7) and number of ordinates, in the ISO (+1000) and EWKB (high bits, SRID) variants. */
  header(): WkbHeader {
    this.need(5, 'the header');
    const order = this.view.getUint8(this.at);
    if (order > 1) this.fail(`byte order ${order}`);
    const little = order === 1;
    const code = this.view.getUint32(this.at + 1, little);
    this.at += 5;
    if (code & 0x20000000) {
      this.need(4, 'the SRID');
      this.at += 4;
    }
    const plain = code & 0x0fffffff;
    const iso = Math.floor(plain / 1000);
    if (iso > 3) this.fail(`geometry type ${code}`);
    const z = (code & 0x80000000) !== 0 || iso === 1 || iso === 3;
    const m = (code & 0x40000000) !== 0 || iso === 2 || iso === 3;
    return { little, type: plain % 1000, ordinates: 2 + (z ? 1 : 0) + (m ? 1 : 0) };
  }

  /** Reads the vertices of one ring into `out` from index `to`, without Z and M. */
  vertices(n: number, ordinates: number, little: boolean, out: Float64Array, to: number): void {
    for (let i = 0, write = to; i < n; i++, this.at += 8 * ordinates) {
      out[write++] = this.view.getFloat64(this.at, little);
      out[write++] = this.view.getFloat64(this.at + 8, little);
    }
  }

  end(): void {
    if (this.at !== this.view.byteLength) this.fail('bytes follow the geometry');
  }
}

/** Vertices of any WKB geometry with the ends of its parts. */
class WkbVertices {
  readonly coords: Float64Array;
  /** Vertex numbers at which rings or lines end. */
  readonly ends: number[] = [];
  readonly polygonEnds: number[] = [];
  readonly #reader: WkbReader;
  #vertex = 0;

  constructor(reader: WkbReader, bytes: number) {
    this.#reader = reader;
    this.coords = new Float64Array(bytes >> 3);
  }

  get used(): Float64Array {
    return this.coords.slice(0, this.#vertex * 2);
  }

  /** True: some vertices are control points of circular strings. */
  hasArcs = false;

  /** Reads a line, circular string or compound curve; its members are joined where they meet, to one line or ring. */
  curve(header: WkbHeader, depth = 0): void {
    const { type, little, ordinates } = header;
    if (type === LINE || type === CIRCULAR_STRING) {
      if (this.#vertices(little, ordinates)) this.hasArcs ||= type === CIRCULAR_STRING;
      return;
    }
    if (type !== COMPOUND_CURVE || depth > 0) this.#reader.fail(`geometry type ${type} in a curve`);
    const first = this.#vertex;
    const before = this.ends.length;
    const count = this.#reader.count(little, LEAST_BYTES[1], 'members');
    for (let i = 0; i < count; i++) {
      const start = this.#vertex;
      this.curve(this.#reader.header(), depth + 1);
      if (start > first && this.#vertex > start && this.#isSame(start - 1, start)) {
        this.coords.copyWithin(start * 2, (start + 1) * 2, this.#vertex * 2);
        this.#vertex--;
      }
    }
    this.ends.length = before;
    if (this.#vertex > first) this.ends.push(this.#vertex);
  }

  /** Reads a polygon whose rings are curves with headers of their own. */
  curvePolygon({ little }: WkbHeader): void {
    const rings = this.#reader.count(little, LEAST_BYTES[1], 'rings');
    if (rings === 0) return;
    const before = this.ends.length;
    for (let r = 0; r < rings; r++) this.curve(this.#reader.header());
    if (this.ends.length < before + rings) this.#reader.fail('a ring without vertices');
    this.polygonEnds.push(this.ends.length);
  }

  #isSame(a: number, b: number): boolean {
    return this.coords[2 * a] === this.coords[2 * b] && this.coords[2 * a + 1] === this.coords[2 * b + 1];
  }

  polygon({ little, ordinates }: WkbHeader): void {
    const rings = this.#reader.count(little, 4, 'rings');
    if (rings === 0) return;
    for (let r = 0; r < rings; r++) {
      if (!this.#vertices(little, ordinates)) this.#reader.fail('a ring without vertices');
    }
    this.polygonEnds.push(this.ends.length);
  }

  line({ little, ordinates }: WkbHeader): void {
    const before = this.#vertex;
    if (this.#vertices(little, ordinates) && this.#vertex - before < 2)
      this.#reader.fail('a line of one vertex');
  }

  /** An empty point is NaN, NaN and adds nothing. */
  point({ little, ordinates }: WkbHeader): void {
    this.#reader.need(8 * ordinates, 'a point');
    const at = this.#vertex * 2;
    this.#reader.vertices(1, ordinates, little, this.coords, at);
    if (!Number.isNaN(this.coords[at]!) || !Number.isNaN(this.coords[at + 1]!)) this.#vertex++;
  }

  #vertices(little: boolean, ordinates: number): boolean {
    const n = this.#reader.count(little, 8 * ordinates, 'vertices');
    if (n === 0) return false;
    this.#reader.vertices(n, ordinates, little, this.coords, this.#vertex * 2);
    this.#vertex += n;
    this.ends.push(this.#vertex);
    return true;
  }
}

/** Error of a shape with circular arcs. */
export class ArcError extends EtlError {
  /** Corners of a box that contains the shape, in the CRS of the bytes. */
  readonly corners: Float64Array;

  /** `coords` has the vertices and the control points of arcs. An arc may leave their box by no more than its larger side. */
  constructor(coords: Float64Array) {
    super(
      'bad_wkb',
      'The geometry has circular arcs. Convert it, for example with: ogr2ogr -nlt CONVERT_TO_LINEAR out.gpkg <file>',
    );
    const [west, south, east, north] = bboxOf(coords);
    const side = Math.max(east - west, north - south);
    this.corners = Float64Array.of(west - side, south - side, east + side, north + side);
  }
}

/** A geometry of one of the three kinds that the pipeline stores. An empty one has no vertices. */
export type AnyGeometry =
  | { kind: 'polygon'; geometry: MultiPolygon }
  | { kind: 'line'; geometry: MultiLine }
  | { kind: 'point'; geometry: MultiPoint };

const KINDS = ['point', 'line', 'polygon'] as const;

/** Minimum bytes of a point, line or polygon, including the header. */
const LEAST_BYTES = [21, 9, 9] as const;

/** Type of a collection, and its maximum nesting. */
const COLLECTION = 7;
/** Types of ISO 13249 for curves; without a circular string they are lines and polygons. */
const CIRCULAR_STRING = 8;
const COMPOUND_CURVE = 9;
const CURVE_POLYGON = 10;
const MULTI_CURVE = 11;
const MULTI_SURFACE = 12;
const DEPTH_MAX = 8;

/** Reads the geometry at the reader, including nested ones, into the parts of their kinds. */
function readGeometry(
  reader: WkbReader,
  into: (kind: AnyGeometry['kind']) => WkbVertices,
  depth: number,
): void {
  const header = reader.header();
  const { type } = header;
  if (type === COLLECTION && depth < DEPTH_MAX) {
    const count = reader.count(header.little, LEAST_BYTES[1], 'members');
    for (let i = 0; i < count; i++) readGeometry(reader, into, depth + 1);
    return;
  }
  if (type === CIRCULAR_STRING || type === COMPOUND_CURVE) {
    into('line').curve(header);
    return;
  }
  if (type === CURVE_POLYGON) {
    into('polygon').curvePolygon(header);
    return;
  }
  if (type === MULTI_CURVE || type === MULTI_SURFACE) {
    const count = reader.count(header.little, LEAST_BYTES[1], 'parts');
    const parts = into(type === MULTI_CURVE ? 'line' : 'polygon');
    for (let i = 0; i < count; i++) {
      const inner = reader.header();
      if (type === MULTI_CURVE) parts.curve(inner);
      else if (inner.type === POLYGON) parts.polygon(inner);
      else if (inner.type === CURVE_POLYGON) parts.curvePolygon(inner);
      else reader.fail(`geometry type ${inner.type} inside a geometry of type ${type}`);
    }
    return;
  }
  if (type < POINT || type > MULTI_POLYGON)
    reader.fail(`geometry type ${type}, expected points, lines or polygons`);
  const part = type > POLYGON ? type - POLYGON : type;
  const kind = KINDS[part - 1]!;
  const parts = into(kind);
  if (type <= POLYGON) parts[kind](header);
  else {
    const count = reader.count(header.little, LEAST_BYTES[part - 1]!, 'parts');
    for (let i = 0; i < count; i++) {
      const inner = reader.header();
      if (inner.type !== part) reader.fail(`geometry type ${inner.type} inside a geometry of type ${type}`);
      parts[kind](inner);
    }
  }
}

/**
 * Decodes a WKB point, line string or polygon, or several of one kind, in either byte order; Z, M and SRID are skipped. A
 * collection with polygons becomes its polygons: lines and points in it are left over from a clip. Memory is bounded by the length
 * of the bytes.
 * Curves and surfaces without a circular arc are lines and polygons. Throws ArcError for a shape with one.
 * @throws EtlError `bad_wkb` for other types, a collection of points and lines, truncated or surplus bytes, an
 * empty ring, a line of one vertex
 */
export function decodeAnyWkb(bytes: Uint8Array): AnyGeometry {
  const plain = decodePlainPolygon(bytes);
  if (plain !== null) return { kind: 'polygon', geometry: plain };
  const reader = new WkbReader(bytes);
  const buffers = new Map<AnyGeometry['kind'], WkbVertices>();
  readGeometry(
    reader,
    (kind) => {
      const parts = buffers.get(kind) ?? new WkbVertices(reader, bytes.byteLength);
      buffers.set(kind, parts);
      return parts;
    },
    0,
  );
  reader.end();
  const [first = 'polygon', ...others] = buffers.keys();
  if (others.length > 0 && !buffers.has('polygon')) reader.fail('a collection of points and lines');
  const kind = buffers.has('polygon') ? 'polygon' : first;
  const parts = buffers.get(kind) ?? new WkbVertices(reader, 0);
  const coords = parts.used;
  if (parts.hasArcs) throw new ArcError(coords);
  if (kind === 'point') return { kind, geometry: { coords } };
  if (kind === 'line') return { kind, geometry: { coords, lineEnds: parts.ends } };
  return { kind, geometry: { coords, ringEnds: parts.ends, polygonEnds: parts.polygonEnds } };
}

type GeometryOf<K extends AnyGeometry['kind']> = Extract<AnyGeometry, { kind: K }>['geometry'];

function decodeKind<K extends AnyGeometry['kind']>(bytes: Uint8Array, kind: K): GeometryOf<K> {
  const any: { kind: string; geometry: AnyGeometry['geometry'] } = decodeAnyWkb(bytes);
  if (any.kind === kind) return any.geometry as GeometryOf<K>;
  throw new EtlError(
    'bad_wkb',
    `Geometry bytes hold a ${any.kind}, expected a ${kind}. Load the feature again from its source.`,
  );
}

/** Decodes a WKB Polygon or MultiPolygon. @throws EtlError `bad_wkb` as decodeAnyWkb, and for another kind */
export const decodeWkb = (bytes: Uint8Array): MultiPolygon =>
  decodePlainPolygon(bytes) ?? decodeKind(bytes, 'polygon');

/** Decodes a WKB LineString or MultiLineString. @throws EtlError `bad_wkb` as decodeAnyWkb, and for another kind */
export const decodeLineWkb = (bytes: Uint8Array): MultiLine => decodeKind(bytes, 'line');

/** Decodes a WKB Point or MultiPoint. @throws EtlError `bad_wkb` as decodeAnyWkb, and for another kind */
export const decodePointWkb = (bytes: Uint8Array): MultiPoint => decodeKind(bytes, 'point');
