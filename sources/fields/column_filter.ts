import { z } from 'zod';
import type { FeatureField, Features } from '../formats/feature.ts';
import { findFields, requireFields } from '../formats/table/columns.ts';
import { familyOf } from './code_family.ts';
import { comparable } from './comparable_text.ts';
import { hasEnded } from './end_date.ts';
import { firstId } from './first_filled.ts';

/** Names of drops by columns; `other_class` for features that belong to another dataset. */
const FILTER_DROPS = [
  'other_class',
  'not_gazetted',
  'not_regulated',
  'funded_fix',
  'underground',
  'sensitive',
] as const;
export type FilterDrop = (typeof FILTER_DROPS)[number];

/** Drop of a row whose class a map does not know, if the dataset states no coverage. */
const UNKNOWN_CLASS = 'unknown_class';

/**
 * Filter of a layer's features by one column. Values are compared by `comparable`; `*` in a value matches any text, and the empty value
 * matches a blank. `other` is tested before `keep`. A value in neither list is unknown, and an unknown class never means that there is no
 * feature: see ColumnFilters.
 */
export interface ColumnFilter {
  /** Aliases of the column, as in findFields. */
  readonly fields: readonly string[];
  /** Values to keep; `*`: all that `other` does not name. */
  readonly keep: readonly string[];
  /** Values known to be something else; `*`: all that `keep` does not name. Null: nothing if coverage is stated, else `*`. */
  readonly other: readonly string[] | null;
  /**
   * `family`: the values are base codes, which also match their schedules: `HO` matches `HO12`. `end_date`: the values are ignored, and a
   * feature that has ended is dropped.
   */
  readonly match: 'value' | 'family' | 'end_date';
  /** Name of the drop for values that `other` matches. */
  readonly drop: FilterDrop;
  /** True: a file without the column is read whole, and the run report notes it. False: it is an error. */
  readonly optional: boolean;
}

/** Aliases of a column in a configuration: one name or several. */
export const aliases = z
  .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
  .transform((names): readonly string[] => [names].flat());

/** A filter in the format of the configuration: `{fields: ZONE_CODE, keep: [HO], other: [DDO, LSIO], match: family}`. */
export const filterOption = z
  .strictObject({
    fields: aliases,
    keep: z.array(z.string()).min(1),
    other: z.array(z.string()).nullable().default(null),
    match: z.enum(['value', 'family', 'end_date']).default('value'),
    drop: z.enum(FILTER_DROPS).default('other_class'),
    optional: z.boolean().default(false),
  })
  .transform((filter): ColumnFilter => filter);

const filter = (
  fields: readonly string[],
  keep: readonly string[],
  other: readonly string[],
  otherWords: Partial<ColumnFilter> = {},
): ColumnFilter => ({
  fields,
  keep,
  other,
  match: 'value',
  drop: 'other_class',
  optional: false,
  ...otherWords,
});

/** Keeps the features of the dataset's classes; `other`: the publisher's other classes. */
export const classIn = (
  fields: readonly string[],
  keep: readonly string[],
  other: readonly string[],
): ColumnFilter => filter(fields, keep, other);

/** Keeps the features whose code belongs to one of the base codes; `other`: the publisher's other base codes. */
export const codeIn = (
  fields: readonly string[],
  keep: readonly string[],
  other: readonly string[],
): ColumnFilter => filter(fields, keep, other, { match: 'family' });

/** Keeps the features that are in force; any other status means that they are not. */
export const inForce = (fields: readonly string[], keep: readonly string[]): ColumnFilter =>
  filter(fields, keep, ['*'], { drop: 'not_gazetted', optional: true });

/** Drops features of some classes under a name, and keeps all others; a file without the column is read whole. */
export const butNot = (fields: readonly string[], other: readonly string[], drop: FilterDrop): ColumnFilter =>
  filter(fields, ['*'], other, { drop, optional: true });

/** Status words of listed entries of a register; a blank status says nothing against an entry. */
const LISTED = [
  '',
  'Active*',
  'Adopted*',
  'Approved*',
  'Confirmed*',
  'Current*',
  'Entered*',
  'Final*',
  'Gazetted*',
  'Heritage place*',
  'In force*',
  'Included*',
  'Interim*',
  'Listed*',
  'Local heritage*',
  'Permanent*',
  'Provisional*',
  'Register',
  'Registered*',
  'State heritage*',
  'State register*',
];

/** Status words of entries that are not listed: not yet, not any more, or never. */
export const NOT_LISTED = [
  'Application*',
  'Archived*',
  'Cancelled*',
  'Ceased*',
  'Decision not*',
  'Declined*',
  'Delisted*',
  'De-listed*',
  'Demolished*',
  'Deregistered*',
  'Destroyed*',
  'Dismissed*',
  'Does not *',
  'Draft*',
  'Excluded*',
  'Expired*',
  'Historic*',
  'Inactive*',
  'Lapsed*',
  'Lodged*',
  'Nominat*',
  'Not *',
  'Pending*',
  'Proposed*',
  'Refused*',
  'Rejected*',
  'Removed*',
  'Rescinded*',
  'Revoked*',
  'Stored*',
  'Superseded*',
  'Under *',
  'Withdrawn*',
];

/** Columns in which registers of any publisher state the status of an entry. */
const STATUS_FIELDS = [
  'LISTING_STATUS',
  'REGISTER_STATUS',
  'REG_STATUS',
  'HERITAGE_STATUS',
  'SITE_STATUS',
  'PLACE_STATUS',
  'ENTRY_STATUS',
  'HRSTATUS',
  'HR_STATUS',
  'STATUS',
];

/**
 * Drops entries of a register whose status says that they are not listed. Other words are counted as unknown. A blank status keeps the entry,
 * and a file without a status is read whole. `own`: the publisher's columns, which come first.
 */
export const listedInRegister = (...own: readonly string[]): ColumnFilter =>
  filter([...own, ...STATUS_FIELDS], LISTED, NOT_LISTED, { drop: 'not_gazetted', optional: true });

/** Adds a rule on statuses to the filters of a map, unless one of them lists the words of a status itself. */
export const withStatusRule = (
  filters: readonly ColumnFilter[],
  rule: ColumnFilter,
): readonly ColumnFilter[] =>
  filters.some(({ fields }) => fields.some((field) => STATUS_FIELDS.includes(field.toUpperCase())))
    ? filters
    : [...filters, rule];

/** Status words for the end of an entry in a list of sites; a site that is only inactive or historic still exists. */
const REMOVED = [
  'Cancelled*',
  'Delisted*',
  'De-listed*',
  'Deregistered*',
  'Not a site*',
  'Removed*',
  'Rescinded*',
  'Revoked*',
  'Superseded*',
  'Withdrawn*',
];

/** Drops sites that were taken off a list. */
export const stillListed: ColumnFilter = butNot(STATUS_FIELDS, REMOVED, 'not_gazetted');

/** Returns the columns of a filter that are a publisher's own, so that they are evidence for it. */
export function ownFields({ fields }: Pick<ColumnFilter, 'fields'>): readonly string[] {
  const others = fields.indexOf(STATUS_FIELDS[0]!);
  return others < 0 ? fields : fields.slice(0, others);
}

/** Keeps the features with some values, and drops all others under a name; a file without the column is read whole. */
export const only = (fields: readonly string[], keep: readonly string[], drop: FilterDrop): ColumnFilter =>
  filter(fields, keep, ['*'], { drop, optional: true });

/** Keeps every feature of a file that has the column: without it the file is another product. */
export const present = (fields: readonly string[]): ColumnFilter => filter(fields, ['*'], []);

/** Keeps the features that have not ended: see hasEnded. */
export const notEnded = (field: string): ColumnFilter => ({
  ...only([field], ['*'], 'not_gazetted'),
  match: 'end_date',
});

/** Maximum verdicts that are cached: classes repeat, identifiers would not. */
const REMEMBERED = 10_000;
/** Maximum distinct unknown values that are counted by name; the others are counted together. */
const MAX_NAMED = 200;

type Verdict = 'take' | 'drop' | 'unknown';

interface BoundFilter {
  readonly fields: readonly FeatureField[];
  readonly drop: string;
  verdictOn(text: string): Verdict;
}

/**
 * Filters of a field map, bound to the columns of one file. A row with an unknown value is counted by that value. It is kept, so that its
 * adapter can mark the area as unknown (`unknownOf`); with `dropsUnknown` it is dropped under its own name.
 */
export class ColumnFilters {
  readonly notes: readonly string[];
  readonly #filters: readonly BoundFilter[];
  readonly #dropsUnknown: boolean;
  readonly #unknown = new Map<string, number>();

  /** EtlError `missing_column` if the file lacks the column of a filter that is not optional. */
  constructor(
    filters: readonly ColumnFilter[],
    fields: readonly FeatureField[],
    file: string,
    { covered, dropsUnknown }: { covered: boolean; dropsUnknown: boolean },
  ) {
    const notes: string[] = [];
    this.#dropsUnknown = dropsUnknown;
    this.#filters = filters.flatMap((each) => {
      const column = each.optional
        ? findFields(fields, each.fields)
        : requireFields(
            fields,
            each.fields,
            file,
            each.keep.includes('*')
              ? 'what tells this product from others'
              : `the class that is one of ${each.keep.join(', ')}`,
          );
      if (column.length > 0) return [bind(each, column, covered)];
      // A filter that keeps blanks, or all but some values, loses nothing if the column is missing.
      if (!each.keep.includes('') && !each.keep.includes('*'))
        notes.push(`${file}: no column ${each.fields[0]}: every feature counts as in force.`);
      return [];
    });
    this.notes = notes;
  }

  get fields(): FeatureField[] {
    return this.#filters.flatMap((each) => each.fields);
  }

  /** Returns unknown values, with their row counts so far. */
  get unknown(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#unknown].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Returns the drop of a row; null: the row is kept, or its class is unknown. Call once for each row. */
  dropOf(batch: Features, row: number): string | null {
    for (const { fields, drop, verdictOn } of this.#filters)
      if (verdictOn(valueAt(batch, row, fields)) === 'drop') return drop;
    const unknown = this.unknownOf(batch, row);
    if (unknown === null) return null;
    const name = this.#unknown.size < MAX_NAMED || this.#unknown.has(unknown) ? unknown : '(others)';
    this.#unknown.set(name, (this.#unknown.get(name) ?? 0) + 1);
    return this.#dropsUnknown ? UNKNOWN_CLASS : null;
  }

  /** Returns the first value of a row that is in no list, `(blank)` for a blank; null: all are known. */
  unknownOf(batch: Features, row: number): string | null {
    for (const { fields, verdictOn } of this.#filters) {
      const text = valueAt(batch, row, fields);
      if (verdictOn(text) === 'unknown') return text.slice(0, 200) || '(blank)';
    }
    return null;
  }
}

const valueAt = (batch: Features, row: number, fields: readonly FeatureField[]): string =>
  firstId(batch, row, fields) ?? '';

/** Returns a test whether a code belongs to one of the families. */
function ofFamilies(patterns: readonly string[]): (text: string) => boolean {
  const bases = new Set(patterns.filter((base) => base !== '*').map((base) => base.toUpperCase()));
  return (text) => familyOf(text, bases) !== null;
}

/** Returns a test whether a text, normalised by `comparable`, matches one of the patterns. The pattern `*` is left to the caller. */
export function matcherOf(patterns: readonly string[]): (text: string) => boolean {
  const ownPatterns = patterns.filter((pattern) => pattern !== '*');
  const exact = new Set(ownPatterns.filter((pattern) => !pattern.includes('*')).map(comparable));
  const globs = ownPatterns.filter((pattern) => pattern.includes('*')).map(globOf);
  return (text) => exact.has(text) || globs.some((glob) => glob.test(text));
}

const globOf = (pattern: string): RegExp =>
  new RegExp(
    `^${comparable(pattern)
      .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')}$`,
  );

/** Returns a filter's verdict on a text; `covered`: the dataset states its coverage. */
export function verdictsOf(
  { keep, other: others, match }: ColumnFilter,
  covered: boolean,
): (text: string) => Verdict {
  if (match === 'end_date') return (text) => (hasEnded(text) ? 'drop' : 'take');
  const other = others ?? (covered ? [] : ['*']);
  const isOneOf = match === 'family' ? ofFamilies : matcherOf;
  const [isOther, isKept] = [isOneOf(other), isOneOf(keep)];
  const otherwise: Verdict = keep.includes('*') ? 'take' : other.includes('*') ? 'drop' : 'unknown';
  return (text) => {
    const value = match === 'family' ? text : comparable(text);
    return isOther(value) ? 'drop' : isKept(value) ? 'take' : otherwise;
  };
}

function bind(filter: ColumnFilter, fields: readonly FeatureField[], covered: boolean): BoundFilter {
  const decide = verdictsOf(filter, covered);
  const verdicts = new Map<string, Verdict>();
  const verdictOn = (text: string): Verdict => {
    const verdict = verdicts.get(text) ?? decide(text);
    if (verdicts.size < REMEMBERED) verdicts.set(text, verdict);
    return verdict;
  };
  return { fields, drop: filter.drop, verdictOn };
}
