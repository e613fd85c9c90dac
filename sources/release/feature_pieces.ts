import { cellOf } from '../../schema/grid.ts';
import type { Table } from '../../schema/table.ts';
import { bboxOf, type MultiPolygon } from '../../transforms/geo/geometry.ts';
import { cutIntoCells, cutLinesIntoCells } from '../../transforms/geo/pieces.ts';
import { encodeLineWkb, encodePointWkb, encodeWkb } from '../../transforms/geo/wkb.ts';
import type { Family } from '../formats/feature.ts';
import type { MadeRow, ShapeOf } from './feature_rows.ts';

/** The part of a feature in one grid cell, in the columns of a piece table. */
export interface PieceColumns {
  cell: number;
  min_lon: number;
  min_lat: number;
  max_lon: number;
  max_lat: number;
  geom: Uint8Array;
}

function piece(cell: number, coords: Float64Array, geom: Uint8Array): PieceColumns {
  const [min_lon, min_lat, max_lon, max_lat] = bboxOf(coords);
  return { cell, min_lon, min_lat, max_lon, max_lat, geom };
}

/** Groups points by cell, in ascending order of cells; a point is not cut and has no margin. */
function* pointPieces(coords: Float64Array): Iterable<PieceColumns> {
  const cells = new Map<number, number[]>();
  for (let i = 0; i < coords.length; i += 2) {
    const cell = cellOf(coords[i]!, coords[i + 1]!);
    const cellPieces = cells.get(cell);
    if (cellPieces === undefined) cells.set(cell, [coords[i]!, coords[i + 1]!]);
    else cellPieces.push(coords[i]!, coords[i + 1]!);
  }
  for (const cell of [...cells.keys()].sort((a, b) => a - b)) {
    const points = Float64Array.from(cells.get(cell)!);
    yield piece(cell, points, encodePointWkb({ coords: points }));
  }
}

/** Cuts a shape into grid cells, in ascending order of cells, as WKB with the box around each piece. */
function* piecesOf(shape: ShapeOf<Family>): Iterable<PieceColumns> {
  switch (shape.kind) {
    case 'polygon':
      for (const { cell, geometry } of cutIntoCells(shape.geometry))
        yield piece(cell, geometry.coords, encodeWkb(geometry));
      return;
    case 'line':
      for (const { cell, geometry } of cutLinesIntoCells(shape.geometry))
        yield piece(cell, geometry.coords, encodeLineWkb(geometry));
      return;
    case 'point':
      yield* pointPieces(shape.geometry.coords);
  }
}

/** Builds the rows of a feature in a piece table: its attributes with each of its pieces. */
export function* pieceRows(table: Table, attributes: object, shape: ShapeOf<Family>): Generator<MadeRow> {
  for (const columns of piecesOf(shape)) yield [table, { ...attributes, ...columns }];
}

/** Cuts a polygon into grid cells, in ascending order of cells, for piece tables without boxes. */
export function* polygonPieces(polygon: MultiPolygon): Generator<Pick<PieceColumns, 'cell' | 'geom'>> {
  for (const { cell, geometry } of cutIntoCells(polygon)) yield { cell, geom: encodeWkb(geometry) };
}
