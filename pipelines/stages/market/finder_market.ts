import { finderMarketAsset } from '../../../schema/assets/api.ts';
import { addressHomeAsset } from '../../../schema/assets/property.ts';
import { regionForecastTable } from '../../../schema/serving/region_forecast.ts';
import { regionMarketTable } from '../../../schema/serving/region_market.ts';
import { input } from '../../engine/input.ts';
import { sqlStage } from '../../engine/sql_stage.ts';

export const finderMarketStage = sqlStage({
  name: 'finder_market',
  doc: 'Growth and its forecast of the suburbs of each cell.',
  subject: 'region',
  inputs: {
    region: input(addressHomeAsset, ['home', 'sal_name']),
    market: input(
      regionMarketTable,
      ['area', 'market', 'growth_1y_percent'],
      { kind: 'all' },
      { level: 'SAL' },
    ),
    forecast: input(
      regionForecastTable,
      ['area', 'market', 'growth_percent'],
      { kind: 'all' },
      { level: 'SAL' },
    ),
  },
  output: finderMarketAsset,
  sql: `
    SELECT home AS cell, area AS sal, market,
      market.growth_1y_percent AS growth_percent, forecast.growth_percent AS growth_forecast_percent
    FROM (SELECT DISTINCT home, sal_name AS area FROM region) suburb
    JOIN market USING (area) LEFT JOIN forecast USING (area, market)`,
});
