import { col, nullable, table } from '../table.ts';
import { located } from './located.ts';

/** Rows for sale-history and rent-history: one per real event of a property. */
export const propertyEventTable = table({
  schema: 'serving',
  name: 'property_event',
  doc: 'A sale of a property, or a listing for sale or rent, merged from all records that report it.',
  columns: {
    gnaf_pid: col('text', 'Property.'),
    event_id: col('text', 'event_key of the leading record.'),
    ...located,
    type: col('text', 'Sold, For Sale or For Rent.'),
    date: col('date', 'Contract date of a sale, or its settlement date; first day of a listing.'),
    settlement_date: nullable('date', 'Settlement date of a sale; null: not stated, or a listing.'),
    last_date: col('date', 'Last day on which a source mentioned a listing; for a sale, its date.'),
    end_date: nullable('date', 'Day on which a listing ended; null: no known end, or a sale.'),
    end_reason: nullable('text', 'sold, leased, withdrawn or relisted; null with end_date.'),
    is_under_offer: col('bool', 'The latest record of an open sale listing says it is under offer.'),
    price: nullable(
      'int4',
      'Dollars: sale price, last asking price, or rent per week; null: not disclosed, or a range only.',
    ),
    first_price: nullable('int4', 'First asking price or weekly rent; null: none, or a sale.'),
    price_low: nullable('int4', 'Lower end of the advertised range; null: none.'),
    price_high: nullable('int4', 'Upper end; null: none.'),
    is_evidence: col('bool', 'A sale whose price reflects the value of this property.'),
    no_evidence: nullable(
      'text',
      'Why a sale is not evidence: nominal, partial_interest, multi_property, no_price or price_conflict; null otherwise.',
    ),
    sources: col('text[]', 'Sources that report it, ascending.'),
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
