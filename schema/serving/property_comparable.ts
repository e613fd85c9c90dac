import { col, nullable, table } from '../table.ts';
import { located } from './located.ts';

/** Answers comparables/cma-comp-set and cma-single-comp. */
export const propertyComparableTable = table({
  schema: 'serving',
  name: 'property_comparable',
  doc: 'The sales most like a property before the day of valuation, the most alike first: arrays of one length. A property without any has no row.',
  columns: {
    gnaf_pid: col('text', 'Property.'),
    ...located,
    as_of: col('date', 'Day of valuation.'),
    sale_pids: col('text[]', 'Properties that were sold.'),
    sale_event_ids: col('text[]', 'Their events of property_event; serving.sale has the rest.'),
    dist_scores: col(
      'float8[]',
      'Similarities, 1 for a twin next door on the day itself; higher is more alike. In falling order.',
    ),
    distances_m: col('int4[]', 'Whole metres between the property and each.'),
    prices: col('int4[]', 'Prices paid, dollars.'),
    adjusted_prices: nullable(
      'int4[]',
      'Prices carried to the day of valuation, to the nearest thousand dollars; null: no index.',
    ),
  },
  primaryKey: ['gnaf_pid'],
  tracked: 'gnaf_pid',
  indexes: [{ columns: ['cell'] }],
  checks: {
    property_comparable_length:
      'cardinality(sale_pids) > 0 AND cardinality(sale_event_ids) = cardinality(sale_pids) AND cardinality(dist_scores) = cardinality(sale_pids) AND cardinality(distances_m) = cardinality(sale_pids) AND cardinality(prices) = cardinality(sale_pids) AND cardinality(adjusted_prices) = cardinality(sale_pids)',
    property_comparable_score: '0 < ALL (dist_scores) AND 1 >= ALL (dist_scores)',
  },
});
