import { col, nullable, table } from '../table.ts';

/** One row per market event that has no address. For people to look at; no endpoint reads it. */
export const matchReviewTable = table({
  schema: 'serving',
  name: 'match_review',
  doc: 'A market event that no address, or more than one, may be meant by, with its candidates.',
  columns: {
    event_key: col('text', 'Dataset, source, source_id, event type and date, joined by |.'),
    month_partition: col('int4', 'Bucket of state and month (schema/event_bucket.ts).'),
    source: col('text', 'Name of the feed.'),
    source_id: col('text', 'Identifier in the feed.'),
    event_type: col('text', 'listed, price_changed, under_offer, sold, withdrawn or leased.'),
    event_date: col('date', 'Date of the event.'),
    state: nullable('text', 'State as the source states it; null: not stated.'),
    address: nullable(
      'text',
      'Address as published, its fields joined where it comes in fields; null: none.',
    ),
    given_pid: nullable('text', 'gnaf_pid that the source gives; null: none.'),
    lon: nullable('float8', 'Longitude as published, GDA2020 degrees; null: not stated.'),
    lat: nullable('float8', 'Latitude as published, GDA2020 degrees; null: not stated.'),
    status: col('text', 'ambiguous: several addresses may be meant; no_match: none is found.'),
    rule: col(
      'text',
      'What separates the text from the best candidate; where there is none, what was not found.',
    ),
    score: col('float8', 'Score of the best candidate, 0 to 1; 0: there is none.'),
    margin: col('float8', 'Its lead on the second candidate, or on nothing.'),
    candidates: col('jsonb', 'Addresses that may be meant: gnaf_pid, label, score and rule, best first.'),
  },
  primaryKey: ['month_partition', 'event_key'],
  partition: 'month',
  indexes: [{ columns: ['month_partition'] }, { columns: ['source', 'source_id'] }],
});
