import { numberKey, numberValue } from '../parse/keys.ts';
import { canonicalLevel } from '../parse/unit_types.ts';
import {
  ADDRESS_COLUMNS,
  type ColumnName,
  MICRODEGREES,
  NO_PLACE,
  NONE,
  NUMBER_COLUMNS,
  TEXT_COLUMNS,
} from './address_columns.ts';
import { GrowingInts, groupIndexes, orderBy, pickOrdered } from './growing_ints.ts';
import type { IndexAddressRow } from './index_rows.ts';
import { Interner } from './interner.ts';
import { Pids, PidsBuilder } from './pids.ts';
import { type IndexSections, narrow, prefixed, type Section } from './sections.ts';

/** Bit of LEVEL_GEOCODED_CODE for a point of the address itself, not of its street or locality. */
const OWN_POINT = 1;

/** Collects addresses. Rows are numbered as they arrive, until `finishRows` sorts them by pid. */
export class AddressesBuilder {
  readonly #pids = new PidsBuilder();
  readonly #numbers = new Interner();
  readonly #texts = new Interner();
  readonly #growing = new Map<ColumnName, GrowingInts>(
    ADDRESS_COLUMNS.map((name) => [name, new GrowingInts()]),
  );
  readonly #columns = {} as Record<ColumnName, Int32Array>;
  #sections: IndexSections = {};
  #numberTexts: readonly string[] = [];

  get size(): number {
    return this.#pids.size;
  }

  #text = (text: string | null): number => (text ? this.#texts.intern(text.toUpperCase()) : NONE);

  #number(text: string | null): number {
    const key = text === null ? '' : numberKey(text);
    return key === '' ? NONE : this.#numbers.intern(key);
  }

  push(row: IndexAddressRow, street: number): void {
    const hasOwnPoint = row.lon !== null && row.lat !== null && (row.geocode_level & OWN_POINT) === OWN_POINT;
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
      lon: hasOwnPoint ? Math.round(row.lon! * MICRODEGREES) : NO_PLACE,
      lat: hasOwnPoint ? Math.round(row.lat! * MICRODEGREES) : NO_PLACE,
    };
    this.#pids.push(row.gnaf_pid);
    for (const name of ADDRESS_COLUMNS) this.#growing.get(name)!.push(values[name]);
  }

  /**
   * Sorts the rows by pid, numbers their texts in text order, and their streets by `streets`. Returns the identifiers, and the
   * final index of each row in order of arrival.
   */
  finishRows(streets: Int32Array): { pids: Pids; ranks: Int32Array } {
    const { sections, order } = this.#pids.finish();
    const [numbers, texts] = [this.#numbers.finish(), this.#texts.finish()];
    for (const name of ADDRESS_COLUMNS) {
      const ranks = NUMBER_COLUMNS.has(name) ? numbers.ranks : TEXT_COLUMNS.has(name) ? texts.ranks : null;
      const column = pickOrdered(this.#growing.get(name)!.finish(), order);
      this.#growing.delete(name);
      const by = name === 'street' ? streets : ranks;
      if (by !== null)
        for (let row = 0; row < column.length; row++)
          if (column[row] !== NONE) column[row] = by[column[row]!]!;
      this.#columns[name] = column;
    }
    const ranks = new Int32Array(order.length);
    order.forEach((row, rank) => {
      ranks[row] = rank;
    });
    this.#numberTexts = numbers.texts;
    this.#sections = {
      ...prefixed('pids', sections),
      ...prefixed('numbers', numbers.sections),
      ...prefixed('texts', texts.sections),
    };
    return { pids: new Pids(prefixed('a', prefixed('pids', sections)), 'a.pids'), ranks };
  }

  /** Returns the columns of street and number with the value of each number, for the number range of each street. */
  spans(): { street: Int32Array; value: (row: number) => number }[] {
    const values = Float64Array.from(this.#numberTexts, numberValue);
    return (['first', 'last'] as const).map((name) => {
      const numbers = this.#columns[name];
      const value = (row: number): number => (numbers[row] === NONE ? Number.NaN : values[numbers[row]!]!);
      return { street: this.#columns.street, value };
    });
  }

  /** Returns the sections. `principal`: row of each row's principal; `units` and `parents` are parallel. */
  finish(streets: number, principal: Int32Array, units: Int32Array, parents: Int32Array): IndexSections {
    const byParent = orderBy(units.length, [parents, units]);
    const columns: Record<string, Section> = {};
    for (const name of ADDRESS_COLUMNS) columns[name] = narrow(this.#columns[name]);
    return {
      ...this.#sections,
      ...columns,
      ...this.#byNumber(streets),
      principal: narrow(principal),
      unit: pickOrdered(units, byParent),
      parent: pickOrdered(parents, byParent),
    };
  }

  /** Sorts the rows of each street by number; a range appears under both ends. */
  #byNumber(streets: number): IndexSections {
    const { street, first, last } = this.#columns;
    const ranges = last.reduce((sum, value) => sum + (value === NONE ? 0 : 1), 0);
    const rows = new Int32Array(this.size + ranges);
    const numbers = new Int32Array(this.size + ranges);
    let at = 0;
    const put = (row: number, number: number): void => {
      rows[at] = row;
      numbers[at++] = number;
    };
    for (let row = 0; row < this.size; row++) {
      put(row, first[row]!);
      if (last[row] !== NONE) put(row, last[row]!);
    }
    const streetOf = pickOrdered(street, rows);
    // NONE is below every number, but orderBy needs numbers from 0.
    const order = orderBy(rows.length, [streetOf, numbers.map((number) => number + 1)]);
    return {
      starts: groupIndexes(streetOf, streets).starts,
      entry_number: narrow(pickOrdered(numbers, order)),
      entry_row: pickOrdered(rows, order),
    };
  }
}
