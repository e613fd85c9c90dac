import { col, nullable, table } from '../table.ts';
import { marketArea } from './region_market.ts';

/** Methods of the growth forecast: the model, or no change if the model was no better. */
export const FORECAST_METHODS = ['model', 'no_change'] as const;
export type ForecastMethod = (typeof FORECAST_METHODS)[number];

/** Rows for the growth forecast of a suburb or region. */
export const regionForecastTable = table({
  schema: 'serving',
  name: 'region_forecast',
  doc: 'Forecast growth of the twelve-month median price over the next twelve months. An area without enough history has no row.',
  columns: {
    ...marketArea,
    method: col(
      'text',
      'model, or no_change where the model did no better for similar areas; growth is then 0.',
    ),
    growth_percent: col('float8', 'Forecast growth over twelve months, to a tenth.'),
    low_percent: col(
      'float8',
      'Lower end of the 80 % range, from past errors of areas of the same level and dwelling kind.',
    ),
    high_percent: col('float8', 'Upper end.'),
    confidence: col('int2', '0 to 100, from the width of the range.'),
    backtest_forecasts: col('int4', 'Past forecasts of this area with a known outcome, at most 8.'),
    backtest_error_points: nullable(
      'float8',
      'Their mean absolute error, percentage points; null: none was made.',
    ),
    backtest_no_change_error_points: nullable('float8', 'The same for a forecast of no change.'),
    backtest_last_year_error_points: nullable(
      'float8',
      'The same for a forecast that repeats the growth of the last year.',
    ),
    backtest_coverage_percent: nullable('float8', 'Share of outcomes in the 80 % range.'),
  },
  primaryKey: ['level', 'area', 'market'],
  checks: { region_forecast_range: 'low_percent <= growth_percent AND growth_percent <= high_percent' },
});
