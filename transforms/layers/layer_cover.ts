import { bboxOf } from '../geo/geometry.ts';
import { type FineGrid, fineRangeOfCell } from './fine_grid.ts';
import type { LayerPiece } from './layer_piece.ts';

/** Polygon pieces that contain the centres of fine cells; fine cell k has pieces[starts[k]] to pieces[starts[k + 1]], exclusive. */
export interface LayerCover {
  readonly starts: Uint32Array;
  /** Ascending within a fine cell. */
  readonly pieces: Int32Array;
}

/** Collects the fine cells whose centre is inside a polygon. */
class CoverCollector {
  /** Fine cell and piece, alternating. */
  held = new Int32Array(4096);
  count = 0;
  private readonly grid: FineGrid;
  private turns = new Uint8Array(0);

  constructor(grid: FineGrid) {
    this.grid = grid;
  }

  /** Only fine cells wholly inside the box of the piece: any other contains an edge, and is tested edge by edge. */
  addPiece(number: number, piece: LayerPiece): void {
    if (piece.kind !== 'polygon') return;
    const { coords, ringEnds } = piece.geometry;
    const { west, south, step_deg } = this.grid;
    const box = bboxOf(coords);
    const range = fineRangeOfCell(this.grid, piece.cell);
    const c0 = Math.max(range.c0, Math.ceil((box[0] - west) / step_deg));
    const c1 = Math.min(range.c1, Math.floor((box[2] - west) / step_deg) - 1);
    const r0 = Math.max(range.r0, Math.ceil((box[1] - south) / step_deg));
    const r1 = Math.min(range.r1, Math.floor((box[3] - south) / step_deg) - 1);
    if (c0 > c1 || r0 > r1) return;
    const width = c1 - c0 + 2;
    const size = width * (r1 - r0 + 1);
    if (this.turns.length < size) this.turns = new Uint8Array(size);
    else this.turns.fill(0, 0, size);
    let vertex = 0;
    for (const end of ringEnds) {
      for (; vertex < end - 1; vertex++) {
        const i = vertex * 2;
        const u0 = (coords[i]! - west) / step_deg - 0.5;
        const v0 = (coords[i + 1]! - south) / step_deg - 0.5;
        const u1 = (coords[i + 2]! - west) / step_deg - 0.5;
        const v1 = (coords[i + 3]! - south) / step_deg - 0.5;
        this.turn(u0, v0, u1, v1, c0, r0, r1, width);
      }
      vertex = end;
    }
    this.take(number, c0, r0, r1, width);
  }

  /** Marks, in each row whose centre line an edge crosses, the first column whose centre is not west of it. */
  // Numbers, not an object: an object would be allocated for each call of the inner loop.
  private turn(
    u0: number,
    v0: number,
    u1: number,
    v1: number,
    c0: number,
    r0: number,
    r1: number,
    width: number,
  ): void {
    const low = Math.max(r0, Math.ceil(Math.min(v0, v1)));
    const high = Math.min(r1, Math.ceil(Math.max(v0, v1)) - 1);
    if (low > high) return;
    const slope = (u1 - u0) / (v1 - v0);
    for (let row = low; row <= high; row++) {
      const col = Math.ceil(u0 + (row - v0) * slope) - c0;
      const at = col < 0 ? 0 : col >= width ? width - 1 : col;
      this.turns[(row - r0) * width + at]! ^= 1;
    }
  }

  private take(number: number, c0: number, r0: number, r1: number, width: number): void {
    for (let row = r0; row <= r1; row++) {
      const from = (row - r0) * width;
      let inside = 0;
      for (let at = width - 1; at > 0; at--) {
        inside ^= this.turns[from + at]!;
        if (inside === 0) continue;
        if (this.count + 2 > this.held.length) {
          const larger = new Int32Array(this.held.length * 2);
          larger.set(this.held);
          this.held = larger;
        }
        this.held[this.count++] = row * this.grid.cols + c0 + at - 1;
        this.held[this.count++] = number;
      }
    }
  }
}

/**
 * Returns the pieces that contain each fine cell's centre. If a piece has no edge in the cell, it covers the whole cell. Elsewhere
 * the centre decides nothing.
 */
export function collectCover(grid: FineGrid, pieces: readonly LayerPiece[]): LayerCover {
  const collector = new CoverCollector(grid);
  for (const [number, piece] of pieces.entries()) collector.addPiece(number, piece);
  const { held, count } = collector;
  const starts = new Uint32Array(grid.cols * grid.rows + 1);
  for (let i = 0; i < count; i += 2) starts[held[i]! + 1]!++;
  for (let k = 0; k + 1 < starts.length; k++) starts[k + 1]! += starts[k]!;
  const next = starts.slice();
  const list = new Int32Array(count / 2);
  for (let i = 0; i < count; i += 2) list[next[held[i]!]!++] = held[i + 1]!;
  return { starts, pieces: list };
}
