import { weeklyRent } from '../../../transforms/avm/rent_yield.ts';

const RENT_PERIODS = ['week', 'fortnight', 'month', 'year'] as const;
export type RentPeriod = (typeof RENT_PERIODS)[number];

const NAMES: Readonly<Record<string, RentPeriod>> = {
  week: 'week',
  weekly: 'week',
  pw: 'week',
  fortnight: 'fortnight',
  fortnightly: 'fortnight',
  pf: 'fortnight',
  month: 'month',
  monthly: 'month',
  pm: 'month',
  pcm: 'month',
  year: 'year',
  annual: 'year',
  yearly: 'year',
  annum: 'year',
  pa: 'year',
};

/** Returns the period of a field such as `month`, `per month` or `PCM`. Null: unknown. */
export function rentPeriodOf(text: string): RentPeriod | null {
  return (
    NAMES[
      text
        .trim()
        .toLowerCase()
        .replace(/^per\s+/, '')
        .replaceAll('.', '')
    ] ?? null
  );
}

/** Returns whole dollars per week: a month is a twelfth of 52 weeks, a fortnight two weeks, a year 52. */
export function toWeekly(amount: number, period: RentPeriod): number {
  return Math.round(weeklyRent(amount, period)!);
}

/** Minimum and maximum plausible rent of a dwelling, dollars per week. */
export interface RentBounds {
  readonly least: number;
  /** By bedrooms, the last entry for that many and more, in the most expensive state. */
  readonly most: readonly number[];
  /** Share of `most` that applies in a state; 1 for a state that is unknown or not listed. */
  readonly state_share: Readonly<Record<string, number>>;
}

/**
 * Default bounds. Below the minimum are car spaces; above the maximum are monthly or yearly rents, prices, or whole blocks. The
 * bounds are wide: a rent inside them may still be wrong.
 */
export const RENT_BOUNDS: RentBounds = {
  least: 50,
  most: [2000, 2500, 4000, 6000, 9000, 15_000],
  state_share: { NSW: 1, VIC: 0.85, QLD: 0.95, WA: 0.9, ACT: 0.75, SA: 0.7, NT: 0.7, TAS: 0.65 },
};

/** Returns the maximum dollars per week for a state and number of bedrooms. Null: unknown, which gives the widest bound. */
export function mostRent(bounds: RentBounds, state: string | null, bedrooms: number | null): number {
  const at = Math.min(bedrooms ?? bounds.most.length - 1, bounds.most.length - 1);
  return bounds.most[at]! * (bounds.state_share[state ?? ''] ?? 1);
}

/** Returns whether an amount can be the weekly rent of the dwelling. */
export function canBeWeekly(
  rent_aud_pw: number,
  state: string | null,
  bedrooms: number | null,
  bounds: RentBounds = RENT_BOUNDS,
): boolean {
  return rent_aud_pw >= bounds.least && rent_aud_pw <= mostRent(bounds, state, bedrooms);
}
