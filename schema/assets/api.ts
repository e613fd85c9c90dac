import { col, nullable, table } from '../table.ts';

/** Made by the stage finder_market. */
export const finderMarketAsset = table({
  schema: 'asset',
  name: 'finder_market',
  doc: 'Growth of the market of the suburbs of one grid cell: a change of a suburb’s figures reaches the cells that it lies in, and no other.',
  columns: {
    cell: col('int4', 'Grid cell.'),
    sal: col('text', 'Suburb.'),
    market: col('text', 'house or unit.'),
    growth_percent: nullable('float8', 'Growth of the median price over a year; null: suppressed.'),
    growth_forecast_percent: nullable('float8', 'Forecast of it for the next year; null: none.'),
  },
  primaryKey: ['cell', 'sal', 'market'],
  tracked: 'sal',
});
