import { col, table } from '../table.ts';

/** Accuracy of the growth forecast next to the two simplest ones. */
export const forecastBacktestTable = table({
  schema: 'serving',
  name: 'forecast_backtest',
  doc: 'Forecasts made for past months with the data known then, compared with the outcome, whichever method errs least. Months without enough history for a forecast are not counted.',
  columns: {
    level: col('text', 'SAL SA2 SA3 LGA POA STE.'),
    market: col('text', 'house or unit.'),
    state: col('text', 'State abbreviation, or AU for all states.'),
    from_month: col('date', 'First day of the first month at which a forecast was made.'),
    to_month: col('date', 'First day of the last one.'),
    forecasts: col('int4', 'Forecasts with a known outcome.'),
    error_points: col('float8', 'Mean absolute error of the forecast growth, percentage points.'),
    no_change_error_points: col('float8', 'The same for a forecast of no change.'),
    last_year_error_points: col(
      'float8',
      'The same for a forecast that repeats the growth of the last year.',
    ),
    coverage_percent: col('float8', 'Share of outcomes in the 80 % range.'),
  },
  primaryKey: ['level', 'market', 'state'],
});
