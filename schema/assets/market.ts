import { col, nullable, table } from '../table.ts';

/** Output of the stage market_fact. */
export const marketFactAsset = table({
  schema: 'asset',
  name: 'market_fact',
  doc: 'A sale, a rent or a listing for sale before the day of valuation, with the regions that it counts in.',
  columns: {
    cell: col('int4', 'Grid cell of the property.'),
    gnaf_pid: col('text', 'Property.'),
    event_id: col('text', 'Event of property_event.'),
    kind: col('text', 'sale, rent or listing.'),
    market: col('text', 'house or unit.'),
    date: col('date', 'Contract date, or first day of the listing.'),
    price: nullable(
      'int4',
      'Dollars; of a rent dollars per week; null on listings, and where a rent is not stated.',
    ),
    end_date: nullable(
      'date',
      'Day on which a listing for sale or rent ended, before the day of valuation; null: no end is known, and on sales.',
    ),
    is_sold: col('bool', 'The listing ended with a sale; false on sales and rents.'),
    is_current: col(
      'bool',
      'A listing for sale or rent without an end that was mentioned lately (pipelines/stages/events/standing.ts).',
    ),
    state: col('text', 'State abbreviation.'),
    sal: nullable('text', 'SAL name; null: not located.'),
    sa1: nullable('text', 'SA1 code; null: not located.'),
    sa2: nullable('text', 'SA2 code; null: not located.'),
    sa3: nullable('text', 'SA3 code; null: not located.'),
    lga: nullable('text', 'LGA code; null: not located.'),
    poa: nullable('text', 'Postal area; null: not located.'),
  },
  primaryKey: ['gnaf_pid', 'event_id'],
  tracked: 'gnaf_pid',
  indexes: [{ columns: ['cell', 'gnaf_pid'] }],
});

/** Output of the stage pocket_street. */
export const pocketStreetAsset = table({
  schema: 'asset',
  name: 'pocket_street',
  doc: 'The street of each SA1 with the most addresses, after which a pocket is named.',
  columns: {
    sa1: col('text', 'SA1 code.'),
    street: col('text', 'Street name, type and suffix.'),
    sal: nullable('text', 'SAL name of most of its properties; null: not located.'),
    sa2: nullable('text', 'SA2 code; null: not located.'),
    sa3: nullable('text', 'SA3 code; null: not located.'),
  },
  primaryKey: ['sa1'],
});
