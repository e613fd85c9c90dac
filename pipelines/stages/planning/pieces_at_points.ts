import { cellOf } from '../../../schema/grid.ts';
import { append } from '../../../schema/group_by.ts';
import { buildPointLookup, type PointLookup } from '../../../transforms/geo/point_lookup.ts';

/** Pieces of one cell, with a lookup by point. */
export interface CellPieces {
  readonly lookup: PointLookup;
  /** Number among all pieces, by number in the lookup. */
  readonly numbers: readonly number[];
}

/**
 * Finds pieces of several cells by points. A point is looked up only among pieces of its own cell: pieces of the next cell are clipped with
 * a margin and could contain it too. Cells are prepared on first use.
 */
export class PiecesAtPoints {
  readonly #pieces: readonly { cell: number; geom: Uint8Array }[];
  readonly #cells = new Map<number, CellPieces>();
  #numbersOf: Map<number, number[]> | null = null;

  constructor(pieces: readonly { cell: number; geom: Uint8Array }[]) {
    this.#pieces = pieces;
  }

  /** Returns the pieces of the cell that contains a point, GDA2020 degrees. */
  around(lon: number, lat: number): CellPieces {
    const cell = cellOf(lon, lat);
    return this.#cells.get(cell) ?? this.#prepare(cell);
  }

  /** Returns the numbers of pieces that contain a point, ascending. */
  at(lon: number, lat: number): number[] {
    const { lookup, numbers } = this.around(lon, lat);
    return lookup.all(lon, lat).map((i) => numbers[i]!);
  }

  #prepare(cell: number): CellPieces {
    if (this.#numbersOf === null) {
      this.#numbersOf = new Map();
      for (let i = 0; i < this.#pieces.length; i++) {
        append(this.#numbersOf, this.#pieces[i]!.cell, i);
      }
    }
    const numbers = this.#numbersOf.get(cell) ?? [];
    const cellLookup = { lookup: buildPointLookup(numbers.map((i) => this.#pieces[i]!.geom)), numbers };
    this.#cells.set(cell, cellLookup);
    return cellLookup;
  }
}
