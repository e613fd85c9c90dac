import type { MultiPolygon } from '../../transforms/geo/geometry.ts';
import { seededRandom } from '../sample/random.ts';
import { BLOCK_X, BLOCK_Y, blocksOf, degreesToBlock, type Points, polygon, ROAD_M } from './spatial_data.ts';

/** Furthest that a crossing of roads lies off the grid, metres: boundaries stay on the roads. */
const OFF_M = 3;
/** Vertices of a boundary between two crossings. */
const BETWEEN = 2;

/** Blocks from column x0 to x1 and row y0 to y1, ends exclusive. */
export interface BlockRange {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

/** An area that follows the middle of roads, in degrees, and its size in square kilometres. */
export interface Area {
  readonly shape: MultiPolygon;
  readonly area_sqkm: number;
}

/**
 * The middles of the roads of a synthetic city, which zones and statistical areas follow: crossings off a grid by some metres, with
 * vertices between them. Areas that meet share their vertices.
 */
export class Lattice {
  readonly columns: number;
  readonly rows: number;
  /** Offsets of the crossings and of the vertices to the east and to the north of each, x and y, metres. */
  readonly #off: Float64Array;

  constructor(parcels: number, seed: number) {
    [this.columns, this.rows] = blocksOf(parcels);
    const { next } = seededRandom(seed, 'lattice');
    this.#off = Float64Array.from(
      { length: (this.columns + 1) * (this.rows + 1) * (1 + 2 * BETWEEN) * 2 },
      () => (next() * 2 - 1) * OFF_M,
    );
  }

  /** Column and row of the block at a point. */
  blockAt(lon: number, lat: number): [column: number, row: number] {
    const [column, row] = degreesToBlock(lon, lat);
    return [Math.min(this.columns - 1, Math.max(0, column)), Math.min(this.rows - 1, Math.max(0, row))];
  }

  /** The blocks within the city of a rectangle of so many blocks, by its place among such rectangles. */
  clipped(column: number, row: number, width: number, height: number): BlockRange {
    return {
      x0: column * width,
      y0: row * height,
      x1: Math.min(this.columns, (column + 1) * width),
      y1: Math.min(this.rows, (row + 1) * height),
    };
  }

  area({ x0, y0, x1, y1 }: BlockRange): Area {
    const ring: Points = [];
    for (let x = x0; x < x1; x++) this.#eastward(ring, x, y0, false);
    for (let y = y0; y < y1; y++) this.#northward(ring, x1, y, false);
    for (let x = x1 - 1; x >= x0; x--) this.#eastward(ring, x, y1, true);
    for (let y = y1 - 1; y >= y0; y--) this.#northward(ring, x0, y, true);
    ring.push(ring[0]!);
    let twice = 0;
    for (let i = 1; i < ring.length; i++)
      twice += ring[i - 1]![0] * ring[i]![1] - ring[i]![0] * ring[i - 1]![1];
    return { shape: polygon(ring), area_sqkm: twice / 2e6 };
  }

  /** The k-th vertex of a crossing: 0 itself, then those to its east, then those to its north. */
  #vertex(x: number, y: number, k: number): [number, number] {
    const at = ((y * (this.columns + 1) + x) * (1 + 2 * BETWEEN) + k) * 2;
    const part = k > BETWEEN ? k - BETWEEN : k;
    const along = part / (BETWEEN + 1);
    const [east, north] = k > BETWEEN ? [0, along] : [along, 0];
    return [
      (x + east) * BLOCK_X - ROAD_M / 2 + this.#off[at]!,
      (y + north) * BLOCK_Y - ROAD_M / 2 + this.#off[at + 1]!,
    ];
  }

  /** Adds the way from a crossing to the next one in the east without its end; or back, without the crossing. */
  #eastward(ring: Points, x: number, y: number, back: boolean): void {
    if (back) ring.push(this.#vertex(x + 1, y, 0));
    else ring.push(this.#vertex(x, y, 0));
    for (let k = 1; k <= BETWEEN; k++) ring.push(this.#vertex(x, y, back ? BETWEEN + 1 - k : k));
  }

  #northward(ring: Points, x: number, y: number, back: boolean): void {
    if (back) ring.push(this.#vertex(x, y + 1, 0));
    else ring.push(this.#vertex(x, y, 0));
    for (let k = 1; k <= BETWEEN; k++) ring.push(this.#vertex(x, y, BETWEEN + (back ? BETWEEN + 1 - k : k)));
  }
}
