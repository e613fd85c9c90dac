import { firstDayOfMonth, monthOf } from '../stats/calendar.ts';
import { solveSpd } from '../stats/solve.ts';

/** A sale of a property that may sell again. */
export interface IndexSale {
  property: string;
  day: number;
  /** Dollars. */
  price: number;
}

export interface IndexParams {
  /** Last complete month, and number of months up to it with sales. */
  last_month: number;
  months: number;
  /** Minimum ends of pairs in a period; a month with fewer is merged with the months before it. */
  min_ends: number;
  /** Maximum months of a period; if these have too few ends, the index starts after them. */
  max_period: number;
  /** Minimum ends of used pairs in a period; with fewer it is left out of the result. */
  min_sample: number;
  /** Minimum pairs, and minimum months from the first period to the last, of an index. */
  min_pairs: number;
  min_span: number;
  /** Minimum days between the sales of a pair: a property sold again earlier was traded or rebuilt, which says nothing about the market. */
  min_gap_days: number;
  /** Maximum ratio between the prices of a pair. */
  max_ratio: number;
}

/** Rules of the served index. */
export const PRICE_INDEX: Omit<IndexParams, 'last_month' | 'months'> = {
  min_ends: 20,
  max_period: 12,
  min_sample: 10,
  min_pairs: 60,
  min_span: 24,
  min_gap_days: 180,
  max_ratio: 4,
};

/** Index value of one period. */
export interface IndexPoint {
  /** Last month of the period, months since January 1970. */
  month: number;
  /** 100 in the first period, to 0.01. */
  index: number;
  /** Number of ends of used pairs in the period. */
  sample: number;
  window_months: number;
}

/** Two consecutive sales of one property; months count from the first of the window. */
interface RepeatSale {
  from: number;
  to: number;
  gap_days: number;
  log_ratio: number;
}

/** A range of months, counted from the first of the window; both ends included. */
interface Period {
  from: number;
  to: number;
}

/** Minimum variance of a pair, as a share of the mean: the fitted line may fall below 0. */
const MIN_VARIANCE_SHARE = 0.1;

function pairsOf(sales: readonly IndexSale[], params: IndexParams): RepeatSale[] {
  const first_month = params.last_month - params.months + 1;
  const [start, end] = [firstDayOfMonth(first_month), firstDayOfMonth(params.last_month + 1)];
  const inWindow = sales.filter(({ day }) => day >= start && day < end);
  // Floating-point sums depend on the order, so pairs are sorted by property key.
  const isSorted = inWindow.every(({ property }, i) => i === 0 || property >= inWindow[i - 1]!.property);
  if (!isSorted) inWindow.sort((a, b) => (a.property < b.property ? -1 : a.property > b.property ? 1 : 0));
  const pairs: RepeatSale[] = [];
  for (let from = 0, to = 0; from < inWindow.length; from = to) {
    const { property } = inWindow[from]!;
    while (to < inWindow.length && inWindow[to]!.property === property) to++;
    if (to - from < 2) continue;
    const period = inWindow.slice(from, to).sort((a, b) => a.day - b.day || a.price - b.price);
    for (let i = 1; i < period.length; i++) {
      const [a, b] = [period[i - 1]!, period[i]!];
      const gap_days = b.day - a.day;
      const log_ratio = Math.log(b.price / a.price);
      if (gap_days < params.min_gap_days || Math.abs(log_ratio) > Math.log(params.max_ratio)) continue;
      pairs.push({
        from: monthOf(a.day) - first_month,
        to: monthOf(b.day) - first_month,
        gap_days,
        log_ratio,
      });
    }
  }
  return pairs;
}

/** Builds periods backwards from the last month, each of as many months as it needs for enough ends; oldest first. */
function periodsOf(pairs: readonly RepeatSale[], { months, min_ends, max_period }: IndexParams): Period[] {
  const ends = new Int32Array(months);
  for (const { from, to } of pairs) {
    ends[from]!++;
    ends[to]!++;
  }
  const periods: Period[] = [];
  for (let to = months - 1; to >= 0; ) {
    let from = to;
    let sample = ends[from]!;
    while (sample < min_ends && from > 0 && to - from + 1 < max_period) sample += ends[--from]!;
    if (sample < min_ends) break;
    periods.push({ from, to });
    to = from - 1;
  }
  return periods.reverse();
}

/** Returns the period of each month; -1: none. */
function periodOfMonth(periods: readonly Period[], months: number): Int32Array {
  const number = new Int32Array(months).fill(-1);
  periods.forEach(({ from, to }, p) => {
    number.fill(p, from, to + 1);
  });
  return number;
}

function isConnected(pairs: readonly RepeatSale[], number: Int32Array, count: number): boolean {
  const parent = Int32Array.from({ length: count }, (_, p) => p);
  const root = (p: number): number => {
    let at = p;
    while (parent[at] !== at) at = parent[at]!;
    return at;
  };
  for (const { from, to } of pairs) parent[root(number[from]!)] = root(number[to]!);
  return parent.every((_, p) => root(p) === root(0));
}

/** Least-squares fit of the log ratios to log levels of the periods; the first level is 0. */
function logLevels(
  pairs: readonly RepeatSale[],
  number: Int32Array,
  count: number,
  weight: Float64Array,
): Float64Array {
  const n = count - 1;
  const a = new Float64Array(n * n);
  const b = new Float64Array(n);
  pairs.forEach(({ from, to, log_ratio }, i) => {
    const [p, q] = [number[from]! - 1, number[to]! - 1];
    const w = weight[i]!;
    a[q * n + q]! += w;
    b[q]! += w * log_ratio;
    if (p < 0) return;
    a[p * n + p]! += w;
    a[q * n + p]! -= w;
    b[p]! -= w * log_ratio;
  });
  solveSpd(a, b);
  return Float64Array.from({ length: count }, (_, p) => (p === 0 ? 0 : b[p - 1]!));
}

/** Returns the inverse variance of each pair: squared residuals grow linearly with the time between its sales. */
function weightsOf(pairs: readonly RepeatSale[], number: Int32Array, levels: Float64Array): Float64Array {
  const squares = pairs.map(({ from, to, log_ratio }) => {
    const expected = levels[number[to]!]! - levels[number[from]!]!;
    return (log_ratio - expected) ** 2;
  });
  const n = pairs.length;
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / n;
  const gaps = pairs.map(({ gap_days }) => gap_days);
  const [mean_gap, mean_square] = [mean(gaps), mean(squares)];
  if (mean_square === 0) return new Float64Array(n).fill(1);
  const spread = mean(gaps.map((gap) => (gap - mean_gap) ** 2));
  const shared = mean(gaps.map((gap, i) => (gap - mean_gap) * (squares[i]! - mean_square)));
  const slope = spread === 0 ? 0 : shared / spread;
  const least = MIN_VARIANCE_SHARE * mean_square;
  return Float64Array.from(gaps, (gap) => 1 / Math.max(least, mean_square + slope * (gap - mean_gap)));
}

/**
 * Computes a weighted repeat-sales index (Bailey, Muth and Nourse 1963; Case and Shiller 1987). Log price ratios of properties that
 * sold twice are regressed on the periods of both sales, then again with weights that fall with the time between them.
 * It follows prices of equal properties, while a median depends on which properties sell. Oldest period first; sales in any order.
 * Null: too few repeat sales.
 */
export function repeatSalesIndex(sales: readonly IndexSale[], params: IndexParams): IndexPoint[] | null {
  const all = pairsOf(sales, params);
  const periods = periodsOf(all, params);
  const number = periodOfMonth(periods, params.months);
  // Pairs that begin before the index, or are within one period, carry no information.
  const pairs = all.filter(({ from, to }) => number[from]! >= 0 && number[from] !== number[to]);
  const span = periods.length === 0 ? 0 : periods.at(-1)!.to - periods[0]!.from + 1;
  if (pairs.length < params.min_pairs || span < params.min_span) return null;
  if (!isConnected(pairs, number, periods.length)) return null;
  const even = logLevels(pairs, number, periods.length, new Float64Array(pairs.length).fill(1));
  const levels = logLevels(pairs, number, periods.length, weightsOf(pairs, number, even));
  const first_month = params.last_month - params.months + 1;
  const sample = new Int32Array(periods.length);
  for (const { from, to } of pairs) {
    sample[number[from]!]!++;
    sample[number[to]!]!++;
  }
  return periods
    .map(({ from, to }, p) => ({
      month: first_month + to,
      index: Math.round(10_000 * Math.exp(levels[p]!)) / 100,
      sample: sample[p]!,
      window_months: to - from + 1,
    }))
    .filter((point) => point.sample >= params.min_sample);
}
