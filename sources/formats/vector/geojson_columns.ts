import type { FeatureField } from '../feature.ts';

/** Names that are kept of columns that come too late. */
const MAX_LATE = 50;
const MAX_LATE_CHARS = 60;

/** Values of the columns of a file by their number; undefined: the feature lacks it. */
export type GeoJsonValues = Record<number, unknown>;

/** The columns of a file, by which the attributes of its features are kept. */
export class GeoJsonColumns {
  readonly #columns: ReadonlyMap<string, number>;
  /** Columns that are none of the file's, as far as they were met. */
  readonly late = new Set<string>();

  constructor(fields: readonly FeatureField[]) {
    this.#columns = new Map(fields.map(({ name }, column) => [name, column]));
  }

  /** The attributes of a feature by column. */
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
