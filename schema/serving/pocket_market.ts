import { col, nullable, table } from '../table.ts';
import { marketArea, marketFigureColumns } from './region_market.ts';

/** Rows for the market metrics of a suburb's pockets. */
export const pocketMarketTable = table({
  schema: 'serving',
  name: 'pocket_market',
  doc: 'Market figures of a pocket, an SA1 named after its most common street, computed like those of its suburb. Most pockets have too few sales for a median.',
  columns: {
    sa1: col('text', 'SA1 code.'),
    market: marketArea.market,
    name: nullable(
      'text',
      'Street with the most addresses, ties to the first by name; null: no address has a street.',
    ),
    sal: nullable('text', 'SAL name of most addresses of that street; null: not located.'),
    state: marketArea.state,
    sa2: nullable('text', 'SA2 code; null: not located.'),
    sa3: nullable('text', 'SA3 code; null: not located.'),
    month: marketArea.month,
    ...marketFigureColumns,
    price_series: col(
      'jsonb',
      'List of {month, median, sample, window_months} of prices, oldest first; months with too few are absent.',
    ),
    rent_series: col('jsonb', 'The same for rents.'),
  },
  primaryKey: ['sa1', 'market'],
  indexes: [{ columns: ['sal'] }],
});
