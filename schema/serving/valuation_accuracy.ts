import { col, nullable, table } from '../table.ts';

/** What the sales of a row have in common. */
export const ACCURACY_LEVELS = ['all', 'dwelling_type', 'price_third', 'month', 'suburb'] as const;
export type AccuracyLevel = (typeof ACCURACY_LEVELS)[number];

/** Answers /v1/accuracy. */
export const valuationAccuracyTable = table({
  schema: 'serving',
  name: 'valuation_accuracy',
  doc: 'How far the models in service were from what homes then sold or let for, on sales that they valued before they saw them. Ratio = estimate / price (IAAO Standard on Ratio Studies).',
  columns: {
    kind: col('text', 'sale or rent.'),
    region: col('text', 'State abbreviation of the model, or AU for that of the whole country.'),
    level: col('text', 'What the sales have in common: all, dwelling_type, price_third, month or suburb.'),
    group_name: col('text', 'Which: blank of all, house, low/middle/high, YYYY-MM or a canonical SAL name.'),
    as_of: col('date', 'Day of valuation of the model.'),
    sales: col('int4', 'Sales or rents that were judged.'),
    median_error_percent: col('float8', 'Median of |estimate - price| / price, per cent.'),
    within_10_percent: col('float8', 'Share of estimates within 10 % of the price, per cent.'),
    within_20_percent: col('float8', 'Share within 20 %, per cent.'),
    median_ratio: col('float8', 'Median ratio.'),
    cod: col(
      'float8',
      'Coefficient of dispersion: mean distance of ratios from their median, per cent of it.',
    ),
    prd: col('float8', 'Price-related differential; above 1 where dear homes are valued low.'),
    prb: nullable(
      'float8',
      'Price-related bias: change of the ratio where value doubles; null: all values are alike.',
    ),
    coverage_percent: nullable(
      'float8',
      'Share of prices inside the 80 % interval, per cent; null: no interval was known yet.',
    ),
  },
  primaryKey: ['kind', 'region', 'level', 'group_name'],
  checks: { valuation_accuracy_sales: 'sales > 0' },
});
