/** Attributes of a property stated in listings; each has its own date and source. */
export const STATED_ATTRIBUTES = [
  'bedrooms',
  'bathrooms',
  'parking',
  'property_type',
  'land_area_sqm',
  'floor_area_sqm',
  'year_built',
] as const;

/** Columns of a matched event that describe the property. */
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

/** SQL list for ORDER BY: records that describe a property, by priority: advertisements before transfer registers, later before earlier. */
export const BY_WORD = `${REGISTER}, event_date DESC, ${LAST_TOLD}`;

/**
 * SQL list for ORDER BY as of the `date` of a sale. Records up to that date (also the sale's own) come before later ones, which
 * still count because rooms outlast listings; then advertisements before registers, then the nearest date.
 */
const BY_WORD_AT = `event_date > date, ${REGISTER}, abs(event_date - date), ${LAST_TOLD}`;

/** SQL aggregate: value of the first record, by `place` in that order, that meets a condition. Null: none does. */
export const firstSql = (value: string, condition: string): string =>
  `(array_agg(${value} ORDER BY place) FILTER (WHERE ${condition}))[1]`;

/** SQL condition: a record states that the property has a feature, or does not have it. */
export const speaksSql = (feature: string): string =>
  `('${feature}' = ANY (features) OR '${feature}' = ANY (no_features))`;

/**
 * SQL query: attributes stated of a property as of each of its sales, as `gnaf_pid`, `event_id` and the stated attributes; null:
 * never stated. `sales` and `records` are names of queries.
 */
export const statedAtSql = (sales: string, records: string): string => `
  SELECT gnaf_pid, event_id, ${STATED_ATTRIBUTES.map((name) => `${firstSql(name, `${name} IS NOT NULL`)} AS ${name}`).join(',\n    ')}
  FROM (
    SELECT r.*, event_id, row_number() OVER (PARTITION BY gnaf_pid, event_id ORDER BY ${BY_WORD_AT}) AS place
    FROM (SELECT gnaf_pid, event_id, date FROM ${sales}) sale JOIN ${records} r USING (gnaf_pid)) told
  GROUP BY gnaf_pid, event_id`;
