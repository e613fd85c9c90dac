import type { MultiPolygon } from './geometry.ts';

/** Target number of squares per box, and maximum squares of a box; larger boxes are kept in a separate list. */
const SQUARES_PER_BOX = 1;
const MOST_SQUARES = 64;

/** Boxes indexed by the squares of a grid, for searches by box. Built by buildBoxGrid. */
export interface BoxGrid {
  /** Minimum x and y and maximum x and y of each box. */
  readonly boxes: Float64Array;
  readonly west: number;
  readonly south: number;
  /** Squares per unit. */
  readonly per_x: number;
  readonly per_y: number;
  readonly cols: number;
  readonly rows: number;
  /** Boxes of square k: items[starts[k]] to items[starts[k + 1]], exclusive; ascending. */
  readonly starts: Uint32Array;
  readonly items: Uint32Array;
  /** Boxes that touch too many squares to be indexed; ascending. */
  readonly large: readonly number[];
}

/** Returns the boxes around shapes, flat. A shape without vertices has an empty box, which meets nothing. */
export function boxesAround(shapes: readonly MultiPolygon[]): Float64Array {
  const boxes = new Float64Array(shapes.length * 4);
  for (let i = 0; i < shapes.length; i++) {
    const { coords } = shapes[i]!;
    let [minX, minY, maxX, maxY] = [Infinity, Infinity, -Infinity, -Infinity];
    for (let k = 0; k < coords.length; k += 2) {
      const x = coords[k]!;
      const y = coords[k + 1]!;
      if (x < minX) minX = x;
      if (x > maxX) maxX = x;
      if (y < minY) minY = y;
      if (y > maxY) maxY = y;
    }
    boxes[i * 4] = minX;
    boxes[i * 4 + 1] = minY;
    boxes[i * 4 + 2] = maxX;
    boxes[i * 4 + 3] = maxY;
  }
  return boxes;
}

function limitsOf(boxes: Float64Array): [number, number, number, number] {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let k = 0; k < boxes.length; k += 4) {
    const minX = boxes[k]!;
    const maxX = boxes[k + 2]!;
    if (!(minX <= maxX)) continue;
    const minY = boxes[k + 1]!;
    const maxY = boxes[k + 3]!;
    west = Math.min(west, minX);
    south = Math.min(south, minY);
    east = Math.max(east, maxX);
    north = Math.max(north, maxY);
  }
  return west <= east ? [west, south, east, north] : [0, 0, 0, 0];
}

const clamp = (value: number, below: number): number => (value < 0 ? 0 : value >= below ? below - 1 : value);

/** Returns the column of an x or the row of a y, clamped to the grid. */
const squareOf = (value: number, origin: number, per: number, below: number): number =>
  clamp(Math.floor((value - origin) * per), below);

/** Indexes boxes in a grid of about as many squares. Flat; a box with NaN or infinity meets nothing. */
export function buildBoxGrid(boxes: Float64Array): BoxGrid {
  const count = boxes.length / 4;
  const [west, south, east, north] = limitsOf(boxes);
  const side = Math.max(1, Math.floor(Math.sqrt(count * SQUARES_PER_BOX)));
  const cols = east > west ? side : 1;
  const rows = north > south ? side : 1;
  const per_x = east > west ? cols / (east - west) : 0;
  const per_y = north > south ? rows / (north - south) : 0;
  const starts = new Uint32Array(cols * rows + 1);
  const large: number[] = [];
  const eachSquare = (callback: (square: number, box: number) => void, isFirst: boolean): void => {
    for (let i = 0; i < count; i++) {
      const k = i * 4;
      if (!(boxes[k]! <= boxes[k + 2]! && boxes[k + 1]! <= boxes[k + 3]!)) continue;
      const c0 = squareOf(boxes[k]!, west, per_x, cols);
      const c1 = squareOf(boxes[k + 2]!, west, per_x, cols);
      const r0 = squareOf(boxes[k + 1]!, south, per_y, rows);
      const r1 = squareOf(boxes[k + 3]!, south, per_y, rows);
      if ((c1 - c0 + 1) * (r1 - r0 + 1) > MOST_SQUARES) {
        if (isFirst) large.push(i);
        continue;
      }
      for (let row = r0; row <= r1; row++) for (let col = c0; col <= c1; col++) callback(row * cols + col, i);
    }
  };
  eachSquare((square) => {
    starts[square + 1]!++;
  }, true);
  for (let k = 1; k < starts.length; k++) starts[k]! += starts[k - 1]!;
  const next = starts.slice();
  const items = new Uint32Array(starts[cols * rows]!);
  eachSquare((square, box) => {
    items[next[square]!++] = box;
  }, false);
  return { boxes, west, south, per_x, per_y, cols, rows, starts, items, large };
}

/** Reusable list of numbers that grows as needed. */
export interface NumberList {
  items: Uint32Array;
}

function put(out: NumberList, count: number, item: number): number {
  if (count === out.items.length) {
    const larger = new Uint32Array(count * 2);
    larger.set(out.items);
    out.items = larger;
  }
  out.items[count] = item;
  return count + 1;
}

// Numbers, not an object: an object would be allocated for each call of the inner loop.
function meets(
  boxes: Float64Array,
  k: number,
  minX: number,
  minY: number,
  maxX: number,
  maxY: number,
): boolean {
  return boxes[k]! <= maxX && boxes[k + 2]! >= minX && boxes[k + 1]! <= maxY && boxes[k + 3]! >= minY;
}

/** Writes the boxes that meet or touch a box to `out`, each once, and overwrites its content. Returns their number. */
export function boxesMeeting(
  grid: BoxGrid,
  minX: number,
  minY: number,
  maxX: number,
  maxY: number,
  out: NumberList,
): number {
  const { boxes, west, south, per_x, per_y, cols, rows, starts, items, large } = grid;
  let count = 0;
  for (const item of large) {
    if (meets(boxes, item * 4, minX, minY, maxX, maxY)) count = put(out, count, item);
  }
  if (items.length === 0 || Number.isNaN(minX + minY + maxX + maxY)) return count;
  const c0 = squareOf(minX, west, per_x, cols);
  const c1 = squareOf(maxX, west, per_x, cols);
  const r0 = squareOf(minY, south, per_y, rows);
  const r1 = squareOf(maxY, south, per_y, rows);
  for (let row = r0; row <= r1; row++) {
    for (let col = c0; col <= c1; col++) {
      const square = row * cols + col;
      for (let i = starts[square]!, end = starts[square + 1]!; i < end; i++) {
        const k = items[i]! * 4;
        if (!meets(boxes, k, minX, minY, maxX, maxY)) continue;
        // A box in several squares is only taken in the first one searched.
        if (col > c0 && squareOf(boxes[k]!, west, per_x, cols) < col) continue;
        if (row > r0 && squareOf(boxes[k + 1]!, south, per_y, rows) < row) continue;
        count = put(out, count, items[i]!);
      }
    }
  }
  return count;
}
