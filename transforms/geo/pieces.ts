import { type Bbox, CELL_DEG, cellBbox, cellOf } from '../../schema/grid.ts';
import {
  bboxOf,
  joinPolygons,
  joinRings,
  type MultiLine,
  type MultiPolygon,
  mapRings,
  polygonsOf,
  ringsOf,
} from './geometry.ts';
import { clipLineToBox, keepSegments } from './line_clip.ts';
import { madeValid } from './ogc_validity.ts';
import { clipRingToBox, dropBeyond, isBox } from './ring_clip.ts';

/** Margin added to a cell on every side before clipping, degrees (about 10 m). */
export const PIECE_MARGIN_DEG = 1e-4;

/** Part of a multipolygon in one grid cell. */
export interface Piece {
  cell: number;
  geometry: MultiPolygon;
}

/** Part of lines in one grid cell. */
export interface LinePiece {
  cell: number;
  geometry: MultiLine;
}

type Polygon = Float64Array[];

function widened(cell: number): Bbox {
  const [minX, minY, maxX, maxY]: Bbox = cellBbox(cell);
  const m = PIECE_MARGIN_DEG;
  return [minX - m, minY - m, maxX + m, maxY + m];
}

/** Returns the part of `polygons` in one cell. Null: no area there. */
function pieceIn(cell: number, polygons: readonly Polygon[]): Piece | null {
  const box = widened(cell);
  const clipped = mapRings(polygons, (ring) => clipRingToBox(ring, box)).filter(
    // A hole that fills the cell removes a shell that also fills it.
    ([shell, ...holes]) => !(isBox(shell!, box) && holes.some((hole) => isBox(hole, box))),
  );
  const geometry = clipped.length === 0 ? null : madeValid(joinPolygons(clipped));
  return geometry === null ? null : { cell, geometry };
}

/** Row and column ranges, both ends included, in cell numbering. */
type CellRange = readonly [row0: number, row1: number, col0: number, col1: number];

/** Operations of a cut: narrow shapes to one side of a limit, and get their result in one cell. */
interface Cutter<Shape, Result> {
  narrow(shapes: readonly Shape[], axis: 0 | 1, side: 1 | -1, limit: number): Shape[];
  pieceIn(cell: number, shapes: readonly Shape[]): Result | null;
}

/** Halves the range until it is one cell, rows first, so that every vertex is read once per level, not once per cell. */
function* cut<Shape, Result>(
  cutter: Cutter<Shape, Result>,
  shapes: readonly Shape[],
  [r0, r1, c0, c1]: CellRange,
): Iterable<Result> {
  if (shapes.length === 0) return;
  if (r0 === r1 && c0 === c1) {
    const piece = cutter.pieceIn(r0 * STRIDE + c0, shapes);
    if (piece) yield piece;
    return;
  }
  const axis = r0 < r1 ? 1 : 0;
  const [first, last] = axis === 1 ? [r0, r1] : [c0, c1];
  const middle = (first + last) >> 1;
  const below: CellRange = axis === 1 ? [r0, middle, c0, c1] : [r0, r1, c0, middle];
  const above: CellRange = axis === 1 ? [middle + 1, r1, c0, c1] : [r0, r1, middle + 1, c1];
  const limitBelow = widened(axis === 1 ? middle * STRIDE + c0 : r0 * STRIDE + middle)[axis + 2]!;
  const limitAbove = widened(axis === 1 ? (middle + 1) * STRIDE + c0 : r0 * STRIDE + middle + 1)[axis]!;
  yield* cut(cutter, cutter.narrow(shapes, axis, 1, limitBelow), below);
  yield* cut(cutter, cutter.narrow(shapes, axis, -1, limitAbove), above);
}

/** Difference between the number of a cell and of the cell north of it. */
const STRIDE = cellOf(120, -30 + CELL_DEG * 1.5) - cellOf(120, -30 + CELL_DEG * 0.5);

const rangeOf = (first: number, last: number): CellRange => [
  Math.floor(first / STRIDE),
  Math.floor(last / STRIDE),
  first % STRIDE,
  last % STRIDE,
];

const POLYGONS: Cutter<Polygon, Piece> = {
  narrow: (polygons, axis, side, limit) => mapRings(polygons, (ring) => dropBeyond(ring, axis, side, limit)),
  pieceIn,
};

const LINES: Cutter<Float64Array, LinePiece> = {
  narrow: (lines, axis, side, limit) => lines.flatMap((line) => keepSegments(line, axis, side, limit)),
  pieceIn(cell, lines) {
    const box = widened(cell);
    const clipped = lines.flatMap((line) => clipLineToBox(line, box));
    if (clipped.length === 0) return null;
    const { coords, ringEnds: lineEnds } = joinRings(clipped);
    return { cell, geometry: { coords, lineEnds } };
  },
};

/**
 * Cuts a multipolygon into the grid cells that it touches, in ascending order of cells. Cells in which it has no area are left out.
 * A fully covered cell gives the rectangle of the widened cell; a feature in one cell is returned unchanged.
 * A piece extends `PIECE_MARGIN_DEG` beyond its cell. Inside the cell, point in polygon gives the same result for the piece as for
 * the whole, and a shared edge stays in exactly one of two neighbours.
 * Edges along the rim of the widened cell are cuts, not borders. A hole that the rim cuts becomes part of the shell; a shell cut in
 * two becomes two.
 */
export function* cutIntoCells(g: MultiPolygon): Iterable<Piece> {
  if (g.polygonEnds.length === 0) return;
  const [minX, minY, maxX, maxY] = bboxOf(g.coords);
  const first = cellOf(minX, minY);
  const last = cellOf(maxX, maxY);
  if (first === last) {
    yield { cell: first, geometry: g };
    return;
  }
  yield* cut(POLYGONS, polygonsOf(g), rangeOf(first, last));
}

/**
 * Cuts lines into the grid cells that they touch, in ascending order of cells. A piece extends `PIECE_MARGIN_DEG` beyond its cell,
 * where its ends are cuts; inside the cell the lines are unchanged. Lines in one cell are returned unchanged.
 */
export function* cutLinesIntoCells(lines: MultiLine): Iterable<LinePiece> {
  if (lines.lineEnds.length === 0) return;
  const [minX, minY, maxX, maxY] = bboxOf(lines.coords);
  const first = cellOf(minX, minY);
  const last = cellOf(maxX, maxY);
  if (first === last) {
    yield { cell: first, geometry: lines };
    return;
  }
  yield* cut(LINES, ringsOf(lines.coords, lines.lineEnds), rangeOf(first, last));
}
