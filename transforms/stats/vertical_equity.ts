import { median } from './quantile.ts';

/** Vertical equity of estimates (IAAO Standard on Ratio Studies, exposure draft of 2025, section 8.2.1). */
export interface VerticalEquity {
  /**
   * Vertical Equity Indicator: the difference of two median ratios, of the most expensive and the cheapest homes, percent of the median
   * ratio of all. Below 0 if expensive homes are valued low. NaN: fewer than 20 sales.
   */
  vei: number;
  /** Gap between the 90 % intervals of these two medians, percent of the median ratio; 0: they overlap. NaN: fewer than 20 sales. */
  vei_gap: number;
}

/** No indicator: too few sales, or sales selected by value. */
export const NO_EQUITY: VerticalEquity = { vei: Number.NaN, vei_gap: Number.NaN };

/** Minimum sales for an indicator. */
const LEAST = 20;
/** Normal quantile of the 90 % interval of a median. */
const Z = 1.645;

/** Returns the number of groups by value for a number of sales. */
const groupsFor = (n: number): number => (n <= 50 ? 2 : n <= 500 ? 4 : 10);

/** Returns the 90 % interval of the median of sorted values, by rank. */
function medianInterval(sorted: Float64Array): [low: number, high: number] {
  const n = sorted.length;
  const halfWidth = (Z * Math.sqrt(n)) / 2;
  const low = Math.max(Math.ceil(n / 2 - halfWidth), 1);
  const high = Math.min(Math.floor(1 + n / 2 + halfWidth), n);
  return [sorted[low - 1]!, sorted[high - 1]!];
}

/**
 * Computes the vertical equity of estimates against prices, both above 0 and of one length. Groups are by value: half of the price plus
 * half of the estimate over the median ratio. Ties of value are ordered by ratio.
 */
export function verticalEquity(estimates: Float64Array, prices: Float64Array): VerticalEquity {
  const n = prices.length;
  if (n < LEAST) return NO_EQUITY;
  const ratios = estimates.map((estimate, i) => estimate / prices[i]!);
  const middle = median(ratios);
  const value = prices.map((price, i) => 0.5 * price + (0.5 * estimates[i]!) / middle);
  const order = Array.from(value, (_, i) => i).sort(
    (a, b) => value[a]! - value[b]! || ratios[a]! - ratios[b]!,
  );
  const ofGroup = (from: number, to: number): Float64Array =>
    Float64Array.from(order.slice(from, to), (i) => ratios[i]!).sort();
  const groups = groupsFor(n);
  const first = ofGroup(0, Math.round(n / groups));
  const last = ofGroup(Math.round((n * (groups - 1)) / groups), n);
  const [firstLow, firstHigh] = medianInterval(first);
  const [lastLow, lastHigh] = medianInterval(last);
  const gap = Math.max(lastLow - firstHigh, firstLow - lastHigh, 0);
  return { vei: (100 * (median(last) - median(first))) / middle, vei_gap: (100 * gap) / middle };
}
