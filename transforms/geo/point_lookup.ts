import { edgeBands, insideBands } from './edge_bands.ts';
import { type ShapeSquares, shapeSquares, squareAt } from './shape_squares.ts';
import { decodeWkb } from './wkb.ts';

/** Finds the polygons that contain a point. */
export interface PointLookup {
  /** Polygons of the last `find`, ascending; it returned their number. */
  readonly found: Uint32Array;
  /** Finds the polygons that contain the point, writes them to `found` and returns their number. NaN: none. */
  find(x: number, y: number): number;
  /** Returns the numbers of all polygons that contain the point, ascending. */
  all(x: number, y: number): number[];
}

/** Looks up points in the squares of a grid. A polygon that covers a whole square contains its points; a polygon with an edge there is tested. */
class GridLookup implements PointLookup {
  readonly found: Uint32Array;
  readonly #bands: ReturnType<typeof edgeBands>[];
  readonly #squares: ShapeSquares;

  constructor(shapes: readonly Uint8Array[]) {
    const geometries = shapes.map(decodeWkb);
    this.#bands = geometries.map(edgeBands);
    this.#squares = shapeSquares(geometries, this.#bands);
    this.found = new Uint32Array(shapes.length);
  }

  find(x: number, y: number): number {
    const square = squareAt(this.#squares, x, y);
    if (square < 0) return 0;
    const { starts, entries } = this.#squares;
    const hits = this.found;
    let count = 0;
    for (let k = starts[square]!, end = starts[square + 1]!; k < end; k++) {
      const entry = entries[k]!;
      if ((entry & 1) === 1 || insideBands(this.#bands[entry >>> 1]!, x, y)) hits[count++] = entry >>> 1;
    }
    return count;
  }

  all(x: number, y: number): number[] {
    const count = this.find(x, y);
    const numbers: number[] = [];
    for (let k = 0; k < count; k++) numbers.push(this.found[k]!);
    return numbers;
  }
}

/** Builds a lookup over WKB polygons: squares of a grid, and point in polygon if an edge crosses the square. */
export const buildPointLookup = (shapes: readonly Uint8Array[]): PointLookup => new GridLookup(shapes);
