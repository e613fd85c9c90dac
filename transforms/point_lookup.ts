import Flatbush from 'flatbush';
import { bboxOf, type MultiPolygon } from './geo/geometry.ts';
import { pointInMultiPolygon } from './geo/point_in_polygon.ts';
import { decodeWkb } from './geo/wkb.ts';

/** Finds the polygons that hold a point. */
export interface PointLookup {
  /** Lowest number of a polygon holding the point, or -1. */
  first(x: number, y: number): number;
  /** Numbers of all polygons holding the point, ascending. */
  all(x: number, y: number): number[];
}

/** Builds a lookup over WKB polygons: a packed index of their boxes, then point in polygon. */
export function buildPointLookup(shapes: readonly Uint8Array[]): PointLookup {
  if (shapes.length === 0) return { first: () => -1, all: () => [] };
  const geometries: MultiPolygon[] = shapes.map(decodeWkb);
  const index = new Flatbush(geometries.length);
  for (const geometry of geometries) index.add(...bboxOf(geometry.coords));
  index.finish();
  const all = (x: number, y: number): number[] =>
    index.search(x, y, x, y, (i) => pointInMultiPolygon(x, y, geometries[i]!)).sort((a, b) => a - b);
  return { all, first: (x, y) => all(x, y)[0] ?? -1 };
}
