import { cellOf } from '../../../schema/grid.ts';
import { buildPointLookup, type PointLookup } from '../../../transforms/geo/point_lookup.ts';

/** The pieces of one cell: those that hold a point, by their number among all pieces. */
export interface CellPieces {
  readonly lookup: PointLookup;
  /** Number among all pieces of each piece of the lookup. */
  readonly numbers: readonly number[];
}

/**
 * Pieces of several cells, asked for by points. A point is looked up in the pieces of its own cell: those of the next one are clipped with a
 * margin, and may hold it too. A cell is prepared when a point lies in it.
 */
export class PiecesAtPoints {
  readonly #pieces: readonly { cell: number; geom: Uint8Array }[];
  readonly #cells = new Map<number, CellPieces>();
  #numbersOf: Map<number, number[]> | null = null;

  constructor(pieces: readonly { cell: number; geom: Uint8Array }[]) {
    this.#pieces = pieces;
  }

  /** The pieces of the cell that a point lies in, GDA2020 degrees. */
  around(lon: number, lat: number): CellPieces {
    const cell = cellOf(lon, lat);
    return this.#cells.get(cell) ?? this.#prepare(cell);
  }

  /** Numbers of the pieces that hold a point, ascending. */
  at(lon: number, lat: number): number[] {
    const { lookup, numbers } = this.around(lon, lat);
    return lookup.all(lon, lat).map((i) => numbers[i]!);
  }

  #prepare(cell: number): CellPieces {
    if (this.#numbersOf === null) {
      this.#numbersOf = new Map();
      for (let i = 0; i < this.#pieces.length; i++) {
        const of = this.#numbersOf.get(this.#pieces[i]!.cell);
        if (of) of.push(i);
        else this.#numbersOf.set(this.#pieces[i]!.cell, [i]);
      }
    }
    const numbers = this.#numbersOf.get(cell) ?? [];
    const made = { lookup: buildPointLookup(numbers.map((i) => this.#pieces[i]!.geom)), numbers };
    this.#cells.set(cell, made);
    return made;
  }
}
