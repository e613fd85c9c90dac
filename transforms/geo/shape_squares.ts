import { boxesAround } from './box_grid.ts';
import { type EdgeBands, insideBands } from './edge_bands.ts';
import type { MultiPolygon } from './geometry.ts';

/** Squares per side relative to the square root of the number of shapes, and their minimum and maximum. */
const SIDE_PER_ROOT = 2;
const LEAST_SIDE = 8;
const MOST_SIDE = 128;

/** Polygons by the squares of a grid over all of them. Built by shapeSquares. */
export interface ShapeSquares {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
  /** Squares per unit. */
  readonly per_x: number;
  readonly per_y: number;
  readonly cols: number;
  readonly rows: number;
  /** Shapes of square k: entries[starts[k]] to entries[starts[k + 1]], exclusive, by ascending number. */
  readonly starts: Uint32Array;
  /** Shape number × 2, plus 1 if the shape contains the whole square; plus 0 if points must be tested. */
  readonly entries: Uint32Array;
}

/** Returns the column or row. Monotonic in `value`, so a value between two others is in a square between theirs. */
function indexOf(value: number, origin: number, per: number, below: number): number {
  const at = Math.floor((value - origin) * per);
  return at < 0 ? 0 : at >= below ? below - 1 : at;
}

/** Returns the square of a point; -1: outside the grid. */
export function squareAt(squares: ShapeSquares, x: number, y: number): number {
  const { west, south, east, north, per_x, per_y, cols, rows } = squares;
  if (!(x >= west && x <= east && y >= south && y <= north)) return -1;
  return indexOf(y, south, per_y, rows) * cols + indexOf(x, west, per_x, cols);
}

type Grid = Omit<ShapeSquares, 'starts' | 'entries'>;

function gridOver(boxes: Float64Array): Grid {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let k = 0; k < boxes.length; k += 4) {
    west = Math.min(west, boxes[k]!);
    south = Math.min(south, boxes[k + 1]!);
    east = Math.max(east, boxes[k + 2]!);
    north = Math.max(north, boxes[k + 3]!);
  }
  const squaresPerSide = Math.ceil(Math.sqrt(boxes.length / 4) * SIDE_PER_ROOT);
  const side = Math.min(MOST_SIDE, Math.max(LEAST_SIDE, squaresPerSide));
  const cols = east > west ? side : 1;
  const rows = north > south ? side : 1;
  return {
    west,
    south,
    east,
    north,
    per_x: east > west ? cols / (east - west) : 0,
    per_y: north > south ? rows / (north - south) : 0,
    cols,
    rows,
  };
}

/** Sorts shapes into squares one after the other. */
class Sorter {
  readonly grid: Grid;
  /** Square and entry of each shape in it, in pairs. */
  readonly pairs: number[] = [];
  /** Last shape with an edge in each square, as its number + 1. */
  readonly #edged: Uint32Array;

  constructor(grid: Grid) {
    this.grid = grid;
    this.#edged = new Uint32Array(grid.cols * grid.rows);
  }

  add(shape: number, { coords, ringEnds }: MultiPolygon, bands: EdgeBands, boxes: Float64Array): void {
    const { west, south, per_x, per_y, cols, rows } = this.grid;
    const [minX, minY, maxX, maxY] = boxes.subarray(shape * 4, shape * 4 + 4);
    // The shape has no vertices.
    if (!(minX! <= maxX!)) return;
    let vertex = 0;
    for (const end of ringEnds) {
      this.#mark(shape + 1, coords, vertex, end);
      vertex = end;
    }
    const c0 = indexOf(minX!, west, per_x, cols);
    const c1 = indexOf(maxX!, west, per_x, cols);
    const r0 = indexOf(minY!, south, per_y, rows);
    const r1 = indexOf(maxY!, south, per_y, rows);
    for (let row = r0; row <= r1; row++) this.#row(shape, bands, row, c0, c1);
  }

  /** Marks the squares of the box around each edge. */
  #mark(mark: number, coords: Float64Array, from: number, to: number): void {
    const { west, south, per_x, per_y, cols, rows } = this.grid;
    const edged = this.#edged;
    let ca = indexOf(coords[from * 2]!, west, per_x, cols);
    let ra = indexOf(coords[from * 2 + 1]!, south, per_y, rows);
    for (let i = from * 2 + 2, end = to * 2; i < end; i += 2) {
      const cb = indexOf(coords[i]!, west, per_x, cols);
      const rb = indexOf(coords[i + 1]!, south, per_y, rows);
      const c1 = Math.max(ca, cb);
      const r1 = Math.max(ra, rb);
      for (let row = Math.min(ra, rb); row <= r1; row++) {
        for (let col = Math.min(ca, cb); col <= c1; col++) edged[row * cols + col] = mark;
      }
      ca = cb;
      ra = rb;
    }
  }

  /** Adjacent squares without an edge are all inside or all outside: only the first is tested. */
  #row(shape: number, bands: EdgeBands, row: number, c0: number, c1: number): void {
    const { cols } = this.grid;
    let covered: 0 | 1 | null = null;
    for (let col = c0; col <= c1; col++) {
      const square = row * cols + col;
      const hasEdge = this.#edged[square] === shape + 1;
      covered = hasEdge ? null : (covered ?? this.#covered(bands, col, row));
      if (covered !== 0) this.pairs.push(square, shape * 2 + (covered ?? 0));
    }
  }

  /** Returns whether the shape contains the centre of a square. Null: the square is too small to have one. */
  #covered(bands: EdgeBands, col: number, row: number): 0 | 1 | null {
    const { west, south, per_x, per_y, cols, rows } = this.grid;
    const x = west + (col + 0.5) / per_x;
    const y = south + (row + 0.5) / per_y;
    if (indexOf(x, west, per_x, cols) !== col || indexOf(y, south, per_y, rows) !== row) return null;
    return insideBands(bands, x, y) ? 1 : 0;
  }
}

/**
 * Sorts polygons, given also as `bands`, into the squares of a grid. A square without an edge of a polygon is wholly inside or
 * outside: rays from its points cross the same number of edges, or differ by pairs. This is exact for insideBands, where no
 * comparison in such a square depends on rounding.
 */
export function shapeSquares(shapes: readonly MultiPolygon[], bands: readonly EdgeBands[]): ShapeSquares {
  const boxes = boxesAround(shapes);
  const sorter = new Sorter(gridOver(boxes));
  for (let i = 0; i < shapes.length; i++) sorter.add(i, shapes[i]!, bands[i]!, boxes);
  const { grid, pairs } = sorter;
  const starts = new Uint32Array(grid.cols * grid.rows + 1);
  for (let k = 0; k < pairs.length; k += 2) starts[pairs[k]! + 1]!++;
  for (let k = 1; k < starts.length; k++) starts[k]! += starts[k - 1]!;
  const next = starts.slice();
  const entries = new Uint32Array(pairs.length / 2);
  for (let k = 0; k < pairs.length; k += 2) entries[next[pairs[k]!]!++] = pairs[k + 1]!;
  return { ...grid, starts, entries };
}
