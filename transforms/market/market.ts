import { grossYieldPct } from '../avm/rent_yield.ts';
import { firstDayOfMonth, monthOf } from '../stats/calendar.ts';
import { median } from '../stats/quantile.ts';
import { type MarketPrice, MonthPrices, type YearMedians } from './month_prices.ts';
import { type IndexPoint, type IndexSale, PRICE_INDEX, repeatSalesIndex } from './price_index.ts';

/** One period on the market, for sale or for rent, from listing to end; `closed_day` null: still listed. */
export interface MarketListing {
  listed_day: number;
  closed_day: number | null;
  /** Whether it ended with a sale, not a withdrawal. */
  is_sold: boolean;
  /** For listings without an end: whether the last mention is recent enough to still be on the market. */
  is_current: boolean;
}

/** All data of one area and dwelling type, in any order. */
export interface MarketInput {
  sales: readonly IndexSale[];
  rents: readonly MarketPrice[];
  /** For sale. */
  listings: readonly MarketListing[];
  /** For rent. */
  rentals: readonly MarketListing[];
  /** Rented dwellings in the Census. Null: unknown. */
  rented_dwellings: number | null;
  /** Kinds of events that some source reports for the state. Without one, counting none of a kind says nothing. */
  reported: ReadonlySet<MarketEventKind>;
}

/** Kinds of market events: sales, listings for sale, and listings for rent. */
export type MarketEventKind = 'sale' | 'listing' | 'rent';

/** Rules of the market metrics. */
export interface MarketParams {
  /** Day number; metrics are as of its end, and exclude months incomplete by then. */
  as_of: number;
  months: number;
  /** Minimum prices of a median; below it the metric is suppressed. */
  min_sample: number;
  /** Minimum prices of a single month for its own median; below it, the twelve months up to it are used. */
  min_month: number;
  /** Minimum days that a rent listing is open to count as vacant; below it the property may be let as usual. */
  vacant_days: number;
  /** Minimum rented dwellings for a vacancy rate, so that one listing moves it by at most a percentage point. */
  min_rented: number;
}

/** Rules of the served metrics: ten years of growth need eleven of prices. */
export const MARKET: Omit<MarketParams, 'as_of'> = {
  months: 132,
  min_sample: 10,
  min_month: 20,
  vacant_days: 21,
  min_rented: 100,
};

export interface MonthMedian {
  /** Months since January 1970. */
  month: number;
  /** Whole dollars. Null: suppressed. */
  median: number | null;
  /** Number of prices in the median, also if it is suppressed. */
  sample: number;
  /** Number of months it covers, ending with this one. */
  window_months: 1 | 12;
}

/** Growth periods, years. */
const GROWTH_YEARS = [1, 3, 5, 10] as const;

/** Metrics of one area and dwelling type. Null: suppressed, because the sample is below min_sample; of a count: no source reports it. */
export interface MarketFigures {
  /** Last complete month. */
  month: number;
  price_series: MonthMedian[];
  rent_series: MonthMedian[];
  /** Medians of the twelve months up to `month`, whole dollars. */
  median_price: number | null;
  price_sample: number | null;
  median_rent_aud_pw: number | null;
  rent_sample: number | null;
  /** Total change of the twelve-month median price over each growth period, percent to 0.01. */
  growth_pct: Record<(typeof GROWTH_YEARS)[number], number | null>;
  /** A year's median rent over the median price, percent. */
  gross_yield_pct: number | null;
  /** Median days from listing to sale, for sales of the twelve months. */
  days_on_market: number | null;
  days_on_market_sample: number | null;
  /** Listings for sale open at the end of as_of. */
  stock: number | null;
  /** Stock over average monthly sales, to 0.1. Null: fewer than min_sample sales, or no source reports listings. */
  months_of_supply: number | null;
  /** Rent listings open at the end of as_of for at least vacant_days. */
  vacant_rentals: number | null;
  rented_dwellings: number | null;
  /**
   * Vacant rentals over rented dwellings, percent to 0.01. Null: fewer than min_rented dwellings, or fewer than min_sample rent
   * listings of the twelve months that lasted a day or are still current. Such a feed reports leases, not vacant homes.
   */
  vacancy_pct: number | null;
}

const YEAR = 12;

/** Returns the last month that is complete at the end of a day. */
export function lastCompleteMonth(as_of: number): number {
  return monthOf(as_of + 1) - 1;
}

const roundedOrNull = (value: number | null): number | null => (value === null ? null : Math.round(value));

/** Returns the number of months whose twelve-month medians are needed: for the series, and for the start of growth. */
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

  /** Returns the number of prices in the twelve months that ended `ago` months ago. */
  yearSample(ago: number): number {
    return this.#years.sample[this.#months.months - 1 - ago]!;
  }

  /** Returns their median, not rounded. Null: too few prices. */
  yearMedian(ago: number): number | null {
    return this.yearSample(ago) < this.#params.min_sample
      ? null
      : this.#years.median[this.#months.months - 1 - ago]!;
  }

  series(): MonthMedian[] {
    const { months, min_month, min_sample } = this.#params;
    return Array.from({ length: months }, (_, i): MonthMedian => {
      const k = this.#months.months - months + i;
      const monthSample = this.#months.sampleOf(k);
      const isOwn = monthSample >= min_month;
      const sample = isOwn ? monthSample : this.#years.sample[k]!;
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

/** Returns twelve-month medians of an area's prices, whole dollars, for each month of the series; NaN: suppressed. */
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

/** Returns the number of rent listings of the twelve months that lasted a day or more, or are still current. */
function lastingRentals(rentals: readonly MarketListing[], as_of: number, last: number): number {
  const from = firstDayOfMonth(last - YEAR + 1);
  return rentals.filter(({ listed_day, closed_day, is_current }) => {
    if (listed_day > as_of) return false;
    return closed_day === null ? is_current : closed_day >= from && closed_day > listed_day;
  }).length;
}

/** Computes the vacancy: properties advertised for rent for weeks, over those that the Census found rented. */
function vacancyOf({ rentals, rented_dwellings, reported }: MarketInput, last: number, params: MarketParams) {
  const { as_of, vacant_days, min_rented, min_sample } = params;
  const vacant_rentals = openAt(rentals, as_of).filter(
    ({ listed_day }) => as_of - listed_day >= vacant_days,
  ).length;
  const isKnown =
    rented_dwellings !== null &&
    rented_dwellings >= min_rented &&
    lastingRentals(rentals, as_of, last) >= min_sample;
  const vacancy_pct = isKnown ? Math.round((10_000 * vacant_rentals) / rented_dwellings) / 100 : null;
  return { vacant_rentals: reported.has('rent') ? vacant_rentals : null, rented_dwellings, vacancy_pct };
}

/**
 * Computes the market metrics of one area and dwelling type as of a day. A month's median covers that month if it has min_month
 * prices, else the twelve months up to it. Growth compares twelve-month medians only, so that both ends are comparable. A median of
 * fewer than min_sample prices is suppressed.
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
  const hasListings = input.reported.has('listing');
  return {
    month: last,
    price_series: sales.series(),
    rent_series: rents.series(),
    median_price: roundedOrNull(price),
    price_sample: input.reported.has('sale') ? volume : null,
    median_rent_aud_pw: roundedOrNull(rent),
    rent_sample: input.reported.has('rent') ? rents.yearSample(0) : null,
    growth_pct: sales.growth(),
    gross_yield_pct: grossYieldPct(rent, price),
    days_on_market: days.length < params.min_sample ? null : Math.round(median(days)),
    days_on_market_sample: hasListings ? days.length : null,
    stock: hasListings ? stock : null,
    months_of_supply:
      hasListings && volume >= params.min_sample ? Math.round((10 * stock * YEAR) / volume) / 10 : null,
    ...vacancyOf(input, last, params),
  };
}

/** Computes the repeat-sales index of an area over the months of its series. Null: too few repeat sales. */
export function marketIndex({ sales }: MarketInput, { as_of, months }: MarketParams): IndexPoint[] | null {
  return repeatSalesIndex(sales, { ...PRICE_INDEX, months, last_month: lastCompleteMonth(as_of) });
}
