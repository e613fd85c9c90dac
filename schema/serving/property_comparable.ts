import { col, nullable, table } from '../table.ts';
import { located } from './located.ts';

/** Answers comparables/cma-comp-set and cma-single-comp. */
export const propertyComparableTable = table({
  schema: 'serving',
  name: 'property_comparable',
  doc: 'A sale like a property, among the most alike before the day of valuation.',
  columns: {
    gnaf_pid: col('text', 'Property.'),
    rank: col('int2', '1 for the most alike.'),
    ...located,
    as_of: col('date', 'Day of valuation.'),
    sale_pid: col('text', 'Property that was sold.'),
    sale_event_id: col('text', 'Event of property_event; serving.sale has the rest.'),
    dist_score: col('float8', 'Similarity, 1 for a twin next door on the day itself; higher is more alike.'),
    distance_m: col('int4', 'Whole metres between the two.'),
    price: col('int4', 'Price paid, dollars.'),
    adjusted_price: nullable(
      'int4',
      'Price carried to the day of valuation, to the nearest thousand dollars; null: no index.',
    ),
  },
  primaryKey: ['gnaf_pid', 'rank'],
  tracked: 'gnaf_pid',
  indexes: [{ columns: ['cell'] }],
  checks: { property_comparable_score: 'dist_score > 0 AND dist_score <= 1' },
});
