import type { Measure } from './measures.ts';

type AnyRow = Record<string, unknown>;

/** Where the values of the key columns, one after the other, lead to. */
interface Place {
  total: AnyRow | null;
  readonly next: Map<unknown, Place>;
}
const place = (): Place => ({ total: null, next: new Map() });

/** What the rows of each key come to: the columns of the key and those of the measures. */
export class Totals {
  readonly #by: readonly string[];
  readonly #measures: readonly Measure[];
  readonly #columns: ReadonlySet<string>;
  readonly #root = place();
  /** In the order in which their first rows were added. */
  readonly all: AnyRow[] = [];

  constructor(by: readonly string[], measures: readonly Measure[]) {
    this.#by = by;
    this.#measures = measures;
    this.#columns = new Set([...by, ...measures.flatMap(({ columns }) => Object.keys(columns))]);
  }

  /** Those that are of any row, in the same order. */
  get rows(): AnyRow[] {
    const counting = this.#measures.filter(({ isNone }) => isNone !== undefined);
    if (counting.length === 0) return this.all;
    return this.all.filter((total) => !counting.every((measure) => measure.isNone!(total)));
  }

  #placeOf(row: Readonly<AnyRow>): Place {
    let at = this.#root;
    for (const name of this.#by) {
      let next = at.next.get(row[name]);
      if (next === undefined) {
        next = place();
        at.next.set(row[name], next);
      }
      at = next;
    }
    return at;
  }

  /** Takes a row that was added out of the total of its key; false: what is left does not follow from the two, and the totals are of no use any more. */
  remove(row: Readonly<AnyRow>): boolean {
    const { total } = this.#placeOf(row);
    return total !== null && this.#measures.every((measure) => measure.remove?.(total, row) ?? false);
  }

  /** Adds a row to the total of its key, and returns that. */
  add(row: Readonly<AnyRow>): AnyRow {
    const at = this.#placeOf(row);
    if (at.total === null) {
      at.total = Object.fromEntries([...this.#columns].map((name) => [name, row[name]]));
      this.all.push(at.total);
    } else for (const measure of this.#measures) measure.merge(at.total, row);
    return at.total;
  }
}
