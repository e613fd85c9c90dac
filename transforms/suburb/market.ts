import { grossYieldPct } from '../avm/rent.ts';
import { firstDayOfMonth, monthOf } from '../stats/calendar.ts';
import { median } from '../stats/quantile.ts';
import { type MarketPrice, MonthPrices, type YearMedians } from './month_prices.ts';
import { type IndexPoint, type IndexSale, PRICE_INDEX, repeatSalesIndex } from './price_index.ts';

/** A time on the market, for sale or for rent: from its listing to its end; `closed_day` null while it is listed. */
export interface MarketListing {
  listed_day: number;
  closed_day: number | null;
  /** Whether it ended with a sale, rather than withdrawn. */
  is_sold: boolean;
  /** Of one without an end, whether it was mentioned lately enough to be on the market still. */
  is_current: boolean;
}

/** Everything known of one area and dwelling type; the order of the entries does not matter. */
export interface MarketInput {
  sales: readonly IndexSale[];
  rents: readonly MarketPrice[];
  /** For sale. */
  listings: readonly MarketListing[];
  /** For rent. */
  rentals: readonly MarketListing[];
  /** Rented dwellings of the Census; null: not known. */
  rented_dwellings: number | null;
}

/** Rules of the figures. */
export interface MarketParams {
  /** Figures are as of the end of this day; months that are not complete by then are left out. */
  as_of: number;
  /** Months of the series. */
  months: number;
  /** Fewest prices of a median; below it the figure is suppressed. */
  min_sample: number;
  /** Fewest prices of a single month for its own median; below it the twelve months up to it are taken. */
  min_month: number;
  /** A rent listing that is open for so many days stands for an empty home; below it the home may be let as usual. */
  vacant_days: number;
  /** Fewest rented dwellings of a vacancy rate, so that one listing moves it by at most a percentage point. */
  min_rented: number;
}

/** Rules of the served figures: ten years of growth need eleven of prices. */
export const MARKET: Omit<MarketParams, 'as_of'> = {
  months: 132,
  min_sample: 10,
  min_month: 20,
  vacant_days: 21,
  min_rented: 100,
};

/** Median of one month of a series. */
export interface MonthMedian {
  /** Months from January 1970. */
  month: number;
  /** Whole dollars; null: suppressed. */
  median: number | null;
  /** Prices that the median rests on, also where it is suppressed. */
  sample: number;
  /** Months that it covers, ending with this one. */
  window_months: 1 | 12;
}

/** Years that growth is stated over. */
const GROWTH_YEARS = [1, 3, 5, 10] as const;

/** Figures of one area and dwelling type. Null: suppressed, the sample beside it is below min_sample. */
export interface MarketFigures {
  /** Last complete month. */
  month: number;
  price_series: MonthMedian[];
  rent_series: MonthMedian[];
  /** Medians of the twelve months up to `month`, whole dollars. */
  median_price: number | null;
  price_sample: number;
  median_rent_aud_pw: number | null;
  rent_sample: number;
  /** Change of the twelve-month median price over so many years, percent in all, to 0.01. */
  growth_pct: Record<(typeof GROWTH_YEARS)[number], number | null>;
  /** A year's median rent over the median price. */
  gross_yield_pct: number | null;
  /** Median days from listing to sale of those sold in the twelve months. */
  days_on_market: number | null;
  days_on_market_sample: number;
  /** Listings for sale open at the end of as_of. */
  stock: number;
  /** Sales of the twelve months. */
  volume: number;
  /** Stock over the sales of a month, to 0.1; null where fewer than min_sample were sold. */
  months_of_supply: number | null;
  /** Rent listings open at the end of as_of for at least vacant_days. */
  vacant_rentals: number;
  rented_dwellings: number | null;
  /**
   * The one by the other, percent, to 0.01; null where there are fewer than min_rented dwellings, or fewer than min_sample rent
   * listings of the twelve months were seen to last: such a feed tells of leases, not of empty homes.
   */
  vacancy_pct: number | null;
}

const YEAR = 12;

/** Last month that is complete at the end of a day. */
export function lastCompleteMonth(as_of: number): number {
  return monthOf(as_of + 1) - 1;
}

const whole = (value: number | null): number | null => (value === null ? null : Math.round(value));

/** Months whose twelve-month medians the figures of an area read: those of the series, and those that growth begins at. */
const monthsOf = ({ months }: MarketParams): number => Math.max(months, 1 + YEAR * Math.max(...GROWTH_YEARS));

/** Prices of an area with their twelve-month medians. */
class AreaPriceSeries {
  readonly #months: MonthPrices;
  readonly #years: YearMedians;
  readonly #last: number;
  readonly #params: MarketParams;

  constructor(prices: readonly MarketPrice[], last: number, params: MarketParams) {
    this.#last = last;
    this.#params = params;
    this.#months = new MonthPrices(prices, last, monthsOf(params));
    this.#years = this.#months.yearMedians();
  }

  /** Prices of the twelve months that ended so many months ago. */
  yearSample(ago: number): number {
    return this.#years.sample[this.#months.months - 1 - ago]!;
  }

  /** Their median, not rounded, or null below the least sample. */
  yearMedian(ago: number): number | null {
    return this.yearSample(ago) < this.#params.min_sample
      ? null
      : this.#years.median[this.#months.months - 1 - ago]!;
  }

  series(): MonthMedian[] {
    const { months, min_month, min_sample } = this.#params;
    return Array.from({ length: months }, (_, i): MonthMedian => {
      const k = this.#months.months - months + i;
      const own = this.#months.sampleOf(k);
      const isOwn = own >= min_month;
      const sample = isOwn ? own : this.#years.sample[k]!;
      const median = isOwn ? this.#months.medianOf(k) : this.#years.median[k]!;
      return {
        month: this.#last - months + 1 + i,
        median: sample < min_sample ? null : Math.round(median),
        sample,
        window_months: isOwn ? 1 : YEAR,
      };
    });
  }

  growth(): MarketFigures['growth_pct'] {
    const end = this.yearMedian(0);
    const entries = GROWTH_YEARS.map((years) => {
      const start = this.yearMedian(YEAR * years);
      const growth = end === null || start === null ? null : Math.round(10_000 * (end / start - 1)) / 100;
      return [years, growth];
    });
    return Object.fromEntries(entries) as MarketFigures['growth_pct'];
  }
}

/** Twelve-month medians of the prices of an area, whole dollars, for each month of the series; NaN where they are suppressed. */
export function yearSeries(prices: readonly MarketPrice[], params: MarketParams): YearMedians {
  const { median, sample } = new MonthPrices(
    prices,
    lastCompleteMonth(params.as_of),
    params.months,
  ).yearMedians();
  return {
    median: median.map((value, k) => (sample[k]! < params.min_sample ? Number.NaN : Math.round(value))),
    sample,
  };
}

function daysOnMarket(listings: readonly MarketListing[], last: number): number[] {
  const from = firstDayOfMonth(last - YEAR + 1);
  const end = firstDayOfMonth(last + 1);
  return listings.flatMap(({ listed_day, closed_day, is_sold }) =>
    is_sold && closed_day !== null && closed_day >= from && closed_day < end && closed_day >= listed_day
      ? [closed_day - listed_day]
      : [],
  );
}

const openAt = (listings: readonly MarketListing[], as_of: number): MarketListing[] =>
  listings.filter(
    ({ listed_day, closed_day, is_current }) =>
      listed_day <= as_of && (closed_day === null ? is_current : closed_day > as_of),
  );

/** Rent listings of the twelve months that were on the market for a day or more, so far as is known. */
function lastingRentals(rentals: readonly MarketListing[], as_of: number, last: number): number {
  const from = firstDayOfMonth(last - YEAR + 1);
  return rentals.filter(({ listed_day, closed_day, is_current }) => {
    if (listed_day > as_of) return false;
    return closed_day === null ? is_current : closed_day >= from && closed_day > listed_day;
  }).length;
}

/** Homes advertised for rent for weeks, by those that the Census found rented. */
function vacancyOf({ rentals, rented_dwellings }: MarketInput, last: number, params: MarketParams) {
  const { as_of, vacant_days, min_rented, min_sample } = params;
  const vacant_rentals = openAt(rentals, as_of).filter(
    ({ listed_day }) => as_of - listed_day >= vacant_days,
  ).length;
  const isKnown =
    rented_dwellings !== null &&
    rented_dwellings >= min_rented &&
    lastingRentals(rentals, as_of, last) >= min_sample;
  const vacancy_pct = isKnown ? Math.round((10_000 * vacant_rentals) / rented_dwellings) / 100 : null;
  return { vacant_rentals, rented_dwellings, vacancy_pct };
}

/**
 * Market figures of one area and dwelling type as of a day. A month's median is of that month where it has min_month prices,
 * else of the twelve months that end with it; growth compares twelve-month medians throughout, so that both ends are alike.
 * A median of fewer than min_sample prices is suppressed, never shown.
 */
export function marketFigures(input: MarketInput, params: MarketParams): MarketFigures {
  const last = lastCompleteMonth(params.as_of);
  const sales = new AreaPriceSeries(input.sales, last, params);
  const rents = new AreaPriceSeries(input.rents, last, params);
  const price = sales.yearMedian(0);
  const rent = rents.yearMedian(0);
  const volume = sales.yearSample(0);
  const days = daysOnMarket(input.listings, last);
  const stock = openAt(input.listings, params.as_of).length;
  return {
    month: last,
    price_series: sales.series(),
    rent_series: rents.series(),
    median_price: whole(price),
    price_sample: volume,
    median_rent_aud_pw: whole(rent),
    rent_sample: rents.yearSample(0),
    growth_pct: sales.growth(),
    gross_yield_pct: grossYieldPct(rent, price),
    days_on_market: days.length < params.min_sample ? null : Math.round(median(days)),
    days_on_market_sample: days.length,
    stock,
    volume,
    months_of_supply: volume < params.min_sample ? null : Math.round((10 * stock * YEAR) / volume) / 10,
    ...vacancyOf(input, last, params),
  };
}

/** The repeat-sales index of an area over the months of its series; null: too few homes sold twice. */
export function marketIndex({ sales }: MarketInput, { as_of, months }: MarketParams): IndexPoint[] | null {
  return repeatSalesIndex(sales, { ...PRICE_INDEX, months, last_month: lastCompleteMonth(as_of) });
}
