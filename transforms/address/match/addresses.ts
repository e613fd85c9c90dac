import { numberKey } from '../parse/keys.ts';
import { canonicalLevel } from '../parse/unit_types.ts';
import { GrowingInts, groupBy, lowerBound } from './growing.ts';
import { Interner } from './interner.ts';
import { Pids } from './pids.ts';
import type { AddressRow } from './rows.ts';

/** Stands for a number, type or link that an address does not have. */
export const NONE = -1;
/** Coordinates are kept in millionths of a degree (0.1 m); this stands for none. */
const NO_PLACE = 2 ** 31 - 1;
const MICRODEGREES = 1e6;
/** Bit of LEVEL_GEOCODED_CODE that says that the point is of the address, not of its street or locality. */
const OWN_POINT = 1;

const COLUMNS = [
  'street',
  'first',
  'last',
  'flat_type',
  'flat',
  'level_type',
  'level',
  'lot',
  'building',
  'postcode',
  'live',
  'lon',
  'lat',
] as const;
type ColumnName = (typeof COLUMNS)[number];

/**
 * The addresses in columns of integers, 4 bytes each, in the order in which they came. Numbers with their letters are
 * numbers of `numbers`, other texts of `texts`; NONE where there is none.
 */
export class Addresses {
  readonly pids = new Pids();
  /** Comparable forms of numbers: `12A`, `G1`. */
  readonly numbers = new Interner();
  readonly texts = new Interner();
  readonly #growing = new Map<ColumnName, GrowingInts>(COLUMNS.map((name) => [name, new GrowingInts()]));
  #columns: Record<ColumnName, Int32Array> | null = null;
  /** Row of the principal; NONE: the row is a principal. */
  principal: Int32Array = new Int32Array(0);
  /** Rows of units ascending by the row of their parent, and those parents. */
  #units: Int32Array = new Int32Array(0);
  #parents: Int32Array = new Int32Array(0);
  /** Per street, the rows ascending by number; a range stands under both its ends. */
  #starts: Int32Array = new Int32Array(0);
  #entryNumber: Int32Array = new Int32Array(0);
  #entryRow: Int32Array = new Int32Array(0);

  get size(): number {
    return this.pids.size;
  }

  #text = (text: string | null): number => (text ? this.texts.intern(text.toUpperCase()) : NONE);

  #number(text: string | null): number {
    const key = text === null ? '' : numberKey(text);
    return key === '' ? NONE : this.numbers.intern(key);
  }

  push(row: AddressRow, street: number): void {
    const placed = row.lon !== null && row.lat !== null && (row.geocode_level & OWN_POINT) === OWN_POINT;
    const level = row.level_type === null ? null : canonicalLevel(row.level_type);
    const last = this.#number(row.number_last);
    const first = this.#number(row.number_first);
    const values: Record<ColumnName, number> = {
      street,
      first: first === NONE ? last : first,
      last: first === NONE || first === last ? NONE : last,
      flat_type: this.#text(row.flat_type),
      flat: this.#number(row.flat_number),
      level_type: this.#text(level),
      level: this.#number(row.level_number),
      lot: this.#number(row.lot_number),
      building: this.#text(row.building_name),
      postcode: this.#text(row.postcode),
      live: row.is_live ? 1 : 0,
      lon: placed ? Math.round(row.lon! * MICRODEGREES) : NO_PLACE,
      lat: placed ? Math.round(row.lat! * MICRODEGREES) : NO_PLACE,
    };
    this.pids.push(row.gnaf_pid);
    for (const name of COLUMNS) this.#growing.get(name)!.push(values[name]);
  }

  /** Fixes the columns; addresses cannot be added any more. */
  finishColumns(): void {
    const columns = {} as Record<ColumnName, Int32Array>;
    for (const name of COLUMNS) {
      columns[name] = this.#growing.get(name)!.finish();
      this.#growing.delete(name);
    }
    this.#columns = columns;
    this.principal = new Int32Array(this.size).fill(NONE);
  }

  /** Sorts the rows of each street by number; `count` is the number of streets. */
  finishNumbers(count: number): void {
    const { street, first, last } = this.#columns!;
    const ranges = last.reduce((sum, value) => sum + (value === NONE ? 0 : 1), 0);
    const streets = new Int32Array(this.size + ranges);
    const rows = new Int32Array(this.size + ranges);
    const numbers = new Int32Array(this.size + ranges);
    let at = 0;
    const put = (row: number, number: number): void => {
      streets[at] = street[row]!;
      rows[at] = row;
      numbers[at++] = number;
    };
    for (let row = 0; row < this.size; row++) {
      put(row, first[row]!);
      if (last[row] !== NONE) put(row, last[row]!);
    }
    const { starts, order } = groupBy(streets, count);
    for (let s = 0; s < count; s++) sortSlice(order, numbers, starts[s]!, starts[s + 1]!);
    this.#starts = starts;
    this.#entryNumber = order.map((entry) => numbers[entry]!);
    this.#entryRow = order.map((entry) => rows[entry]!);
  }

  /** Links units to their parents: pairs of rows. */
  finishParents(units: Int32Array, parents: Int32Array): void {
    const order = Int32Array.from(units.keys()).sort((a, b) => parents[a]! - parents[b]! || a - b);
    this.#units = order.map((i) => units[i]!);
    this.#parents = order.map((i) => parents[i]!);
  }

  value = (column: ColumnName, row: number): number => this.#columns![column][row]!;
  column = (column: ColumnName): Int32Array => this.#columns![column];

  /** Rows of a street that have a number, as their only one or as an end of a range; NONE: those without a number. */
  withNumber(street: number, number: number): Int32Array {
    const end = this.#starts[street + 1]!;
    const from = lowerBound(this.#entryNumber, number, this.#starts[street]!, end);
    let to = from;
    while (to < end && this.#entryNumber[to] === number) to++;
    return this.#entryRow.subarray(from, to);
  }

  /** All rows of a street; a range comes twice. */
  ofStreet(street: number): Int32Array {
    return this.#entryRow.subarray(this.#starts[street]!, this.#starts[street + 1]!);
  }

  /** Units of a building by the row of their parent. */
  unitsOf(parent: number): Int32Array {
    const from = lowerBound(this.#parents, parent, 0, this.#parents.length);
    return this.#units.subarray(from, lowerBound(this.#parents, parent + 1, from, this.#parents.length));
  }

  /** The text of a number or text column; null: none. */
  text(column: ColumnName, row: number): string | null {
    const id = this.value(column, row);
    if (id === NONE) return null;
    const ofNumber = column === 'first' || column === 'last' || column === 'flat';
    return ofNumber || column === 'level' || column === 'lot' ? this.numbers.text(id) : this.texts.text(id);
  }

  /** Point in degrees GDA2020; null: none of the address itself. */
  place(row: number): [lon: number, lat: number] | null {
    const lon = this.value('lon', row);
    return lon === NO_PLACE ? null : [lon / MICRODEGREES, this.value('lat', row) / MICRODEGREES];
  }

  /** Row that stands for a row: its principal, or itself. */
  principalOf(row: number): number {
    const principal = this.principal[row]!;
    return principal === NONE ? row : principal;
  }
}

/** Sorts part of `order` by the values it points at, then by itself. */
function sortSlice(order: Int32Array, values: Int32Array, from: number, to: number): void {
  if (to - from > 1) order.subarray(from, to).sort((a, b) => values[a]! - values[b]! || a - b);
}
