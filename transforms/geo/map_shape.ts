import type { Geometry, Position } from 'geojson';
import { type Bbox, cellBbox } from '../../schema/grid.ts';
import { bboxOf, toGeoJson } from './geometry.ts';
import { clipLineToBox } from './line_clip.ts';
import { clipRingToBox } from './ring_clip.ts';
import { type AnyGeometry, decodeAnyWkb } from './wkb.ts';

/** What a map may say of a shape beside its form. */
export type Says = Readonly<Record<string, string | number | boolean>>;

/** A shape of a map with the box around it, GDA2020 degrees. */
export interface MapShape {
  shape: AnyGeometry;
  box: Bbox;
  says: Says;
}

/** A row with a value for each thing that is said, without those that are not known. */
export function saying(row: Readonly<Record<string, string | number | boolean | null>>): Says {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as Says;
}

export const pointShape = (lon: number, lat: number, says: Says): MapShape => ({
  shape: { kind: 'point', geometry: { coords: Float64Array.of(lon, lat) } },
  box: [lon, lat, lon, lat],
  says,
});

export function lineShape(line: readonly (readonly [number, number])[], says: Says): MapShape {
  const coords = Float64Array.from(line.flat());
  return {
    shape: { kind: 'line', geometry: { coords, lineEnds: [line.length] } },
    box: bboxOf(coords),
    says,
  };
}

export function wkbShape(geom: Uint8Array, says: Says): MapShape {
  const shape = decodeAnyWkb(geom);
  return { shape, box: bboxOf(shape.geometry.coords), says };
}

const isWithin = (box: Bbox, [west, south, east, north]: Bbox): boolean =>
  box[0] >= west && box[1] >= south && box[2] <= east && box[3] <= north;

function clipped(shape: AnyGeometry, box: Bbox): AnyGeometry {
  const { coords } = shape.geometry;
  const parts: Float64Array[] = [];
  if (shape.kind === 'line') {
    shape.geometry.lineEnds.forEach((end, i, ends) => {
      parts.push(...clipLineToBox(coords.subarray((ends[i - 1] ?? 0) * 2, end * 2), box).map(flat));
    });
    return { kind: 'line', geometry: { ...joined(parts), lineEnds: endsOf(parts) } };
  }
  if (shape.kind === 'point') return shape;
  const { ringEnds, polygonEnds } = shape.geometry;
  const ends: number[] = [];
  let ring = 0;
  for (const polygonEnd of polygonEnds) {
    const before = parts.length;
    for (const first = ring; ring < polygonEnd; ring++) {
      const own = clipRingToBox(coords.subarray((ringEnds[ring - 1] ?? 0) * 2, ringEnds[ring]! * 2), box);
      if (own !== null) parts.push(own);
      // Without its shell a polygon has no holes.
      else if (ring === first) break;
    }
    ring = polygonEnd;
    if (parts.length > before) ends.push(parts.length);
  }
  return { kind: 'polygon', geometry: { ...joined(parts), ringEnds: endsOf(parts), polygonEnds: ends } };
}

const flat = (line: readonly (readonly number[])[] | Float64Array): Float64Array =>
  line instanceof Float64Array ? line : Float64Array.from(line.flat());

function endsOf(parts: readonly Float64Array[]): number[] {
  let vertex = 0;
  return parts.map((part) => {
    vertex += part.length / 2;
    return vertex;
  });
}

function joined(parts: readonly Float64Array[]): { coords: Float64Array } {
  const coords = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    coords.set(part, at);
    at += part.length;
  }
  return { coords };
}

/**
 * The part of a feature that lies in a grid cell, cut at the very edge: pieces of one feature are kept with a margin, in which
 * they would be drawn twice. Null: nothing of it lies in the cell.
 */
export function pieceShape(geom: Uint8Array, cell: number, says: Says): MapShape | null {
  return cutTo(wkbShape(geom, says), cellBbox(cell));
}

/** The part of a shape that lies in a box; null: none of it. Points are not cut. */
export function cutTo(whole: MapShape, box: Bbox): MapShape | null {
  if (isWithin(whole.box, box)) return whole;
  const shape = clipped(whole.shape, box);
  const { coords } = shape.geometry;
  return coords.length === 0 ? null : { shape, box: bboxOf(coords), says: whole.says };
}

const positions = (coords: Float64Array, from: number, to: number): Position[] =>
  Array.from({ length: to - from }, (_, i) => [coords[(from + i) * 2]!, coords[(from + i) * 2 + 1]!]);

/** The same as GeoJSON. */
export function geometryOf(shape: AnyGeometry): Geometry {
  if (shape.kind === 'polygon') return toGeoJson(shape.geometry);
  const { coords } = shape.geometry;
  if (shape.kind === 'point')
    return { type: 'MultiPoint', coordinates: positions(coords, 0, coords.length / 2) };
  return {
    type: 'MultiLineString',
    coordinates: shape.geometry.lineEnds.map((end, i, ends) => positions(coords, ends[i - 1] ?? 0, end)),
  };
}
