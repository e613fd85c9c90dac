import type { Geometry } from 'geojson';
import { type Bbox, cellBbox } from '../../schema/grid.ts';
import {
  bboxOf,
  joinPolygons,
  joinRings,
  mapRings,
  polygonsOf,
  positionsOf,
  ringsOf,
  toGeoJson,
} from './geometry.ts';
import { clipLineToBox } from './line_clip.ts';
import { clipRingToBox } from './ring_clip.ts';
import { type AnyGeometry, decodeAnyWkb } from './wkb.ts';

/** Properties of a map shape. */
export type Says = Readonly<Record<string, string | number | boolean>>;

/** A map shape with its bounding box, GDA2020 degrees. */
export interface MapShape {
  shape: AnyGeometry;
  box: Bbox;
  says: Says;
}

/** Returns the properties of a row without nulls. */
export function withoutNulls(row: Readonly<Record<string, string | number | boolean | null>>): Says {
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
  if (shape.kind === 'point') return shape;
  if (shape.kind === 'polygon') {
    const inside = mapRings(polygonsOf(shape.geometry), (ring) => clipRingToBox(ring, box));
    return { kind: 'polygon', geometry: joinPolygons(inside) };
  }
  const lines = ringsOf(shape.geometry.coords, shape.geometry.lineEnds);
  const { coords, ringEnds } = joinRings(lines.flatMap((line) => clipLineToBox(line, box)));
  return { kind: 'line', geometry: { coords, lineEnds: ringEnds } };
}

/**
 * Returns the part of a feature in a grid cell, cut exactly at the edge: stored pieces have a margin, which two cells would draw
 * twice. Null: nothing of it is in the cell.
 */
export function pieceShape(geom: Uint8Array, cell: number, says: Says): MapShape | null {
  return cutTo(wkbShape(geom, says), cellBbox(cell));
}

/** Returns the part of a shape in a box. Null: none. Points are not cut. */
export function cutTo(fullShape: MapShape, box: Bbox): MapShape | null {
  if (isWithin(fullShape.box, box)) return fullShape;
  const shape = clipped(fullShape.shape, box);
  const { coords } = shape.geometry;
  return coords.length === 0 ? null : { shape, box: bboxOf(coords), says: fullShape.says };
}

export function geometryOf(shape: AnyGeometry): Geometry {
  if (shape.kind === 'polygon') return toGeoJson(shape.geometry);
  const { coords } = shape.geometry;
  if (shape.kind === 'point') return { type: 'MultiPoint', coordinates: positionsOf(coords) };
  const lines = ringsOf(coords, shape.geometry.lineEnds);
  return { type: 'MultiLineString', coordinates: lines.map(positionsOf) };
}
