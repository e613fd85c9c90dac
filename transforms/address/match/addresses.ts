import {
  ADDRESS_COLUMNS,
  type ColumnName,
  MICRODEGREES,
  NO_PLACE,
  NONE,
  NUMBER_COLUMNS,
} from './address_columns.ts';
import { lowerBound } from './growing_ints.ts';
import { Pids } from './pids.ts';
import { type IndexSections, type Ints, typedSections } from './sections.ts';
import { Texts } from './texts.ts';

export { NONE } from './address_columns.ts';

const SORTED = ['principal', 'unit', 'parent', 'starts', 'entry_number', 'entry_row'] as const;

/** Addresses in integer columns, ascending by pid. Numbers with letters are ids in `numbers`, other texts ids in `texts`; NONE: missing. */
export class Addresses {
  readonly pids: Pids;
  /** Comparable keys of numbers: `12A`, `G1`. */
  readonly numbers: Texts;
  readonly texts: Texts;
  readonly #columns: Record<ColumnName, Ints>;
  readonly #principal: Ints;
  /** Rows of units, ascending by the row of their parent, and these parents. */
  readonly #units: Int32Array;
  readonly #parents: Int32Array;
  /** Per street, the rows ascending by number; a range appears under both ends. */
  readonly #starts: Int32Array;
  readonly #entryNumber: Ints;
  readonly #entryRow: Int32Array;

  constructor(all: IndexSections, part: string) {
    this.pids = new Pids(all, `${part}.pids`);
    this.numbers = new Texts(all, `${part}.numbers`);
    this.texts = new Texts(all, `${part}.texts`);
    this.#columns = typedSections(all, part, ADDRESS_COLUMNS) as Record<ColumnName, Ints>;
    const sorted = typedSections(all, part, SORTED);
    this.#principal = sorted.principal as Ints;
    this.#units = sorted.unit as Int32Array;
    this.#parents = sorted.parent as Int32Array;
    this.#starts = sorted.starts as Int32Array;
    this.#entryNumber = sorted.entry_number as Ints;
    this.#entryRow = sorted.entry_row as Int32Array;
  }

  get size(): number {
    return this.pids.size;
  }

  value = (column: ColumnName, row: number): number => this.#columns[column][row]!;

  /** Returns the rows of a street with a number, as their only one or as an end of a range. NONE: rows without a number. */
  withNumber(street: number, number: number): Int32Array {
    const end = this.#starts[street + 1]!;
    const from = lowerBound(this.#entryNumber, number, this.#starts[street]!, end);
    let to = from;
    while (to < end && this.#entryNumber[to] === number) to++;
    return this.#entryRow.subarray(from, to);
  }

  /** Returns all rows of a street; a range appears twice. */
  ofStreet(street: number): Int32Array {
    return this.#entryRow.subarray(this.#starts[street]!, this.#starts[street + 1]!);
  }

  /** Returns the units of a building by the row of their parent. */
  unitsOf(parent: number): Int32Array {
    const from = lowerBound(this.#parents, parent, 0, this.#parents.length);
    return this.#units.subarray(from, lowerBound(this.#parents, parent + 1, from, this.#parents.length));
  }

  /** Returns the text of a number or text column. Null: missing. */
  text(column: ColumnName, row: number): string | null {
    const id = this.value(column, row);
    if (id === NONE) return null;
    return NUMBER_COLUMNS.has(column) ? this.numbers.text(id) : this.texts.text(id);
  }

  /** Returns the point in GDA2020 degrees. Null: the address has no point of its own. */
  place(row: number): [lon: number, lat: number] | null {
    const lon = this.value('lon', row);
    return lon === NO_PLACE ? null : [lon / MICRODEGREES, this.value('lat', row) / MICRODEGREES];
  }

  /** Returns the row of a row's principal, or the row itself. */
  principalOf(row: number): number {
    const principal = this.#principal[row]!;
    return principal === NONE ? row : principal;
  }
}
