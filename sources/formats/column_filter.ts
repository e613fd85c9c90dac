import { z } from 'zod';
import { familyOf } from './code_family.ts';
import { findField, requireField } from './columns.ts';
import { comparable } from './comparable_text.ts';
import type { FeatureField, Features } from './feature.ts';

/** Which features of a layer a dataset takes, by one column; the others are drops under a name. */
export interface ColumnFilter {
  /** Aliases of the column, as in findField. */
  readonly fields: readonly string[];
  /** Values that are taken, compared by `comparable`; a blank is never taken. */
  readonly keep: readonly string[];
  /** `family`: the values are base codes, which also take their schedules: `HO` takes `HO12`. */
  readonly match: 'value' | 'family';
  /** Name of the drop: `not_gazetted` for features that are not in force, else `other_class`. */
  readonly drop: 'not_gazetted' | 'other_class';
  /** True: a file without the column is taken whole, and the report says so. False: it is an error. */
  readonly optional: boolean;
}

/** Aliases of a column in a configuration: one name or several. */
export const aliases = z
  .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
  .transform((names): readonly string[] => [names].flat());

/** A filter as a configuration writes it: `{fields: ZONE_CODE, keep: [HO], match: family}`. */
export const filterOption = z
  .strictObject({
    fields: aliases,
    keep: z.array(z.string()).min(1),
    match: z.enum(['value', 'family']).default('value'),
    drop: z.enum(['not_gazetted', 'other_class']).default('other_class'),
    optional: z.boolean().default(false),
  })
  .transform((filter): ColumnFilter => filter);

/** Takes the features whose class is one of those that the dataset is about. */
export const classIn = (fields: readonly string[], keep: readonly string[]): ColumnFilter => ({
  fields,
  keep,
  match: 'value',
  drop: 'other_class',
  optional: false,
});

/** Takes the features whose code belongs to one of the base codes. */
export const codeIn = (fields: readonly string[], keep: readonly string[]): ColumnFilter => ({
  fields,
  keep,
  match: 'family',
  drop: 'other_class',
  optional: false,
});

/** Takes the features that are in force. */
export const inForce = (fields: readonly string[], keep: readonly string[]): ColumnFilter => ({
  fields,
  keep,
  match: 'value',
  drop: 'not_gazetted',
  optional: true,
});

/** Verdicts on texts that are remembered: classes repeat, identifiers would not. */
const REMEMBERED = 10_000;

interface BoundFilter {
  readonly field: FeatureField;
  readonly drop: string;
  takes(text: string): boolean;
}

/** Filters of a field map, bound to the columns of one file. */
export class ColumnFilters {
  readonly notes: readonly string[];
  readonly #filters: readonly BoundFilter[];

  /** EtlError `missing_column` where the file lacks the column of a filter that is not optional. */
  constructor(filters: readonly ColumnFilter[], fields: readonly FeatureField[], file: string) {
    const notes: string[] = [];
    this.#filters = filters.flatMap((filter) => {
      const field = filter.optional
        ? findField(fields, filter.fields)
        : requireField(fields, filter.fields, file, `the class that is one of ${filter.keep.join(', ')}`);
      if (field !== null) return [bind(filter, field)];
      notes.push(`${file}: no column ${filter.fields[0]}: every feature is taken as in force.`);
      return [];
    });
    this.notes = notes;
  }

  /** Columns that are read. */
  get fields(): FeatureField[] {
    return this.#filters.map((filter) => filter.field);
  }

  /** Name of the drop of a row; null: the row is taken. */
  dropOf(batch: Features, row: number): string | null {
    for (const { field, drop, takes } of this.#filters) {
      const text = batch.text(row, field);
      if (text === null || !takes(text)) return drop;
    }
    return null;
  }
}

function bind({ keep, match, drop }: ColumnFilter, field: FeatureField): BoundFilter {
  const values = new Set(keep.map(match === 'family' ? (base) => base.toUpperCase() : comparable));
  const decide = (text: string): boolean =>
    match === 'family' ? familyOf(text, values) !== null : values.has(comparable(text));
  const known = new Map<string, boolean>();
  const takes = (text: string): boolean => {
    const verdict = known.get(text) ?? decide(text);
    if (known.size < REMEMBERED) known.set(text, verdict);
    return verdict;
  };
  return { field, drop, takes };
}
