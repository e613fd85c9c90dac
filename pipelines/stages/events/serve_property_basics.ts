import { matchedEventAsset } from '../../../schema/assets/event.ts';
import { valuationDayAsset } from '../../../schema/assets/valuation.ts';
import { LISTING_FEATURES } from '../../../schema/records/market_event.ts';
import { propertyTable } from '../../../schema/serving/property.ts';
import { propertyBasicsTable } from '../../../schema/serving/property_basics.ts';
import { propertyEventTable } from '../../../schema/serving/property_event.ts';
import { input } from '../../engine/input.ts';
import { sqlStage } from '../../engine/sql_stage.ts';
import { currentListingSql, MONTH, STANDING } from './standing.ts';
import { ATTRIBUTE_COLUMNS, BY_WORD, firstSql, STATED_ATTRIBUTES, speaksSql } from './stated_attributes.ts';

/** Table columns of attributes, if named differently. */
const COLUMN: Readonly<Record<string, string>> = {
  property_type: 'dwelling_type',
  land_area_sqm: 'advertised_land_sqm',
};

/** SQL for the latest value of each attribute, with its date and source. */
const STATED = STATED_ATTRIBUTES.map((name) => {
  const column = COLUMN[name] ?? name;
  const about = column.replace('_sqm', '');
  const isStated = `${name} IS NOT NULL`;
  return `${firstSql(name, isStated)} AS ${column}, ${firstSql('event_date', isStated)} AS ${about}_date,
        ${firstSql('source', isStated)} AS ${about}_source`;
});

const FEATURES = LISTING_FEATURES.map(
  (name) => `${firstSql(`'${name}' = ANY (features)`, speaksSql(name))} AS ${name}`,
);

/** Returns an SQL aggregate: a value of the latest event that meets a condition. Ties: the first event_id. */
const latestSql = (value: string, condition: string): string =>
  `(array_agg(${value} ORDER BY date DESC, event_id COLLATE "C") FILTER (WHERE ${condition}))[1]`;

const OFFERED = `type = 'For Sale'`;
const LET = `type = 'For Rent' AND price IS NOT NULL`;

export const servePropertyBasicsStage = sqlStage({
  name: 'serve_property_basics',
  doc: 'Rows of serving.property_basics: attributes of each property from listings, and its market status.',
  subject: 'property',
  without: 'no_event',
  inputs: {
    property: input(propertyTable, ['gnaf_pid', 'cell', 'state', 'sa2', 'sa3']),
    record: input(matchedEventAsset, ATTRIBUTE_COLUMNS, { kind: 'own' }),
    event: input(propertyEventTable, [
      'gnaf_pid',
      'event_id',
      'type',
      'date',
      'last_date',
      'end_date',
      'end_reason',
      'is_under_offer',
      'price',
      'price_low',
      'price_high',
      'is_evidence',
    ]),
    day: input(valuationDayAsset, ['as_of'], { kind: 'all' }),
  },
  output: propertyBasicsTable,
  sql: `
    WITH ${MONTH}, ordered AS (
      SELECT *, row_number() OVER (PARTITION BY gnaf_pid ORDER BY ${BY_WORD}) AS place FROM record
    ), described AS (
      SELECT gnaf_pid, ${[...STATED, ...FEATURES].join(',\n        ')},
        GREATEST(${LISTING_FEATURES.map((name) => firstSql('event_date', speaksSql(name))).join(',\n          ')}) AS features_date
      FROM ordered GROUP BY gnaf_pid
    ), standing (gnaf_pid, standing, status_date) AS (${STANDING}
    ), latest AS (
      SELECT gnaf_pid, max(date) FILTER (WHERE ${currentListingSql('as_of')}) AS listing_date,
        ${latestSql('price', OFFERED)} AS asking_price, ${latestSql('price_low', OFFERED)} AS asking_low,
        ${latestSql('price_high', OFFERED)} AS asking_high,
        ${latestSql('date', 'is_evidence')} AS sale_date, ${latestSql('price', 'is_evidence')} AS sale_price,
        ${latestSql('date', LET)} AS rent_date, ${latestSql('price', LET)} AS rent_pw
      FROM event CROSS JOIN month GROUP BY gnaf_pid
    )
    SELECT *, COALESCE(standing, 'unknown') AS status
    FROM property JOIN described USING (gnaf_pid) LEFT JOIN standing USING (gnaf_pid) LEFT JOIN latest USING (gnaf_pid)`,
});
