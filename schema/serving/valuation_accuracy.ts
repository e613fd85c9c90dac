import { col, nullable, table } from '../table.ts';

/** Grouping of the sales in a row. */
export const ACCURACY_LEVELS = ['all', 'dwelling_type', 'price_third', 'month', 'suburb'] as const;
export type AccuracyLevel = (typeof ACCURACY_LEVELS)[number];

/** Rows for /v1/accuracy. */
export const valuationAccuracyTable = table({
  schema: 'serving',
  name: 'valuation_accuracy',
  doc: 'Errors of the models in service on sales and rents that they valued before training on them. Ratio = estimate / price (IAAO Standard on Ratio Studies).',
  columns: {
    kind: col('text', 'sale or rent.'),
    region: col('text', 'State abbreviation of the model, or AU for the national model.'),
    level: col('text', 'Grouping: all, dwelling_type, price_third, month or suburb.'),
    group_name: col(
      'text',
      'Group: blank for all, otherwise house, low/middle/high, YYYY-MM or a canonical SAL name.',
    ),
    as_of: col('date', 'Valuation date of the model.'),
    sales: col('int4', 'Number of sales or rents.'),
    median_error_percent: col('float8', 'Median of |estimate - price| / price, per cent.'),
    within_10_percent: col('float8', 'Share of estimates within 10 % of the price, per cent.'),
    within_20_percent: col('float8', 'Share within 20 %, per cent.'),
    median_ratio: col('float8', 'Median ratio.'),
    cod: col(
      'float8',
      'Coefficient of dispersion: mean distance of ratios from their median, per cent of it.',
    ),
    prd: col('float8', 'Price-related differential; above 1 where expensive homes are undervalued.'),
    prb: nullable(
      'float8',
      'Price-related bias: change of the ratio when the value doubles; null: all values are equal.',
    ),
    vei: nullable(
      'float8',
      'Vertical equity indicator (IAAO, 2025): median ratio of the most expensive homes less that of the cheapest, per cent; null: fewer than 20 sales, or a third of the prices.',
    ),
    meets_level: col('bool', 'The median ratio is 0.90 to 1.10, as the IAAO asks.'),
    meets_uniformity: col('bool', 'The COD is at most 15, as the IAAO asks.'),
    meets_vertical_equity: nullable(
      'bool',
      'The VEI is within 10 % either way, or the 90 % intervals of the cheapest and the most expensive homes overlap; null: as vei.',
    ),
    coverage_percent: nullable(
      'float8',
      'Share of prices inside the 80 % interval, per cent; null: no interval yet.',
    ),
  },
  primaryKey: ['kind', 'region', 'level', 'group_name'],
  checks: { valuation_accuracy_sales: 'sales > 0' },
});
