import { monthOf } from '../stats/calendar.ts';

/**
 * Monthly log price levels by dwelling type: a price of month a is worth exp(level b - level a) times as much in month b. Before
 * the first month and after the last one the nearest level applies.
 */
export interface PriceLevels {
  /** Months since January 1970. */
  readonly first_month: number;
  /** Levels by dwelling type, all of one length. */
  readonly by_type: ReadonlyMap<string, Float64Array>;
  /** Levels of a type that is not listed. */
  readonly pooled: Float64Array;
}

function levelIn(levels: PriceLevels, type: string, month: number): number {
  const typeLevels = levels.by_type.get(type) ?? levels.pooled;
  return typeLevels[Math.max(0, Math.min(typeLevels.length - 1, month - levels.first_month))]!;
}

/** Returns the log factor that adjusts a price from `from_day` to `to_day`. */
export function logAdjustment(levels: PriceLevels, type: string, from_day: number, to_day: number): number {
  return levelIn(levels, type, monthOf(to_day)) - levelIn(levels, type, monthOf(from_day));
}
