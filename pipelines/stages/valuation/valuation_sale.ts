import { matchedEventAsset } from '../../../schema/assets/event.ts';
import {
  recentSaleAsset,
  valuationDayAsset,
  valuationHomeAsset,
  valuationSaleAsset,
} from '../../../schema/assets/valuation.ts';
import { modelPartitionSql } from '../../../schema/model_partition.ts';
import { propertyTable } from '../../../schema/serving/property.ts';
import { propertyEventTable } from '../../../schema/serving/property_event.ts';
import { COMPARABLES } from '../../../transforms/cma/comparables.ts';
import { input } from '../../engine/input.ts';
import { sqlStage } from '../../engine/sql_stage.ts';
import { ATTRIBUTE_COLUMNS, STATED_ATTRIBUTES, statedAtSql } from '../events/stated_attributes.ts';

/** Columns that have today's value whatever the event. */
const HOME_COLUMNS = (
  Object.keys(valuationHomeAsset.columns) as (keyof typeof valuationHomeAsset.columns)[]
).filter((name) => ![...STATED_ATTRIBUTES, 'dwelling_type'].includes(name));

const INPUTS = {
  event: input(propertyEventTable, ['gnaf_pid', 'event_id', 'type', 'date', 'price'], { kind: 'own' }, [
    { type: 'Sold', is_evidence: true },
    { type: 'For Rent', price: { not: null } },
  ]),
  record: input(matchedEventAsset, ATTRIBUTE_COLUMNS, { kind: 'own' }),
  property: input(propertyTable, ['gnaf_pid', 'dwelling_type', 'land_area_sqm']),
  home: input(valuationHomeAsset, HOME_COLUMNS),
  day: input(valuationDayAsset, ['as_of'], { kind: 'all' }),
};

/** SQL for each sale and rent before the valuation date, with its property described as of its date by records before the valuation date. */
const SOLD_HOMES = `
    WITH sold AS (
      SELECT gnaf_pid, event_id, date, price, CASE type WHEN 'Sold' THEN 'sale' ELSE 'rent' END AS kind
      FROM event CROSS JOIN day WHERE date < as_of
    ), known AS (
      SELECT told.* FROM record told CROSS JOIN day WHERE event_date < as_of
    ), stated AS (${statedAtSql('sold', 'known')}
    )
    SELECT ${HOME_COLUMNS.join(', ')}, event_id, date, price, kind, ${modelPartitionSql()} AS model_partition,
      bedrooms, bathrooms, parking, floor_area_sqm, year_built, COALESCE(stated.property_type, property.dwelling_type) AS dwelling_type,
      COALESCE(property.land_area_sqm, stated.land_area_sqm) AS land_area_sqm
    FROM sold JOIN home USING (gnaf_pid) JOIN property USING (gnaf_pid) LEFT JOIN stated USING (gnaf_pid, event_id)`;

export const valuationSaleStage = sqlStage({
  name: 'valuation_sale',
  doc: 'The sales and rents before the valuation date, each with its property as described by records before that sale.',
  subject: 'home',
  without: 'no_price_before_day',
  inputs: INPUTS,
  output: valuationSaleAsset,
  sql: SOLD_HOMES,
});

/** Reads the events again, because rows of `valuation_sale` are partitioned by model, not by cell. */
export const recentSaleStage = sqlStage({
  name: 'recent_sale',
  doc: 'The sales that may be comparables at the valuation date, each with its property as described by records before that sale.',
  subject: 'home',
  without: 'no_recent_sale',
  inputs: INPUTS,
  output: recentSaleAsset,
  sql: `SELECT ${Object.keys(recentSaleAsset.columns).join(', ')} FROM (${SOLD_HOMES}) sold_home CROSS JOIN day
    WHERE kind = 'sale' AND date >= as_of - ${COMPARABLES.max_age_days}`,
});
