import type { matchedEventAsset } from '../../schema/assets/event.ts';
import type { Row } from '../../schema/table.ts';
import { dayOfIso } from '../stats/calendar.ts';

/** Columns of a matched event that its history is built from. */
export const FACT_COLUMNS = [
  'event_key',
  'gnaf_pid',
  'source',
  'source_id',
  'event_type',
  'channel',
  'event_date',
  'settlement_date',
  'observed_at',
  'price',
  'price_low',
  'price_high',
  'no_evidence',
  'dealing_id',
] as const;
export type MarketFacts = Pick<Row<typeof matchedEventAsset>, (typeof FACT_COLUMNS)[number]>;

/** Returns whether the source is a transfer register, not an advertisement: it states a settlement or a dealing. */
export const isRegister = (event: Pick<MarketFacts, 'settlement_date' | 'dealing_id'>): boolean =>
  event.settlement_date !== null || event.dealing_id !== null;

/** Returns the days from 1970 to a database date. */
export const dayOfDate = (date: string): number => dayOfIso(date)!;

/** Compares by code units, null first. */
export const compareText = (a: string | null, b: string | null): number =>
  a === b ? 0 : a === null ? -1 : b === null ? 1 : a < b ? -1 : 1;

/** Order in which records replace each other: by observation, then date, then key; unobserved ones first. */
export const byObservation = (
  a: Pick<MarketFacts, 'observed_at' | 'event_date' | 'event_key'>,
  b: Pick<MarketFacts, 'observed_at' | 'event_date' | 'event_key'>,
): number =>
  compareText(a.observed_at, b.observed_at) ||
  compareText(a.event_date, b.event_date) ||
  compareText(a.event_key, b.event_key);

/** Maximum difference of equal prices, as a share: one of them is often rounded. */
export const SALE_PRICE_TOLERANCE = 0.01;

/** Returns whether two prices differ by at most a share of the larger one. */
export const pricesAgree = (a: number, b: number, tolerance: number): boolean =>
  Math.abs(a - b) <= tolerance * Math.max(Math.abs(a), Math.abs(b));
