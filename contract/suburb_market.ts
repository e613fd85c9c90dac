import { z } from 'zod';
import type { Serving } from '../schema/serving/database.ts';
import type { NoData } from './answer.ts';
import { whyNoMarket } from './market_coverage.ts';
import { type Region, regionEndpoint, regionParams } from './region.ts';

/** A month of a series. */
export const monthMedian = z.strictObject({
  month: z.iso.date(),
  median: z.int().nullable(),
  sample: z.int(),
  window_months: z.int(),
});

const indexPoint = z.strictObject({
  month: z.iso.date(),
  index: z.number(),
  sample: z.int(),
  window_months: z.int(),
});

/** Kinds of dwelling whose markets are told apart. */
export const marketKind = z.enum(['house', 'unit']);
const figure = z.number().nullable();

/** Figures of a market; one whose sample is too thin is null. */
export const marketFigures = {
  median_price: z.int().nullable(),
  price_sample: z.int(),
  median_rent_aud_pw: z.int().nullable(),
  rent_sample: z.int(),
  growth_1y_percent: figure,
  growth_3y_percent: figure,
  growth_5y_percent: figure,
  growth_10y_percent: figure,
  gross_yield_percent: figure,
  days_on_market: z.int().nullable(),
  days_on_market_sample: z.int(),
  stock: z.int(),
  months_of_supply: figure,
  vacant_rentals: z.int(),
  rented_dwellings: z.int().nullable(),
  vacancy_percent: figure,
} as const;

/** Market indicators of a suburb or region by kind of dwelling. */
export const suburbMarketPayload = z.array(
  z.strictObject({
    market: marketKind,
    month: z.iso.date(),
    ...marketFigures,
    price_series: z.array(monthMedian),
    rent_series: z.array(monthMedian),
    index_series: z.array(indexPoint).nullable(),
  }),
);

/** suburb/market: the figures of houses, then of units. */
export const suburbMarket = regionEndpoint({
  path: 'suburb/market',
  doc: 'Market figures with their monthly series: of houses, then of units.',
  thing: 'market',
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

/** Why a region has figures but none of these: too few cases, or no figures at all. */
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

/** Place of a suburb or region among its peers. */
export const suburbRankingPayload = z.array(
  z.strictObject({
    market: marketKind,
    measure: z.string(),
    month: z.iso.date(),
    value: z.number(),
    state_rank: z.int().nullable(),
    state_of: z.int().nullable(),
    nation_rank: z.int().nullable(),
    nation_of: z.int().nullable(),
  }),
);

/** suburb/ranking: by measure and kind of dwelling; a measure that is suppressed is absent. */
export const suburbRanking = regionEndpoint({
  path: 'suburb/ranking',
  doc: 'Rank within state and nation by measure and kind of dwelling; a measure that is suppressed is absent.',
  thing: 'ranking',
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

/** Mean absolute errors of past forecasts of all areas of the level, percentage points, beside those of two naive ones. */
const backtest = z.strictObject({
  from_month: z.iso.date(),
  to_month: z.iso.date(),
  forecasts: z.int(),
  error_points: z.number(),
  no_change_error_points: z.number(),
  last_year_error_points: z.number(),
  coverage_percent: z.number(),
});
const BACKTEST_COLUMNS = Object.keys(backtest.shape) as (keyof typeof backtest.shape)[];

/** Forecast growth of a suburb or region over twelve months, and what such forecasts were worth; null: not known yet. */
export const suburbForecastPayload = z.array(
  z.strictObject({
    market: marketKind,
    month: z.iso.date(),
    growth_percent: z.number(),
    low_percent: z.number(),
    high_percent: z.number(),
    confidence: z.int().min(0).max(100),
    backtest: backtest.nullable(),
  }),
);

/** suburb/growth-forecast: where the history carries one. */
export const suburbForecast = regionEndpoint({
  path: 'suburb/growth-forecast',
  doc: 'Forecast growth with its range and confidence, where the history carries one.',
  thing: 'growth_forecast',
  payload: suburbForecastPayload,
  params: regionParams,
  async read(db, region) {
    const rows = await db
      .selectFrom('serving.region_forecast')
      .select(['market', 'month', 'growth_percent', 'low_percent', 'high_percent', 'confidence'])
      .where('level', '=', region.level)
      .where('area', '=', region.area)
      .orderBy('market')
      .execute();
    if (rows.length === 0) return { no_data: await whySuppressed(db, region) };
    const tests = await db
      .selectFrom('serving.forecast_backtest')
      .select(['market', ...BACKTEST_COLUMNS])
      .where('level', '=', region.level)
      .where('state', '=', 'AU')
      .execute();
    const data = rows.map((row) => {
      const { market: _market, ...figures } = tests.find((own) => own.market === row.market) ?? {};
      return { ...row, backtest: 'forecasts' in figures ? figures : null };
    });
    return { data: data as z.infer<typeof suburbForecastPayload> };
  },
});

/** Endpoints of a suburb or region that market figures answer. */
export const SUBURB_MARKET_ENDPOINTS = [suburbMarket, suburbRanking, suburbForecast] as const;
