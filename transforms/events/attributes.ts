import type { matchedEventAsset } from '../../schema/assets/event.ts';
import type { Row } from '../../schema/table.ts';
import { compareText, isRegister } from './market_facts.ts';

/** What listings say of a home; each has its own date and source. */
export const STATED_ATTRIBUTES = [
  'bedrooms',
  'bathrooms',
  'parking',
  'property_type',
  'land_area_sqm',
  'floor_area_sqm',
  'year_built',
] as const;
export type StatedAttribute = (typeof STATED_ATTRIBUTES)[number];

/** Columns of a matched event that describe the home. */
export const ATTRIBUTE_COLUMNS = [
  'event_key',
  'gnaf_pid',
  'source',
  'event_date',
  'settlement_date',
  'observed_at',
  'dealing_id',
  ...STATED_ATTRIBUTES,
  'features',
  'no_features',
] as const;
export type AttributeRecord = Pick<Row<typeof matchedEventAsset>, (typeof ATTRIBUTE_COLUMNS)[number]>;

/** A value with when and where it was stated. */
export interface Stated<T> {
  value: T;
  date: string;
  source: string;
}

type Values = { [K in StatedAttribute]: NonNullable<AttributeRecord[K]> };
export type StatedValues = { [K in StatedAttribute]: Stated<Values[K]> | null };

/** The records that describe a home, the ones that count first: advertisements before transfer registers, later before earlier. */
export function byWord(records: readonly AttributeRecord[]): AttributeRecord[] {
  return [...records].sort(
    (a, b) =>
      Number(isRegister(a)) - Number(isRegister(b)) ||
      compareText(b.event_date, a.event_date) ||
      compareText(b.observed_at, a.observed_at) ||
      compareText(b.event_key, a.event_key),
  );
}

/** Field by field the first value that is stated, of records in the order of byWord. */
export function statedValues(records: readonly AttributeRecord[]): StatedValues {
  const out = {} as Record<StatedAttribute, Stated<unknown> | null>;
  for (const name of STATED_ATTRIBUTES) {
    const found = records.find((record) => record[name] !== null);
    out[name] = found ? { value: found[name], date: found.event_date, source: found.source } : null;
  }
  return out as StatedValues;
}

/**
 * The same as of a day, for a sale: the latest value stated by then, which may be that of the sale itself; where none
 * was, the first one stated later, since rooms outlast listings.
 */
export function statedValuesAt(records: readonly AttributeRecord[], date: string): StatedValues {
  const until = statedValues(records.filter(({ event_date }) => event_date <= date));
  const later = records.filter(({ event_date }) => event_date > date);
  const after = statedValues(
    later.sort(
      (a, b) =>
        Number(isRegister(a)) - Number(isRegister(b)) ||
        compareText(a.event_date, b.event_date) ||
        compareText(a.event_key, b.event_key),
    ),
  );
  return Object.fromEntries(
    STATED_ATTRIBUTES.map((name) => [name, until[name] ?? after[name]]),
  ) as unknown as StatedValues;
}

/**
 * SQL list for ORDER BY: the records that describe a home, the ones that count first: advertisements before transfer registers, later before
 * earlier.
 */
export const BY_WORD = `settlement_date IS NOT NULL OR dealing_id IS NOT NULL, event_date DESC,
  observed_at COLLATE "C" DESC NULLS LAST, event_key COLLATE "C" DESC`;

/** SQL aggregate: a value of the first record, by its `place` in that order, that meets a condition; null: none does. */
export const firstSql = (value: string, condition: string): string =>
  `(array_agg(${value} ORDER BY place) FILTER (WHERE ${condition}))[1]`;

/** SQL condition: a record says of a feature that the home has it, or has it not. */
export const speaksSql = (feature: string): string =>
  `('${feature}' = ANY (features) OR '${feature}' = ANY (no_features))`;
