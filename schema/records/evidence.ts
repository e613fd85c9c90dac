import { home } from '../assets/valuation.ts';
import { col, table } from '../table.ts';
import { provenance } from './piece.ts';

/** Source: a file that `pipeline evidence` wrote (docs/decisions/0058). */
export const evidenceDayRecord = table({
  schema: 'record',
  name: 'evidence_day',
  doc: 'The day of valuation of the evidence that was written down.',
  columns: {
    ...provenance,
    as_of: col('date', 'Day of valuation: the evidence has no sale from then on.'),
  },
  primaryKey: ['as_of'],
});

/** Source: the same. */
export const evidenceSaleRecord = table({
  schema: 'record',
  name: 'evidence_sale',
  doc: 'A sale or a rent with its home as the models saw it when the evidence was written down.',
  columns: {
    ...provenance,
    cell: col('int4', 'Home of the property then.'),
    kind: col('text', 'sale or rent.'),
    event_id: col('text', 'Event of property_event.'),
    date: col('date', 'Contract date, or first day of the rent listing.'),
    price: col('float8', 'Dollars; of a rent dollars per week.'),
    ...home,
  },
  primaryKey: ['kind', 'gnaf_pid', 'event_id'],
  indexes: [{ columns: ['cell'] }],
});
