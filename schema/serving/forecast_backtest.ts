import { col, table } from '../table.ts';

/** Says what the growth forecast is worth, beside the two simplest ones. */
export const forecastBacktestTable = table({
  schema: 'serving',
  name: 'forecast_backtest',
  doc: 'Forecasts at past months, each with what was known then, against what came: published as they are, whichever method errs least. Months for which the history carried no forecast are not counted.',
  columns: {
    level: col('text', 'SAL SA2 SA3 LGA POA STE.'),
    market: col('text', 'house or unit.'),
    state: col('text', 'State abbreviation, or AU for all of them.'),
    from_month: col('date', 'First day of the first month that was forecast at.'),
    to_month: col('date', 'First day of the last one.'),
    forecasts: col('int4', 'Forecasts that could be judged.'),
    error_points: col('float8', 'Mean absolute error of the forecast growth, percentage points.'),
    no_change_error_points: col('float8', 'The same if prices are said to stay as they are.'),
    last_year_error_points: col('float8', 'The same if the growth of the last year is said to go on.'),
    coverage_percent: col('float8', 'Share of outcomes in the 80 % range.'),
  },
  primaryKey: ['level', 'market', 'state'],
});
