import { monthOf } from '../stats/calendar.ts';

/** A valid sale or rent: dollars; rents in dollars per week. */
export interface MarketPrice {
  day: number;
  price: number;
}

/** Medians of the twelve months that end with each month. */
export interface YearMedians {
  /** Not rounded; NaN: no prices. */
  median: Float64Array;
  /** Number of prices in each median. */
  sample: Int32Array;
}

const YEAR = 12;
/** Minimum values for the engine's sort; fewer are sorted by insertion, which is faster. */
const FEW = 40;

/** Sorts values[from, to) ascending. */
function sortPart(values: Float64Array, from: number, to: number): void {
  if (to - from > FEW) {
    values.subarray(from, to).sort();
    return;
  }
  for (let i = from + 1; i < to; i++) {
    const value = values[i]!;
    let at = i;
    while (at > from && values[at - 1]! > value) {
      values[at] = values[at - 1]!;
      at--;
    }
    values[at] = value;
  }
}

/** Returns the median of sorted values[from, to): the mean of the two middle ones for an even number; NaN: none. */
function middle(values: Float64Array, from: number, to: number): number {
  const n = to - from;
  if (n === 0) return NaN;
  const low = values[from + ((n - 1) >> 1)]!;
  return n % 2 === 1 ? low : low + 0.5 * (values[from + (n >> 1)]! - low);
}

/** Prices of an area by month, sorted within each month; covers the requested months and the eleven before them. */
export class MonthPrices {
  readonly months: number;
  /** Prices of month k, counted from eleven before the first, are at starts[k] to starts[k + 1], exclusive. */
  readonly #starts: Int32Array;
  readonly #prices: Float64Array;

  /** Loads the `months` months that end with `last`, months since January 1970. Prices in any order. */
  constructor(prices: readonly MarketPrice[], last: number, months: number) {
    this.months = months;
    const all = months + YEAR - 1;
    const first = last - all + 1;
    const number = new Int32Array(prices.length);
    const starts = new Int32Array(all + 1);
    for (let i = 0; i < prices.length; i++) {
      const month = monthOf(prices[i]!.day) - first;
      number[i] = month;
      if (month >= 0 && month < all) starts[month + 1]!++;
    }
    for (let k = 0; k < all; k++) starts[k + 1]! += starts[k]!;
    const next = starts.slice();
    const values = new Float64Array(starts[all]!);
    for (let i = 0; i < prices.length; i++) {
      const month = number[i]!;
      if (month >= 0 && month < all) values[next[month]!++] = prices[i]!.price;
    }
    for (let k = 0; k < all; k++) sortPart(values, starts[k]!, starts[k + 1]!);
    this.#starts = starts;
    this.#prices = values;
  }

  /** Returns the number of prices in month k, counted from the first requested one. */
  sampleOf(k: number): number {
    return this.#starts[k + YEAR]! - this.#starts[k + YEAR - 1]!;
  }

  /** Returns the median of month k, not rounded; NaN: no prices. */
  medianOf(k: number): number {
    return middle(this.#prices, this.#starts[k + YEAR - 1]!, this.#starts[k + YEAR]!);
  }

  /** Returns the twelve-month medians in one pass: at each step the sorted window drops one month and adds another. */
  yearMedians(): YearMedians {
    const starts = this.#starts;
    const values = this.#prices;
    const median = new Float64Array(this.months);
    const sample = new Int32Array(this.months);
    let most = 0;
    for (let k = 0; k < this.months; k++) {
      sample[k] = starts[k + YEAR]! - starts[k]!;
      if (sample[k]! > most) most = sample[k]!;
    }
    let window = new Float64Array(most);
    let other = new Float64Array(most);
    for (let k = 0; k < this.months; k++) {
      const n = sample[k]!;
      if (k === 0) {
        window.set(values.subarray(0, n));
        sortPart(window, 0, n);
      } else {
        let leaves = starts[k - 1]!;
        let enters = starts[k + YEAR - 1]!;
        const start = starts[k]!;
        const entered = starts[k + YEAR]!;
        if (leaves === start && enters === entered) {
          median[k] = median[k - 1]!;
          continue;
        }
        const before = sample[k - 1]!;
        let write = 0;
        for (let position = 0; position < before; position++) {
          const value = window[position]!;
          if (leaves < start && values[leaves] === value) {
            leaves++;
            continue;
          }
          while (enters < entered && values[enters]! < value) other[write++] = values[enters++]!;
          other[write++] = value;
        }
        while (enters < entered) other[write++] = values[enters++]!;
        [window, other] = [other, window];
      }
      median[k] = middle(window, 0, n);
    }
    return { median, sample };
  }
}
