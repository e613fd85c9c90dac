import { EtlError } from '../../schema/errors.ts';
import type { MultiPolygon } from './geometry.ts';

const POLYGON = 3;
const MULTI_POLYGON = 6;

/** Little-endian two-dimensional WKB of a multipolygon. */
export function encodeWkb(g: MultiPolygon): Uint8Array {
  const rings = g.ringEnds.length;
  const polygons = g.polygonEnds.length;
  const bytes = new Uint8Array(9 + 9 * polygons + 4 * rings + 8 * g.coords.length);
  const view = new DataView(bytes.buffer);
  let at = 0;
  const header = (type: number, count: number): void => {
    view.setUint8(at, 1);
    view.setUint32(at + 1, type, true);
    view.setUint32(at + 5, count, true);
    at += 9;
  };
  header(MULTI_POLYGON, polygons);
  let ring = 0;
  let vertex = 0;
  for (const polygonEnd of g.polygonEnds) {
    header(POLYGON, polygonEnd - ring);
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

  private need(size: number, what: string): void {
    if (this.at + size > this.view.byteLength) this.fail(`${what} is cut off`);
  }

  /** A count of items of at least `itemBytes` each: refused where the bytes left cannot hold them. */
  count(little: boolean, itemBytes: number, what: string): number {
    this.need(4, `the count of ${what}`);
    const n = this.view.getUint32(this.at, little);
    this.at += 4;
    if (n * itemBytes > this.view.byteLength - this.at)
      this.fail(`${n} ${what} do not fit in the bytes left`);
    return n;
  }

  /** Byte order, geometry type (1 to 7) and number of ordinates; ISO (+1000) and EWKB (high bits, SRID) flavours. */
  header(): { little: boolean; type: number; ordinates: number } {
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

  /** Vertices of one ring into `out` at index `to`, without Z and M. */
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

/**
 * Multipolygon of a WKB Polygon or MultiPolygon of either byte order; Z, M and SRID are skipped.
 * Throws `bad_wkb` for any other type, for bytes that are cut off or left over, and for a ring that is empty.
 * The memory it takes is bounded by the length of the bytes.
 */
export function decodeWkb(bytes: Uint8Array): MultiPolygon {
  const reader = new WkbReader(bytes);
  const coords = new Float64Array(bytes.byteLength >> 3);
  const ringEnds: number[] = [];
  const polygonEnds: number[] = [];
  let vertex = 0;
  const readPolygon = (little: boolean, ordinates: number): void => {
    const rings = reader.count(little, 4, 'rings');
    if (rings === 0) return;
    for (let r = 0; r < rings; r++) {
      const n = reader.count(little, 8 * ordinates, 'vertices');
      if (n === 0) reader.fail('a ring without vertices');
      reader.vertices(n, ordinates, little, coords, vertex * 2);
      vertex += n;
      ringEnds.push(vertex);
    }
    polygonEnds.push(ringEnds.length);
  };
  const { little, type, ordinates } = reader.header();
  if (type === POLYGON) readPolygon(little, ordinates);
  else if (type === MULTI_POLYGON) {
    const polygons = reader.count(little, 9, 'polygons');
    for (let p = 0; p < polygons; p++) {
      const inner = reader.header();
      if (inner.type !== POLYGON) reader.fail(`geometry type ${inner.type} inside a multipolygon`);
      readPolygon(inner.little, inner.ordinates);
    }
  } else reader.fail(`geometry type ${type}, expected a polygon or multipolygon`);
  reader.end();
  return { coords: coords.slice(0, vertex * 2), ringEnds, polygonEnds };
}
