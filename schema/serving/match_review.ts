import { col, nullable, table } from '../table.ts';

/** One row per market event that has no address. For people to look at; no endpoint reads it. */
export const matchReviewTable = table({
  schema: 'serving',
  name: 'match_review',
  doc: 'A market event without one address: its candidates, and the parent of a unit or number that the register does not have.',
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
    status: col(
      'text',
      'parent: the unit or number is not in the register, its building or range is; ambiguous: several addresses may be meant; no_match: none is found.',
    ),
    parent_pid: nullable('text', 'gnaf_pid of the building or range; null unless the status is parent.'),
    rule: col(
      'text',
      'What separates the text from the best candidate; where there is none, what was not found.',
    ),
    score: col('float8', 'Score of the best candidate, 0 to 1; 0: there is none.'),
    margin: col(
      'float8',
      'Its lead on the second candidate, or on nothing; of a parent, its lead on any other.',
    ),
    candidates: col('jsonb', 'Addresses that may be meant: gnaf_pid, label, score and rule, best first.'),
  },
  primaryKey: ['month_partition', 'event_key'],
  partition: 'month',
  indexes: [
    { columns: ['month_partition'] },
    { columns: ['source', 'source_id'] },
    { columns: ['parent_pid'] },
  ],
});
