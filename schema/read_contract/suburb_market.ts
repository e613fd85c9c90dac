import { z } from 'zod';
import { type Endpoint, type NoData, type NoParams, noParams } from './answer.ts';
import type { Serving } from './database.ts';

/** Why a suburb has no market figures: there is no such suburb, or no sale, rent or listing in it. */
async function whyNone(db: Serving, suburb: string): Promise<NoData> {
  const known = await db
    .selectFrom('serving.suburb')
    .select('sal')
    .where('sal', '=', suburb)
    .executeTakeFirst();
  return known ? 'none_found' : 'unknown_suburb';
}

const monthMedian = z.strictObject({
  month: z.iso.date(),
  median: z.int().nullable(),
  sample: z.int(),
  window_months: z.int(),
});

const market = z.enum(['house', 'unit']);
const figure = z.number().nullable();

/** Market indicators of a suburb by kind of dwelling; a figure whose sample is too thin is null. */
export const suburbMarketPayload = z.array(
  z.strictObject({
    market,
    month: z.iso.date(),
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
    price_series: z.array(monthMedian),
    rent_series: z.array(monthMedian),
  }),
);

/** suburb/market: the figures of houses, then of units. */
export const suburbMarket: Endpoint<z.infer<typeof suburbMarketPayload>, NoParams> = {
  subject: 'suburb',
  path: 'suburb/market',
  thing: 'market',
  payload: suburbMarketPayload,
  params: noParams,
  async query(db, suburb) {
    const rows = await db
      .selectFrom('serving.region_market')
      .selectAll()
      .where('level', '=', 'SAL')
      .where('area', '=', suburb)
      .orderBy('market')
      .execute();
    if (rows.length === 0) return { no_data: await whyNone(db, suburb) };
    const data = rows.map(
      ({ level: _level, area: _area, cell: _cell, state: _state, ...figures }) => figures,
    );
    return { data: data as z.infer<typeof suburbMarketPayload> };
  },
};

/** Place of a suburb among its peers. */
export const suburbRankingPayload = z.array(
  z.strictObject({
    market,
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
export const suburbRanking: Endpoint<z.infer<typeof suburbRankingPayload>, NoParams> = {
  subject: 'suburb',
  path: 'suburb/ranking',
  thing: 'ranking',
  payload: suburbRankingPayload,
  params: noParams,
  async query(db, suburb) {
    const rows = await db
      .selectFrom('serving.region_ranking')
      .select(['market', 'measure', 'month', 'value', 'state_rank', 'state_of', 'nation_rank', 'nation_of'])
      .where('level', '=', 'SAL')
      .where('area', '=', suburb)
      .orderBy('market')
      .orderBy('measure')
      .execute();
    if (rows.length > 0) return { data: rows as z.infer<typeof suburbRankingPayload> };
    const reason = await whyNone(db, suburb);
    return { no_data: reason === 'none_found' ? 'suppressed' : reason };
  },
};

/** Forecast growth of a suburb over twelve months. */
export const suburbForecastPayload = z.array(
  z.strictObject({
    market,
    month: z.iso.date(),
    growth_percent: z.number(),
    low_percent: z.number(),
    high_percent: z.number(),
    confidence: z.int().min(0).max(100),
  }),
);

/** suburb/growth-forecast: where the history carries one. */
export const suburbForecast: Endpoint<z.infer<typeof suburbForecastPayload>, NoParams> = {
  subject: 'suburb',
  path: 'suburb/growth-forecast',
  thing: 'growth_forecast',
  payload: suburbForecastPayload,
  params: noParams,
  async query(db, suburb) {
    const rows = await db
      .selectFrom('serving.region_forecast')
      .select(['market', 'month', 'growth_percent', 'low_percent', 'high_percent', 'confidence'])
      .where('level', '=', 'SAL')
      .where('area', '=', suburb)
      .orderBy('market')
      .execute();
    if (rows.length > 0) return { data: rows as z.infer<typeof suburbForecastPayload> };
    const reason = await whyNone(db, suburb);
    return { no_data: reason === 'none_found' ? 'suppressed' : reason };
  },
};

/** Most sales of one answer. */
const MOST_SALES = 200;

/** Latest sales of a suburb. */
export const suburbSalesPayload = z.array(
  z.strictObject({
    gnaf_pid: z.string(),
    address: z.string(),
    sale_date: z.iso.date(),
    sale_price: z.int(),
    bed_count: z.int().nullable(),
    bath_count: z.int().nullable(),
    dwelling_type: z.string().nullable(),
  }),
);

/** suburb/sales: the latest 200, newest first. */
export const suburbSales: Endpoint<z.infer<typeof suburbSalesPayload>, NoParams> = {
  subject: 'suburb',
  path: 'suburb/sales',
  thing: 'sales',
  payload: suburbSalesPayload,
  params: noParams,
  async query(db, suburb) {
    const rows = await db
      .selectFrom('serving.sale')
      .select([
        'gnaf_pid',
        'address',
        'date as sale_date',
        'price as sale_price',
        'bedrooms as bed_count',
        'bathrooms as bath_count',
        'dwelling_type',
      ])
      .where('sal', '=', suburb)
      .orderBy('date', 'desc')
      .orderBy('gnaf_pid')
      .limit(MOST_SALES)
      .execute();
    return rows.length > 0 ? { data: rows } : { no_data: await whyNone(db, suburb) };
  },
};

/** Endpoints of a suburb that sales, rents and listings answer. */
export const SUBURB_MARKET_ENDPOINTS = [suburbMarket, suburbRanking, suburbForecast, suburbSales] as const;
