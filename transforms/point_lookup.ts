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

/** Builds a lookup over WKB polygons; the pieces of one grid cell are few enough for a scan of their boxes. */
export function buildPointLookup(shapes: readonly Uint8Array[]): PointLookup {
  const geometries: MultiPolygon[] = shapes.map(decodeWkb);
  const boxes = new Float64Array(geometries.length * 4);
  geometries.forEach((geometry, i) => {
    boxes.set(bboxOf(geometry.coords), i * 4);
  });
  const holds = (i: number, x: number, y: number): boolean =>
    x >= boxes[i * 4]! &&
    y >= boxes[i * 4 + 1]! &&
    x <= boxes[i * 4 + 2]! &&
    y <= boxes[i * 4 + 3]! &&
    pointInMultiPolygon(x, y, geometries[i]!);
  return {
    first(x, y) {
      for (let i = 0; i < geometries.length; i++) if (holds(i, x, y)) return i;
      return -1;
    },
    all(x, y) {
      const found: number[] = [];
      for (let i = 0; i < geometries.length; i++) if (holds(i, x, y)) found.push(i);
      return found;
    },
  };
}
