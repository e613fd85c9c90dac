import { col, nullable, table } from '../table.ts';
import { located } from './located.ts';

/** Rows for comparables/cma-comp-set and cma-single-comp. */
export const propertyComparableTable = table({
  schema: 'serving',
  name: 'property_comparable',
  doc: 'The sales most similar to a property before the valuation date, most similar first, as arrays of equal length. A property without any has no row.',
  columns: {
    gnaf_pid: col('text', 'Property.'),
    ...located,
    as_of: col('date', 'Valuation date.'),
    sale_pids: col('text[]', 'Properties sold.'),
    sale_days: col(
      'int4[]',
      'Their dates, as days since 1970-01-01: with the property and the price they name the row of serving.sale that has the rest.',
    ),
    dist_scores: col(
      'float8[]',
      'Similarities in descending order; 1 is an identical home next door sold on the valuation date.',
    ),
    distances_m: col('int4[]', 'Whole metres from the property to each.'),
    prices: col('int4[]', 'Prices paid, dollars.'),
    adjusted_prices: nullable(
      'int4[]',
      'Prices indexed to the valuation date, to the nearest thousand dollars; null: no index.',
    ),
  },
  primaryKey: ['gnaf_pid'],
  tracked: 'gnaf_pid',
  indexes: [{ columns: ['cell'] }],
  checks: {
    property_comparable_length:
      'cardinality(sale_pids) > 0 AND cardinality(sale_days) = cardinality(sale_pids) AND cardinality(dist_scores) = cardinality(sale_pids) AND cardinality(distances_m) = cardinality(sale_pids) AND cardinality(prices) = cardinality(sale_pids) AND cardinality(adjusted_prices) = cardinality(sale_pids)',
    property_comparable_score: '0 < ALL (dist_scores) AND 1 >= ALL (dist_scores)',
  },
});
