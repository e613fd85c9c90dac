import {
  type CensusLevel,
  censusFigures,
  type censusRegionRecord,
  EDITION_OF_CENSUS,
} from '../../schema/records/census.ts';
import type { Row } from '../../schema/table.ts';
import { FIGURE_NAMES, FIGURES } from './figures.ts';

type CensusRegionRow = Row<typeof censusRegionRecord>;

const COLUMNS = FIGURE_NAMES.map((name) => ({
  name,
  parts: FIGURES[name].columns.length,
  isWhole: censusFigures[name].type === 'int4',
}));

/** A row without values, from JSON.parse: V8 makes a slow dictionary of an object that gets this many columns one by one. */
const BLANK: Record<string, unknown> = JSON.parse(
  JSON.stringify({
    load_id: 0,
    source_no: 0,
    edition: 0,
    year: 0,
    level: '',
    code: '',
    ...Object.fromEntries(FIGURE_NAMES.map((name) => [name, null])),
  }),
);

/**
 * Collects the figures of all regions of one level: about 750 bytes a region, so 62,000 SA1s take 50 MB. A figure that sums several columns
 * is null until all of them have been added.
 */
export class RegionTable {
  readonly year: number;
  readonly edition: number;
  readonly level: CensusLevel;
  readonly #index = new Map<string, number>();
  readonly #lines: number[] = [];
  #sums: Float64Array[] = COLUMNS.map(() => new Float64Array(1024));
  #added: Uint8Array[] = COLUMNS.map(() => new Uint8Array(1024));

  constructor(year: number, level: CensusLevel) {
    this.year = year;
    this.edition = EDITION_OF_CENSUS[year] ?? 0;
    this.level = level;
  }

  get size(): number {
    return this.#index.size;
  }

  /** Returns the number of a region; `line` is the line of its first row. */
  regionOf(code: string, line: number): { region: number; isNew: boolean } {
    const index = this.#index.get(code);
    if (index !== undefined) return { region: index, isNew: false };
    const region = this.#index.size;
    this.#index.set(code, region);
    this.#lines.push(line);
    if (region >= this.#sums[0]!.length) this.#grow();
    return { region, isNew: true };
  }

  add(region: number, figure: number, value: number): void {
    this.#sums[figure]![region]! += value;
    this.#added[figure]![region]!++;
  }

  #grow(): void {
    const size = this.#sums[0]!.length * 2;
    this.#sums = this.#sums.map((values) => {
      const larger = new Float64Array(size);
      larger.set(values);
      return larger;
    });
    this.#added = this.#added.map((values) => {
      const larger = new Uint8Array(size);
      larger.set(values);
      return larger;
    });
  }

  /** Rows, in order of the first appearance of their codes. */
  *rows(): Generator<CensusRegionRow> {
    const { year, edition, level } = this;
    for (const [code, region] of this.#index) {
      const row: Record<string, unknown> = { ...BLANK };
      Object.assign(row, { source_no: this.#lines[region], edition, year, level, code });
      for (const [figure, { name, parts, isWhole }] of COLUMNS.entries()) {
        const value = this.#sums[figure]![region]!;
        const isKnown = this.#added[figure]![region] === parts;
        row[name] = isKnown ? (isWhole ? Math.round(value) : value) : null;
      }
      yield row as CensusRegionRow;
    }
  }
}
