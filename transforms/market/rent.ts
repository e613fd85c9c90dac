import { weeklyRent } from '../avm/rent.ts';

/** What a rent may be stated for. */
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

/** Period of a field such as `month`, `per month` or `PCM`; null: none that is known. */
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

/** Whole dollars a week: a month is a twelfth of 52 weeks, a fortnight two weeks, a year 52. */
export function toWeekly(amount: number, period: RentPeriod): number {
  return Math.round(weeklyRent(amount, period)!);
}

/** Least and most dollars a week that a dwelling is let for. */
export interface RentBounds {
  readonly least: number;
  /** By bedrooms, the last for that many and more, in the dearest state. */
  readonly most: readonly number[];
  /** Share of `most` that holds in a state; a state that is not listed or not known has 1. */
  readonly state_share: Readonly<Record<string, number>>;
}

/**
 * Bounds where the configuration states none: a car space lets for less than the least, and beyond the most stands what is
 * rent of a month or year, a price, or a whole block. They are meant to be wide: a dwelling in them may still be wrong.
 */
export const RENT_BOUNDS: RentBounds = {
  least: 50,
  most: [2000, 2500, 4000, 6000, 9000, 15_000],
  state_share: { NSW: 1, VIC: 0.85, QLD: 0.95, WA: 0.9, ACT: 0.75, SA: 0.7, NT: 0.7, TAS: 0.65 },
};

/** Most dollars a week for a dwelling of that state and bedrooms; null: not known, which takes the widest. */
export function mostRent(bounds: RentBounds, state: string | null, bedrooms: number | null): number {
  const at = Math.min(bedrooms ?? bounds.most.length - 1, bounds.most.length - 1);
  return bounds.most[at]! * (bounds.state_share[state ?? ''] ?? 1);
}

/** True where the figure can be what the dwelling is let for by the week. */
export function canBeWeekly(
  rent_aud_pw: number,
  state: string | null,
  bedrooms: number | null,
  bounds: RentBounds = RENT_BOUNDS,
): boolean {
  return rent_aud_pw >= bounds.least && rent_aud_pw <= mostRent(bounds, state, bedrooms);
}
