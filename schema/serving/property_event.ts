import { col, nullable, table } from '../table.ts';
import { located } from './located.ts';

/** One row per real event of a property. Answers sale-history and rent-history. */
export const propertyEventTable = table({
  schema: 'serving',
  name: 'property_event',
  doc: 'A sale of a property, or a listing of it for sale or rent, joined from all records that report it.',
  columns: {
    gnaf_pid: col('text', 'Property.'),
    event_id: col('text', 'event_key of the leading record.'),
    ...located,
    type: col('text', 'Sold, For Sale or For Rent.'),
    date: col('date', 'Of a sale the contract date, else the settlement; of a listing its first day.'),
    settlement_date: nullable('date', 'Settlement of a sale; null: not stated, and on listings.'),
    last_date: col('date', 'Last day on which a source mentions a listing; of a sale its date.'),
    end_date: nullable('date', 'Day on which a listing ended; null: no end is known, and on sales.'),
    end_reason: nullable('text', 'sold, leased, withdrawn or relisted; null with end_date.'),
    is_under_offer: col('bool', 'The last word on an open sale listing is that it is under offer.'),
    price: nullable(
      'int4',
      'Dollars: sale price, last asking price, or rent per week; null: not disclosed, or a range only.',
    ),
    first_price: nullable('int4', 'Asking price or weekly rent at first; null: none, and on sales.'),
    price_low: nullable('int4', 'Lower end of the advertised range; null: none.'),
    price_high: nullable('int4', 'Upper end; null: none.'),
    is_evidence: col('bool', 'A sale whose price says what this property is worth.'),
    no_evidence: nullable(
      'text',
      'Why a sale is no evidence: nominal, partial_interest, multi_property, no_price or price_conflict; null otherwise.',
    ),
    sources: col('text[]', 'Feeds that report it, ascending.'),
    event_keys: col('text[]', 'Records that report it, ascending.'),
  },
  primaryKey: ['gnaf_pid', 'event_id'],
  tracked: 'gnaf_pid',
  indexes: [{ columns: ['cell'] }],
  checks: {
    property_event_type: "type IN ('Sold', 'For Sale', 'For Rent')",
    property_event_evidence: "is_evidence = (type = 'Sold' AND price IS NOT NULL AND no_evidence IS NULL)",
    property_event_end: '(end_date IS NULL) = (end_reason IS NULL)',
  },
});
