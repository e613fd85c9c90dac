import { col, nullable, table } from '../table.ts';
import { marketArea } from './region_market.ts';

/** Measures that rank areas, and which end comes first. */
export const RANKED_MEASURES = {
  median_price: 'high_first',
  growth_1y_percent: 'high_first',
  growth_5y_percent: 'high_first',
  gross_yield_percent: 'high_first',
  days_on_market: 'low_first',
} as const;
export type RankedMeasure = keyof typeof RANKED_MEASURES;

/** Rows for the ranking of a suburb or region. */
export const regionRankingTable = table({
  schema: 'serving',
  name: 'region_ranking',
  doc: 'The rank of an area among those of its level and dwelling kind with the same figure, in its state and in Australia.',
  columns: {
    ...marketArea,
    measure: col(
      'text',
      'median_price, growth_1y_percent, growth_5y_percent, gross_yield_percent or days_on_market.',
    ),
    value: col('float8', 'The figure.'),
    state_rank: nullable(
      'int4',
      '1 for the first in the state; equal figures share the better rank; null: fewer than five have the figure.',
    ),
    state_of: nullable('int4', 'Areas of the state that have the figure; null with the rank.'),
    nation_rank: nullable('int4', 'The same in Australia; null: fewer than five.'),
    nation_of: nullable('int4', 'Areas of Australia that have the figure; null with the rank.'),
  },
  primaryKey: ['level', 'area', 'market', 'measure'],
});
