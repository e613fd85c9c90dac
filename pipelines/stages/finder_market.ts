import { finderMarketAsset } from '../../schema/assets/api.ts';
import { regionForecastTable } from '../../schema/serving/region_forecast.ts';
import { regionMarketTable } from '../../schema/serving/region_market.ts';
import { input } from '../engine/input.ts';
import { stage } from '../engine/stage.ts';
import { suburbPartAsset } from './suburb.ts';

const BY_SUBURB = { kind: 'keys', column: 'area', of: (row: { sal_name: string }) => row.sal_name } as const;

export const finderMarketStage = stage({
  name: 'finder_market',
  version: 1,
  doc: 'Growth and its forecast of the suburbs of each cell.',
  subject: 'suburb',
  inputs: {
    suburb: input(suburbPartAsset, ['sal_name']),
    market: input(regionMarketTable, ['area', 'market', 'growth_1y_percent'], BY_SUBURB, { level: 'SAL' }),
    forecast: input(regionForecastTable, ['area', 'market', 'growth_percent'], BY_SUBURB, { level: 'SAL' }),
  },
  output: finderMarketAsset,
  compute({ suburb, market, forecast }, { cell, emit }) {
    const here = new Set(suburb.map(({ sal_name }) => sal_name));
    const forecasts = new Map(forecast.map((row) => [`${row.area}|${row.market}`, row.growth_percent]));
    for (const row of market) {
      if (!here.has(row.area)) continue;
      emit({
        cell,
        sal: row.area,
        market: row.market,
        growth_percent: row.growth_1y_percent,
        growth_forecast_percent: forecasts.get(`${row.area}|${row.market}`) ?? null,
      });
    }
    return { account: { in: suburb.length, out: suburb.length, drops: {} } };
  },
});
