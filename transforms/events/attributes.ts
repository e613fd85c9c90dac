/** What listings say of a home; each has its own date and source. */
export const STATED_ATTRIBUTES = [
  'bedrooms',
  'bathrooms',
  'parking',
  'property_type',
  'land_area_sqm',
  'floor_area_sqm',
  'year_built',
] as const;

/** Columns of a matched event that describe the home. */
export const ATTRIBUTE_COLUMNS = [
  'event_key',
  'gnaf_pid',
  'source',
  'event_date',
  'settlement_date',
  'observed_at',
  'dealing_id',
  ...STATED_ATTRIBUTES,
  'features',
  'no_features',
] as const;

const REGISTER = 'settlement_date IS NOT NULL OR dealing_id IS NOT NULL';
const LAST_TOLD = 'observed_at COLLATE "C" DESC NULLS LAST, event_key COLLATE "C" DESC';

/**
 * SQL list for ORDER BY: the records that describe a home, the ones that count first: advertisements before transfer registers, later before
 * earlier.
 */
export const BY_WORD = `${REGISTER}, event_date DESC, ${LAST_TOLD}`;

/** The same as of the `date` of a sale: what was told by then, which may be that of the sale itself, before what was told later, since rooms outlast listings; of each the nearest to it. */
const BY_WORD_AT = `event_date > date, ${REGISTER}, abs(event_date - date), ${LAST_TOLD}`;

/** SQL aggregate: a value of the first record, by its `place` in that order, that meets a condition; null: none does. */
export const firstSql = (value: string, condition: string): string =>
  `(array_agg(${value} ORDER BY place) FILTER (WHERE ${condition}))[1]`;

/** SQL condition: a record says of a feature that the home has it, or has it not. */
export const speaksSql = (feature: string): string =>
  `('${feature}' = ANY (features) OR '${feature}' = ANY (no_features))`;

/** SQL query: what records said of a home as of each of its sales, as `gnaf_pid`, `event_id` and the stated attributes; null: never. Both are names of queries. */
export const statedAtSql = (sales: string, records: string): string => `
  SELECT gnaf_pid, event_id, ${STATED_ATTRIBUTES.map((name) => `${firstSql(name, `${name} IS NOT NULL`)} AS ${name}`).join(',\n    ')}
  FROM (
    SELECT r.*, event_id, row_number() OVER (PARTITION BY gnaf_pid, event_id ORDER BY ${BY_WORD_AT}) AS place
    FROM (SELECT gnaf_pid, event_id, date FROM ${sales}) sale JOIN ${records} r USING (gnaf_pid)) told
  GROUP BY gnaf_pid, event_id`;
