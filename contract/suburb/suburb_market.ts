import { z } from 'zod';
import type { Serving } from '../../schema/serving/database.ts';
import { FORECAST_METHODS } from '../../schema/serving/region_forecast.ts';
import type { NoData } from '../answers/answer.ts';
import { whyNoMarket } from '../answers/market_coverage.ts';
import { decimals, percent } from '../answers/numbers.ts';
import { ofRegion, type Region, type RegionParams, regionParams } from '../regions/region.ts';

export const monthMedian = z.strictObject({
  month: z.iso.date(),
  median: z.int().nullable(),
  sample: z.int(),
  window_months: z.int(),
});

const indexPoint = z.strictObject({
  month: z.iso.date(),
  index: decimals(1),
  sample: z.int(),
  window_months: z.int(),
});

/** Kinds of dwelling with separate markets. */
export const marketKind = z.enum(['house', 'unit']);
const figure = percent.nullable();
const count = z.int().nullable();

/** Figures of a market. Null: the sample is too small; of a count: no source reports such events of the state. */
export const marketFigureFields = {
  median_price: z.int().nullable(),
  price_sample: count,
  median_rent_aud_pw: z.int().nullable(),
  rent_sample: count,
  growth_1y_percent: figure,
  growth_3y_percent: figure,
  growth_5y_percent: figure,
  growth_10y_percent: figure,
  gross_yield_percent: figure,
  days_on_market: z.int().nullable(),
  days_on_market_sample: count,
  stock: count,
  months_of_supply: figure,
  vacant_rentals: count,
  rented_dwellings: z.int().nullable(),
  vacancy_percent: figure,
} as const;

/** Market indicators of a suburb or region by kind of dwelling. */
export const suburbMarketPayload = z.array(
  z.strictObject({
    market: marketKind,
    month: z.iso.date(),
    ...marketFigureFields,
    price_series: z.array(monthMedian),
    rent_series: z.array(monthMedian),
    index_series: z.array(indexPoint).nullable(),
  }),
);

/** suburb/market: the figures of houses, then of units. */
export const suburbMarket = ofRegion<z.infer<typeof suburbMarketPayload>, RegionParams>({
  subpath: 'suburb/market',
  price_cents: 20,
  tool: {
    title: 'Market of a suburb',
    use: 'Use suburbs_ranking instead to compare suburbs, and suburbs_growth_forecast for future growth.',
  },
  doc: 'Market figures of a suburb or region with their monthly series: houses, then units.',
  noun: 'suburb_market',
  payload: suburbMarketPayload,
  params: regionParams,
  async read(db, region) {
    const rows = await db
      .selectFrom('serving.region_market')
      .selectAll()
      .where('level', '=', region.level)
      .where('area', '=', region.area)
      .orderBy('market')
      .execute();
    if (rows.length === 0) return { no_data: await whyNoMarket(db, region.state) };
    const data = rows.map(({ level: _level, area: _area, state: _state, ...figures }) => figures);
    return { data: data as z.infer<typeof suburbMarketPayload> };
  },
});

/** Returns why a region lacks these figures: too few cases, or no figures at all. */
async function whySuppressed(db: Serving, { level, area, state }: Region): Promise<NoData> {
  const any = await db
    .selectFrom('serving.region_market')
    .select('market')
    .where('level', '=', level)
    .where('area', '=', area)
    .limit(1)
    .executeTakeFirst();
  return any === undefined ? whyNoMarket(db, state) : 'suppressed';
}

/** Rank of a suburb or region among its peers. */
const suburbRankingPayload = z.array(
  z.strictObject({
    market: marketKind,
    measure: z.string(),
    month: z.iso.date(),
    value: percent,
    state_rank: z.int().nullable(),
    state_of: z.int().nullable(),
    nation_rank: z.int().nullable(),
    nation_of: z.int().nullable(),
  }),
);

/** suburb/ranking: by measure and kind of dwelling. Suppressed measures are absent. */
export const suburbRanking = ofRegion<z.infer<typeof suburbRankingPayload>, RegionParams>({
  subpath: 'suburb/ranking',
  price_cents: 10,
  tool: { title: 'Rank of a suburb', use: 'Use suburbs_market instead for the figures behind the ranks.' },
  doc: 'Rank of a suburb or region within state and nation by measure and dwelling kind; suppressed measures are absent.',
  noun: 'suburb_ranking',
  payload: suburbRankingPayload,
  params: regionParams,
  async read(db, region) {
    const rows = await db
      .selectFrom('serving.region_ranking')
      .select(['market', 'measure', 'month', 'value', 'state_rank', 'state_of', 'nation_rank', 'nation_of'])
      .where('level', '=', region.level)
      .where('area', '=', region.area)
      .orderBy('market')
      .orderBy('measure')
      .execute();
    if (rows.length > 0) return { data: rows as z.infer<typeof suburbRankingPayload> };
    return { no_data: await whySuppressed(db, region) };
  },
});

/**
 * Mean absolute errors of past forecasts and of two naive ones, percentage points. `of` names the area they belong to: the area itself or,
 * if it has few forecasts, all areas of its level in the state, or in the country (AU).
 */
const backtest = z.strictObject({
  of: z.string(),
  from_month: z.iso.date(),
  to_month: z.iso.date(),
  forecasts: z.int(),
  error_points: percent,
  no_change_error_points: percent,
  last_year_error_points: percent,
  coverage_percent: percent,
});
type Backtest = z.infer<typeof backtest>;
const BACKTEST_COLUMNS = [
  'from_month',
  'to_month',
  'forecasts',
  'error_points',
  'no_change_error_points',
  'last_year_error_points',
  'coverage_percent',
] as const satisfies (keyof Backtest)[];
/** Minimum past forecasts of an area, and of a state's areas. Below it, the errors of more areas are served. */
const OWN_FORECASTS = 5;
const STATE_FORECASTS = 20;

/** Forecast growth over twelve months, with the accuracy of past forecasts. Null: not known yet. */
const suburbForecastPayload = z.array(
  z.strictObject({
    market: marketKind,
    month: z.iso.date(),
    /** Method: the model, or no change if the model was not better. */
    method: z.enum(FORECAST_METHODS),
    growth_percent: percent,
    low_percent: percent,
    high_percent: percent,
    confidence: z.int().min(0).max(100),
    backtest: backtest.nullable(),
  }),
);

/** suburb/growth-forecast: if the history is long enough. */
export const suburbForecast = ofRegion({
  subpath: 'suburb/growth-forecast',
  price_cents: 10,
  tool: { title: 'Growth forecast of a suburb', use: 'Use suburbs_market instead for past growth.' },
  doc: 'Forecast growth of a suburb or region with its range and confidence, if there is enough history.',
  noun: 'suburb_growth_forecast',
  payload: suburbForecastPayload,
  params: regionParams,
  async read(db, region) {
    const rows = await db
      .selectFrom('serving.region_forecast')
      .select([
        ...(['market', 'state', 'month', 'method', 'growth_percent', 'low_percent', 'high_percent'] as const),
        ...(['confidence', 'backtest_forecasts', 'backtest_error_points'] as const),
        ...(['backtest_no_change_error_points', 'backtest_last_year_error_points'] as const),
        'backtest_coverage_percent',
      ])
      .where('level', '=', region.level)
      .where('area', '=', region.area)
      .orderBy('market')
      .execute();
    if (rows.length === 0) return { no_data: await whySuppressed(db, region) };
    const tests = await db
      .selectFrom('serving.forecast_backtest')
      .select(['market', 'state', ...BACKTEST_COLUMNS])
      .where('level', '=', region.level)
      .execute();
    const data = rows.map(({ state, ...row }) => {
      const {
        backtest_forecasts: forecasts,
        backtest_error_points: error_points,
        backtest_no_change_error_points: no_change_error_points,
        backtest_last_year_error_points: last_year_error_points,
        backtest_coverage_percent: coverage_percent,
        ...forecast
      } = row;
      const of_level = (of: string) => tests.find((own) => own.market === row.market && own.state === of);
      const [of_state, of_country] = [of_level(state), of_level('AU')];
      if (!of_country) return { ...forecast, backtest: null };
      const {
        market: _market,
        state: of,
        ...figures
      } = of_state && of_state.forecasts >= STATE_FORECASTS ? of_state : of_country;
      const ownBacktest = {
        forecasts,
        error_points,
        no_change_error_points,
        last_year_error_points,
        coverage_percent,
      };
      const { from_month, to_month } = figures;
      return {
        ...forecast,
        backtest:
          forecasts >= OWN_FORECASTS
            ? { of: region.area, from_month, to_month, ...ownBacktest }
            : { of, ...figures },
      };
    });
    return { data: data as z.infer<typeof suburbForecastPayload> };
  },
});

/** Endpoints on the market figures of a suburb or region. */
export const SUBURB_MARKET_OPERATIONS = [suburbMarket, suburbRanking, suburbForecast] as const;
