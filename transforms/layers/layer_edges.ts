import { type Bbox, cellBbox } from '../../schema/grid.ts';
import { PIECE_MARGIN_DEG } from '../geo/pieces.ts';
import { metresPerDegreeLat, metresPerDegreeLon, type Plane } from '../geo/plane.ts';
import { writeBox } from './boxes.ts';
import { type FineGrid, type FineRange, fineRangeOfCell } from './fine_grid.ts';
import type { LayerPiece } from './layer_piece.ts';

/**
 * Maximum length of a part, metres. Edges are straight in degrees and bent on the plane; parts of this length deviate by less than
 * 1 mm up to 45° and less than 1.2 mm at 55°.
 */
const PART_M = 200;

/** Extension of an edge in the listing, as a share of a fine cell, so that rounding loses none. */
const EDGE_SLACK = 1e-7;

/** Borders of a layer: straight parts on the plane, and the parts in each fine cell. */
export interface LayerEdges {
  /** x0, y0, x1, y1 of each part, metres. A point is a part of zero length. */
  readonly xy: Float64Array;
  /** Piece of each part; ascending. */
  readonly piece: Int32Array;
  /** Parts of fine cell k: parts[starts[k]] to parts[starts[k + 1]], exclusive; ascending. */
  readonly starts: Uint32Array;
  readonly parts: Int32Array;
  /** Runs of fine cell k, each of up to eight successive parts of one piece: run_starts[k] to run_starts[k + 1], exclusive. */
  readonly run_starts: Uint32Array;
  readonly run_piece: Int32Array;
  readonly run_feature: Int32Array;
  /** Run i holds parts[run_parts[i]] to parts[run_parts[i + 1]], exclusive; there is one more entry than runs. */
  readonly run_parts: Uint32Array;
  /** Bounding box of the parts of each run, as in boxes.ts. */
  readonly run_boxes: Float64Array;
}

/** Returns the rim at which a piece was cut, in degrees. Null: not cut. */
function rimOf(piece: LayerPiece): Bbox | null {
  if (piece.cell < 0 || piece.kind !== 'polygon') return null;
  const [west, south, east, north] = cellBbox(piece.cell);
  const m = PIECE_MARGIN_DEG;
  return [west - m, south - m, east + m, north + m];
}

const isCut = (rim: Bbox, ax: number, ay: number, bx: number, by: number): boolean =>
  (ax === bx && (ax === rim[0] || ax === rim[2])) || (ay === by && (ay === rim[1] || ay === rim[3]));

/** Copies a list to one of twice its length. */
export const doubled = (list: Int32Array): Int32Array<ArrayBuffer> => {
  const larger = new Int32Array(list.length * 2);
  larger.set(list);
  return larger;
};

/** Maximum length of a degree, metres. */
const DEGREE_M = 111_700;

function partsOf(ax: number, ay: number, bx: number, by: number): number {
  const dx = bx - ax;
  const dy = by - ay;
  if (DEGREE_M * DEGREE_M * (dx * dx + dy * dy) <= PART_M * PART_M) return 1;
  const x = dx * metresPerDegreeLon((ay + by) / 2);
  const y = dy * metresPerDegreeLat((ay + by) / 2);
  return Math.max(1, Math.ceil(Math.sqrt(x * x + y * y) / PART_M));
}

/** Collects the parts of all pieces and the fine cells that each meets. Buffers are reused from layer to layer. */
class EdgeCollector {
  /** Ends of each part, degrees. */
  lonlat = new Float64Array(4096);
  piece = new Int32Array(1024);
  count = 0;
  /** Fine cell and part, alternating. */
  listed = new Int32Array(4096);
  listedCount = 0;
  private grid!: FineGrid;
  /** Ends of the current part, in fine cells. */
  private readonly fine = new Float64Array(4);
  /** A point as an edge of zero length, degrees. */
  private readonly dot = new Float64Array(4);

  start(grid: FineGrid): void {
    this.grid = grid;
    this.count = 0;
    this.listedCount = 0;
  }

  addPiece(number: number, piece: LayerPiece): void {
    const { coords } = piece.geometry;
    // A point has no margin: it is listed wherever it is.
    const range = fineRangeOfCell(this.grid, piece.kind === 'point' ? -1 : piece.cell);
    if (range.c0 > range.c1 || range.r0 > range.r1) return;
    if (piece.kind === 'point') {
      for (let i = 0; i < coords.length; i += 2) {
        this.dot[0] = this.dot[2] = coords[i]!;
        this.dot[1] = this.dot[3] = coords[i + 1]!;
        this.addEdge(number, range, this.dot, 0);
      }
      return;
    }
    const rim = rimOf(piece);
    let vertex = 0;
    for (const end of piece.kind === 'polygon' ? piece.geometry.ringEnds : piece.geometry.lineEnds) {
      for (; vertex < end - 1; vertex++) {
        const i = vertex * 2;
        const ax = coords[i]!;
        const ay = coords[i + 1]!;
        const bx = coords[i + 2]!;
        const by = coords[i + 3]!;
        if ((ax === bx && ay === by) || (rim !== null && isCut(rim, ax, ay, bx, by))) continue;
        this.addEdge(number, range, coords, i);
      }
      vertex = end;
    }
  }

  /** Divides the edge ends[i] … ends[i + 3] (degrees) into parts and lists those that meet the range. */
  private addEdge(piece: number, range: FineRange, ends: Float64Array, i: number): void {
    const { west, south, step_deg } = this.grid;
    const { fine } = this;
    const ax = ends[i]!;
    const ay = ends[i + 1]!;
    const bx = ends[i + 2]!;
    const by = ends[i + 3]!;
    const u0 = (ax - west) / step_deg;
    const v0 = (ay - south) / step_deg;
    const du = (bx - ax) / step_deg;
    const dv = (by - ay) / step_deg;
    const parts = partsOf(ax, ay, bx, by);
    let from = 0;
    let to = parts;
    if (parts > 1) {
      const shares = this.sharesInRange(range, u0, v0, du, dv);
      if (shares === null) return;
      from = Math.max(0, Math.floor(shares[0] * parts));
      to = Math.min(parts, Math.ceil(shares[1] * parts));
    }
    for (let k = from; k < to; k++) {
      const t0 = k / parts;
      const t1 = (k + 1) / parts;
      const before = this.listedCount;
      fine[0] = u0 + t0 * du;
      fine[1] = v0 + t0 * dv;
      fine[2] = u0 + t1 * du;
      fine[3] = v0 + t1 * dv;
      this.list(range);
      if (this.listedCount === before) continue;
      const at = this.reserve(piece) * 4;
      this.lonlat[at] = ax + t0 * (bx - ax);
      this.lonlat[at + 1] = ay + t0 * (by - ay);
      this.lonlat[at + 2] = k + 1 === parts ? bx : ax + t1 * (bx - ax);
      this.lonlat[at + 3] = k + 1 === parts ? by : ay + t1 * (by - ay);
    }
  }

  /** Returns the shares of an edge, in fine cells, between which it may be in the range. Null: none. */
  private sharesInRange(
    range: FineRange,
    u0: number,
    v0: number,
    du: number,
    dv: number,
  ): [number, number] | null {
    let t0 = 0;
    let t1 = 1;
    const narrow = (at: number, step: number, low: number, high: number): void => {
      if (step === 0) {
        if (at < low || at > high) t1 = -1;
        return;
      }
      const a = (low - at) / step;
      const b = (high - at) / step;
      t0 = Math.max(t0, Math.min(a, b));
      t1 = Math.min(t1, Math.max(a, b));
    };
    narrow(u0, du, range.c0 - EDGE_SLACK, range.c1 + 1 + EDGE_SLACK);
    narrow(v0, dv, range.r0 - EDGE_SLACK, range.r1 + 1 + EDGE_SLACK);
    return t0 <= t1 ? [t0, t1] : null;
  }

  /** Lists the current part, whose ends are in `fine`, in every fine cell of the range that it meets. */
  private list({ c0, c1, r0, r1 }: FineRange): void {
    const u0 = this.fine[0]!;
    const v0 = this.fine[1]!;
    const u1 = this.fine[2]!;
    const v1 = this.fine[3]!;
    const low = Math.max(r0, Math.floor(Math.min(v0, v1) - EDGE_SLACK));
    const high = Math.min(r1, Math.floor(Math.max(v0, v1) + EDGE_SLACK));
    const slope = v1 === v0 ? 0 : (u1 - u0) / (v1 - v0);
    const minU = Math.min(u0, u1);
    const right = Math.max(u0, u1);
    for (let row = low; row <= high; row++) {
      let a = minU;
      let b = right;
      if (slope !== 0 && Number.isFinite(slope)) {
        const ua = u0 + (row - EDGE_SLACK - v0) * slope;
        const ub = u0 + (row + 1 + EDGE_SLACK - v0) * slope;
        a = Math.max(a, Math.min(ua, ub));
        b = Math.min(b, Math.max(ua, ub));
      }
      const last = Math.min(c1, Math.floor(b + EDGE_SLACK));
      for (let col = Math.max(c0, Math.floor(a - EDGE_SLACK)); col <= last; col++) {
        if (this.listedCount + 2 > this.listed.length) this.listed = doubled(this.listed);
        this.listed[this.listedCount++] = row * this.grid.cols + col;
        this.listed[this.listedCount++] = this.count;
      }
    }
  }

  /** Reserves space for a part; returns its number. */
  private reserve(piece: number): number {
    if (this.count === this.piece.length) {
      this.piece = doubled(this.piece);
      const larger = new Float64Array(this.lonlat.length * 2);
      larger.set(this.lonlat);
      this.lonlat = larger;
    }
    this.piece[this.count] = piece;
    return this.count++;
  }
}

const collector = new EdgeCollector();

/** Collects the borders of pieces sorted by feature; edges at which a piece was cut are not borders. */
export function collectEdges(grid: FineGrid, plane: Plane, pieces: readonly LayerPiece[]): LayerEdges {
  collector.start(grid);
  for (const [number, piece] of pieces.entries()) collector.addPiece(number, piece);
  const { listed, listedCount, count } = collector;
  const starts = new Uint32Array(grid.cols * grid.rows + 1);
  for (let i = 0; i < listedCount; i += 2) starts[listed[i]! + 1]!++;
  for (let k = 0; k + 1 < starts.length; k++) starts[k + 1]! += starts[k]!;
  const next = starts.slice();
  const parts = new Int32Array(listedCount / 2);
  for (let i = 0; i < listedCount; i += 2) parts[next[listed[i]!]!++] = listed[i + 1]!;
  const piece = collector.piece.slice(0, count);
  const xy = plane.project(collector.lonlat.subarray(0, count * 4));
  const runs = runsOf(starts, parts, piece);
  const run_feature = runs.run_piece.map((own) => pieces[own]!.feature);
  return { xy, piece, starts, parts, ...runs, run_feature, run_boxes: boxesOf(xy, parts, runs.run_parts) };
}

function boxesOf(xy: Float64Array, parts: Int32Array, run_parts: Uint32Array): Float64Array {
  const runs = run_parts.length - 1;
  const boxes = new Float64Array(runs * 4);
  for (let run = 0; run < runs; run++) {
    let minX = Infinity;
    let minY = Infinity;
    let maxX = -Infinity;
    let maxY = -Infinity;
    for (let k = run_parts[run]!; k < run_parts[run + 1]!; k++) {
      for (let i = parts[k]! * 4, end = i + 4; i < end; i += 2) {
        const x = xy[i]!;
        const y = xy[i + 1]!;
        if (x < minX) minX = x;
        if (x > maxX) maxX = x;
        if (y < minY) minY = y;
        if (y > maxY) maxY = y;
      }
    }
    writeBox(boxes, run * 4, minX, minY, maxX, maxY);
  }
  return boxes;
}

/** Maximum parts of a run: few enough for a tight box. */
const RUN = 8;

/** Divides the parts of each fine cell into runs of one piece. */
function runsOf(
  starts: Uint32Array,
  parts: Int32Array,
  piece: Int32Array,
): Pick<LayerEdges, 'run_starts' | 'run_piece' | 'run_parts'> {
  const run_starts = new Uint32Array(starts.length);
  const run_piece = new Int32Array(parts.length);
  const run_parts = new Uint32Array(parts.length + 1);
  let runs = 0;
  for (let cell = 0; cell + 1 < starts.length; cell++) {
    const first = starts[cell]!;
    for (let k = first, end = starts[cell + 1]!; k < end; k++) {
      const ownPiece = piece[parts[k]!]!;
      if (k > first && run_piece[runs - 1] === ownPiece && k - run_parts[runs - 1]! < RUN) continue;
      run_piece[runs] = ownPiece;
      run_parts[runs++] = k;
    }
    run_starts[cell + 1] = runs;
  }
  run_parts[runs] = parts.length;
  return { run_starts, run_piece: run_piece.slice(0, runs), run_parts: run_parts.slice(0, runs + 1) };
}
