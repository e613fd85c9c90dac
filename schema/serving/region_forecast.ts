import { col, table } from '../table.ts';
import { marketArea } from './region_market.ts';

/** Answers the growth forecast of a suburb or region. */
export const regionForecastTable = table({
  schema: 'serving',
  name: 'region_forecast',
  doc: 'Forecast growth of the twelve-month median price over the next twelve months. An area whose history does not carry one has no row.',
  columns: {
    ...marketArea,
    growth_percent: col('float8', 'Forecast growth over twelve months.'),
    low_percent: col('float8', 'Lower end of the 80 % range of past errors.'),
    high_percent: col('float8', 'Upper end.'),
    confidence: col('int2', '0 to 100, from the width of the range.'),
  },
  primaryKey: ['level', 'area', 'market'],
  checks: { region_forecast_range: 'low_percent <= growth_percent AND growth_percent <= high_percent' },
});
