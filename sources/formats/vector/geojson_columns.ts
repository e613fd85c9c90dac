import type { FeatureField } from '../feature.ts';

/** Maximum names kept of columns that first appear after the sample. */
const MAX_LATE = 50;
const MAX_LATE_CHARS = 60;

/** Values of a feature by column number; undefined: the feature lacks the column. */
export type GeoJsonValues = Record<number, unknown>;

/** Columns of a file; features keep their attributes by column number. */
export class GeoJsonColumns {
  readonly #columns: ReadonlyMap<string, number>;
  /** Columns found so far that are not among the file's columns. */
  readonly late = new Set<string>();

  constructor(fields: readonly FeatureField[]) {
    this.#columns = new Map(fields.map(({ name }, column) => [name, column]));
  }

  /** Returns the attributes of a feature by column number. */
  pick(attributes: Readonly<Record<string, unknown>>): GeoJsonValues {
    const values: GeoJsonValues = {};
    for (const name of Object.keys(attributes)) {
      const column = this.#columns.get(name);
      if (column !== undefined) values[column] = attributes[name];
      else if (this.late.size < MAX_LATE) this.late.add(name.slice(0, MAX_LATE_CHARS));
    }
    return values;
  }
}
