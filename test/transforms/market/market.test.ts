import { describe, expect, it } from 'vitest';
import {
  lastCompleteMonth,
  MARKET,
  type MarketInput,
  marketFigures,
  marketIndex,
  yearSeries,
} from '../../../transforms/market/market.ts';
import type { MarketPrice } from '../../../transforms/market/month_prices.ts';
import type { IndexSale } from '../../../transforms/market/price_index.ts';
import { dayOf, monthOf } from '../../../transforms/stats/calendar.ts';
import { seededRandom } from '../../../transforms/stats/random.ts';

const AS_OF = dayOf({ year: 2025, month: 6, day: 30 });
const PARAMS = { ...MARKET, as_of: AS_OF };
const LAST = monthOf(AS_OF);
const random = seededRandom(3, 3);
const prices = (n: number, growth: number, level: number): (MarketPrice & IndexSale)[] =>
  Array.from({ length: n }, (_, i) => {
    const day = AS_OF + 40 - random.int(4100);
    return {
      property: `p${i}`,
      day,
      price: Math.round(level * (1 + growth) ** ((day - AS_OF) / 365) * (0.8 + 0.4 * random.next())),
    };
  });
const SALES = prices(3000, 0.06, 900_000);
const RENTS = prices(500, 0.03, 600);
const LISTINGS = Array.from({ length: 400 }, () => {
  const listed_day = AS_OF - random.int(800);
  const isOpen = random.next() < 0.1;
  return {
    listed_day,
    closed_day: isOpen ? null : listed_day + random.int(90),
    is_sold: random.next() < 0.8,
    is_current: isOpen && random.next() < 0.7,
  };
});
const RENTALS = LISTINGS.map((each) => ({ ...each, is_sold: false }));
const INPUT: MarketInput = {
  sales: SALES,
  rents: RENTS,
  listings: LISTINGS,
  rentals: RENTALS,
  rented_dwellings: 400,
  reported: new Set(['sale', 'listing', 'rent']),
};
const FIGURES = marketFigures(INPUT, PARAMS);

const plainMedian = (values: number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
};
const window = (all: readonly MarketPrice[], last: number, months: number): number[] =>
  all.filter(({ day }) => monthOf(day) <= last && monthOf(day) > last - months).map(({ price }) => price);

describe('market figures, computed again from the definitions', () => {
  it('have medians of the month, or of twelve months if the month has too few sales', () => {
    expect(FIGURES.price_series).toHaveLength(MARKET.months);
    for (const { month, median, sample, window_months } of FIGURES.price_series) {
      const own = window(SALES, month, 1);
      expect(window_months).toBe(own.length >= MARKET.min_month ? 1 : 12);
      const used = window(SALES, month, window_months);
      expect(sample).toBe(used.length);
      expect(median).toBe(used.length < MARKET.min_sample ? null : Math.round(plainMedian(used)));
    }
    expect(new Set(FIGURES.price_series.map(({ window_months }) => window_months)).size).toBe(2);
  });

  it('have a separate series of twelve-month medians for every month', () => {
    const { median, sample } = yearSeries(SALES.slice(0, 500), PARAMS);
    expect(median).toHaveLength(MARKET.months);
    median.forEach((own, k) => {
      const used = window(SALES.slice(0, 500), LAST - MARKET.months + 1 + k, 12);
      expect(sample[k]).toBe(used.length);
      expect(own).toBe(used.length < MARKET.min_sample ? Number.NaN : Math.round(plainMedian(used)));
    });
    expect(median.some((own) => own > 0)).toBe(true);
  });

  it('have growth between twelve-month medians', () => {
    for (const years of [1, 3, 5, 10] as const) {
      const ratio = plainMedian(window(SALES, LAST, 12)) / plainMedian(window(SALES, LAST - 12 * years, 12));
      expect(FIGURES.growth_pct[years]).toBeCloseTo(100 * (ratio - 1), 1);
    }
  });

  it('have yield, days on market, stock, volume and months of supply', () => {
    const rent = plainMedian(window(RENTS, LAST, 12));
    const price = plainMedian(window(SALES, LAST, 12));
    expect(FIGURES.gross_yield_pct).toBeCloseTo((5200 * rent) / price, 1);
    const sold = LISTINGS.filter(
      ({ is_sold, closed_day }) =>
        is_sold && closed_day !== null && monthOf(closed_day) > LAST - 12 && closed_day <= AS_OF,
    );
    expect(FIGURES.days_on_market_sample).toBe(sold.length);
    expect(FIGURES.days_on_market).toBe(
      Math.round(plainMedian(sold.map(({ closed_day, listed_day }) => closed_day! - listed_day))),
    );
    const open = LISTINGS.filter(
      ({ listed_day, closed_day, is_current }) =>
        listed_day <= AS_OF && (closed_day === null ? is_current : closed_day > AS_OF),
    );
    expect(FIGURES.stock).toBe(open.length);
    expect(FIGURES.price_sample).toBe(window(SALES, LAST, 12).length);
    expect(FIGURES.months_of_supply).toBeCloseTo(open.length / (FIGURES.price_sample! / 12), 1);
  });

  it('have the share of rented dwellings that are advertised for three weeks or more', () => {
    const vacant = RENTALS.filter(
      ({ listed_day, closed_day, is_current }) =>
        listed_day <= AS_OF - 21 && (closed_day === null ? is_current : closed_day > AS_OF),
    );
    expect(vacant.length).toBeGreaterThan(5);
    expect(FIGURES.vacant_rentals).toBe(vacant.length);
    expect(FIGURES.vacancy_pct).toBeCloseTo(vacant.length / 4, 2);
  });

  it.each([
    ['the Census does not say how many are rented', { rented_dwellings: null }],
    ['too few are rented', { rented_dwellings: 99 }],
    [
      'no rent listing lasts: a feed of leases',
      { rentals: RENTALS.map((each) => ({ ...each, closed_day: each.listed_day })) },
    ],
  ])('have no vacancy where %s', (_, given) => {
    expect(marketFigures({ ...INPUT, ...given }, PARAMS).vacancy_pct).toBeNull();
  });

  it('look at complete months only', () => {
    expect(lastCompleteMonth(AS_OF)).toBe(LAST);
    expect(lastCompleteMonth(AS_OF - 1)).toBe(LAST - 1);
    const later = SALES.filter(({ day }) => monthOf(day) <= LAST);
    expect(marketFigures({ ...INPUT, sales: later }, PARAMS)).toEqual(FIGURES);
  });

  it('are null for fewer cases than the minimum, with their sample', () => {
    const few = SALES.filter(({ day }) => monthOf(day) <= LAST).slice(0, 9);
    const figures = marketFigures({ ...INPUT, sales: few, rents: [], listings: [], rentals: [] }, PARAMS);
    expect(figures).toMatchObject({
      median_price: null,
      median_rent_aud_pw: null,
      gross_yield_pct: null,
      days_on_market: null,
      months_of_supply: null,
      stock: 0,
      vacancy_pct: null,
    });
    expect(marketIndex({ ...INPUT, sales: few }, PARAMS)).toBeNull();
    expect(Object.values(figures.growth_pct)).toEqual([null, null, null, null]);
    expect(figures.price_series.every(({ median }) => median === null)).toBe(true);
    expect(Math.max(...figures.price_series.map(({ sample }) => sample))).toBeGreaterThan(0);
  });

  it('do not depend on the order', () => {
    const input = {
      ...INPUT,
      sales: SALES.toReversed(),
      rents: RENTS.toReversed(),
      listings: LISTINGS.toReversed(),
      rentals: RENTALS.toReversed(),
    };
    expect(marketFigures(input, PARAMS)).toEqual(FIGURES);
  });
});
