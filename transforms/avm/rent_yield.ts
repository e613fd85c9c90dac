/** Weeks of each rent period. A month is a twelfth of 52 weeks, as agents reckon. */
const WEEKS: Readonly<Record<string, number>> = { week: 1, fortnight: 2, month: 52 / 12, year: 52 };

/** Converts a rent to dollars per week, not rounded. Null: the period is unknown. */
export function weeklyRent(amount: number, period: string): number | null {
  const weeks =
    WEEKS[
      period
        .trim()
        .toLowerCase()
        .replace(/^(per|p)\s+/, '')
    ];
  return weeks === undefined || !Number.isFinite(amount) ? null : amount / weeks;
}

/** Returns the gross yield: a year's rent over the price, in percent to 0.01. Null: rent or price is missing or not positive. */
export function grossYieldPct(rent_aud_pw: number | null, price: number | null): number | null {
  if (rent_aud_pw === null || price === null || !(price > 0) || !(rent_aud_pw > 0)) return null;
  return Math.round((rent_aud_pw * 52 * 10_000) / price) / 100;
}
