import { col, nullable, table } from '../table.ts';

/** One row per market event without an address, for manual review; no endpoint reads it. */
export const matchReviewTable = table({
  schema: 'serving',
  name: 'match_review',
  doc: 'A market event without one certain address: its candidates, and the parent of a unit or number missing from the address register.',
  columns: {
    event_key: col('text', 'Dataset, source, source_id, event type and date, joined by |.'),
    month_partition: col('int4', 'Bucket of state and month (schema/event_bucket.ts).'),
    source: col('text', 'Name of the source.'),
    source_id: col('text', 'Identifier in the source.'),
    event_type: col('text', 'listed, price_changed, under_offer, sold, withdrawn or leased.'),
    event_date: col('date', 'Date of the event.'),
    state: nullable('text', 'State as given by the source; null: not given.'),
    address: nullable('text', 'Address as published, with separate fields joined; null: none.'),
    given_pid: nullable('text', 'gnaf_pid that the source gives; null: none.'),
    lon: nullable('float8', 'Longitude as published, GDA2020 degrees; null: not stated.'),
    lat: nullable('float8', 'Latitude as published, GDA2020 degrees; null: not stated.'),
    status: col(
      'text',
      'parent: the register lacks the unit or number but has its building or range; ambiguous: several addresses fit; no_match: none fits.',
    ),
    parent_pid: nullable('text', 'gnaf_pid of the building or range; null unless the status is parent.'),
    rule: col(
      'text',
      'How the text differs from the best candidate; without a candidate, what was not found.',
    ),
    score: col('float8', 'Score of the best candidate, 0 to 1; 0: no candidate.'),
    margin: col(
      'float8',
      'Its lead over the second candidate, or over 0; for a parent, its lead over any other.',
    ),
    candidates: col('jsonb', 'Candidate addresses: gnaf_pid, label, score and rule, best first.'),
  },
  primaryKey: ['month_partition', 'event_key'],
  partition: 'month',
  indexes: [
    { columns: ['month_partition'] },
    { columns: ['source', 'source_id'] },
    { columns: ['parent_pid'] },
  ],
});
