import { marketEventColumns } from '../records/market_event.ts';
import { col, nullable, table } from '../table.ts';

/** Results of matching an event: one address, the parent of an address missing from the register, several possible addresses, or none. */
export const MATCH_STATUSES = ['matched', 'parent', 'ambiguous', 'no_match'] as const;

/** Output of the stage event_match. */
export const eventMatchAsset = table({
  schema: 'asset',
  name: 'event_match',
  doc: 'The address of each market event, or why there is none.',
  columns: {
    month_partition: col('int4', 'Bucket of state and month (schema/event_bucket.ts).'),
    event_key: col('text', 'Market event.'),
    status: col('text', 'matched, parent, ambiguous or no_match.'),
    gnaf_pid: nullable('text', 'Live principal address; null unless matched.'),
    parent_pid: nullable(
      'text',
      'Of a unit or number that the register does not have, the live principal address of its building or range; null unless the status is parent.',
    ),
    score: col('float8', 'Score of the best candidate, 0 to 1; 0: there is none.'),
    rule: col(
      'text',
      'What separates the text from the best candidate, exact for nothing; without candidates, what was not found.',
    ),
    margin: col(
      'float8',
      'Score of the best candidate less that of the second, or of nothing; of a parent, its lead on any other.',
    ),
    runner_up: nullable('text', 'gnaf_pid of the second candidate; null: there is none.'),
    runner_up_score: nullable('float8', 'Its score; null: there is none.'),
    candidates: nullable(
      'jsonb',
      'Best candidates with gnaf_pid, label, score and rule, best first; null: the event is matched.',
    ),
  },
  primaryKey: ['month_partition', 'event_key'],
  indexes: [{ columns: ['month_partition'] }],
  partition: 'month',
});

const {
  source,
  source_id,
  event_type,
  channel,
  event_date,
  settlement_date,
  observed_at,
  price,
  price_low,
  price_high,
  no_evidence,
  dealing_id,
  bedrooms,
  bathrooms,
  parking,
  property_type,
  land_area_sqm,
  floor_area_sqm,
  year_built,
} = marketEventColumns;

/** Output of the stage matched_event. */
export const matchedEventAsset = table({
  schema: 'asset',
  name: 'matched_event',
  doc: 'Each market event that is matched to a served address, looked for in the home of the address.',
  columns: {
    month_partition: col('int4', 'Bucket of state and month (schema/event_bucket.ts).'),
    home: col('int4', 'Home of the address.'),
    event_key: marketEventColumns.event_key,
    gnaf_pid: col('text', 'Address.'),
    score: col('float8', 'Score of the match, 0 to 1.'),
    rule: col('text', 'Rule of the match.'),
    source,
    source_id,
    event_type,
    channel,
    event_date,
    settlement_date,
    observed_at,
    price,
    price_low,
    price_high,
    no_evidence,
    dealing_id,
    bedrooms,
    bathrooms,
    parking,
    property_type,
    land_area_sqm,
    floor_area_sqm,
    year_built,
    features: nullable(
      'text[]',
      'Features that the source lists or its text states; null: no text and no list.',
    ),
    no_features: nullable('text[]', 'Features that the text denies; null: no text and no list.'),
  },
  primaryKey: ['month_partition', 'event_key'],
  indexes: [{ columns: ['month_partition'] }, { columns: ['home', 'gnaf_pid'] }, { columns: ['gnaf_pid'] }],
  partition: 'month',
  home: 'home',
  tracked: 'gnaf_pid',
});
