import type { MultiPolygon } from './geometry.ts';

/** Aligned buffer that bytes are copied to and read from; longer values use the general reader. */
const scratch = new Uint8Array(16_384);
const view = new DataView(scratch.buffer);

const POLYGON = 3;
const MULTI_POLYGON = 6;

/** Shared lists for polygons of one ring: ring ends by number of vertices, and polygon ends. */
const ringEndsOf: (readonly number[])[] = [];
const ONE: readonly number[] = [1];
const SHARED = 256;

/** Returns the end of a polygon's rings, starting at their count; -1: truncated, or a ring has no vertices. */
function endOfRings(from: number, length: number): number {
  if (from + 4 > length) return -1;
  const rings = view.getUint32(from, true);
  let at = from + 4;
  if (rings === 0) return -1;
  for (let r = 0; r < rings; r++) {
    if (at + 4 > length) return -1;
    const n = view.getUint32(at, true);
    at += 4 + 16 * n;
    if (n === 0 || at > length) return -1;
  }
  return at;
}

/** Copies the vertices of a polygon's rings, starting at their count, after `vertex`; returns the new number of vertices. */
function readRings(from: number, coords: Float64Array, ringEnds: number[] | null, vertex: number): number {
  let at = from + 4;
  let write = vertex * 2;
  for (let rings = view.getUint32(from, true); rings > 0; rings--) {
    const n = view.getUint32(at, true);
    at += 4;
    for (let i = 0; i < n; i++, at += 16) {
      coords[write++] = view.getFloat64(at, true);
      coords[write++] = view.getFloat64(at + 8, true);
    }
    ringEnds?.push(write / 2);
  }
  return write / 2;
}

/** Returns the polygon whose ring count is at `from` and whose rings end at `length`. Null: they do not. */
function onePolygon(from: number, length: number): MultiPolygon | null {
  if (endOfRings(from, length) !== length) return null;
  const rings = view.getUint32(from, true);
  const vertices = (length - from - 4 - 4 * rings) / 16;
  const coords = new Float64Array(vertices * 2);
  if (rings === 1 && vertices < SHARED) {
    readRings(from, coords, null, 0);
    ringEndsOf[vertices] ??= [vertices];
    return { coords, ringEnds: ringEndsOf[vertices]!, polygonEnds: ONE };
  }
  const ringEnds: number[] = [];
  readRings(from, coords, ringEnds, 0);
  return { coords, ringEnds, polygonEnds: [rings] };
}

/**
 * Decodes a polygon, or a multipolygon of one, in the pipeline's own format: little-endian, without Z, M and SRID, up to 16 kB.
 * Most shapes are, and this is several times as fast as the general reader. Null: any other bytes, valid or not.
 */
export function decodePlainPolygon(bytes: Uint8Array): MultiPolygon | null {
  const length = bytes.byteLength;
  if (length < 13 || length > scratch.length || bytes[0] !== 1) return null;
  scratch.set(bytes);
  const type = view.getUint32(1, true);
  if (type === POLYGON) return onePolygon(5, length);
  if (type !== MULTI_POLYGON || view.getUint32(5, true) !== 1 || length < 18) return null;
  if (scratch[9] !== 1 || view.getUint32(10, true) !== POLYGON) return null;
  return onePolygon(14, length);
}
