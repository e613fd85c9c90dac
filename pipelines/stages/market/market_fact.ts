import { marketFactAsset } from '../../../schema/assets/market.ts';
import { addressHomeAsset } from '../../../schema/assets/property.ts';
import { valuationDayAsset, valuationHomeAsset } from '../../../schema/assets/valuation.ts';
import { propertyEventTable } from '../../../schema/serving/property_event.ts';
import { finderTypeSql } from '../../../transforms/property/finder_row.ts';
import { input } from '../../engine/input.ts';
import { sqlStage } from '../../engine/sql_stage.ts';
import { currentListingSql } from '../events/standing.ts';

export const marketFactStage = sqlStage({
  name: 'market_fact',
  doc: 'The sales, rents and listings before the valuation date, as input of market figures.',
  subject: 'home',
  without: 'no_market_event',
  inputs: {
    event: input(propertyEventTable, [
      'gnaf_pid',
      'event_id',
      'type',
      'date',
      'last_date',
      'end_date',
      'end_reason',
      'price',
      'is_evidence',
    ]),
    home: input(valuationHomeAsset, ['gnaf_pid', 'cell', 'state', 'dwelling_type']),
    region: input(addressHomeAsset, ['gnaf_pid', 'sal_name', 'sa1', 'sa2', 'sa3', 'lga', 'poa']),
    day: input(valuationDayAsset, ['as_of'], { kind: 'all' }),
  },
  output: marketFactAsset,
  sql: `
    WITH fact AS (
      SELECT home.*, event_id, type, date, last_date, end_reason, price, as_of, ${finderTypeSql('dwelling_type')} AS market,
        CASE WHEN type <> 'Sold' AND end_date < as_of THEN end_date END AS end_date
      FROM home JOIN event USING (gnaf_pid) CROSS JOIN day WHERE date < as_of AND (type <> 'Sold' OR is_evidence)
    )
    SELECT cell, gnaf_pid, event_id, market, date, end_date, state, sal_name AS sal, sa1, sa2, sa3, lga, poa,
      CASE type WHEN 'Sold' THEN 'sale' WHEN 'For Rent' THEN 'rent' ELSE 'listing' END AS kind,
      CASE WHEN type <> 'For Sale' THEN price END AS price,
      end_date IS NOT NULL AND end_reason IS NOT DISTINCT FROM 'sold' AS is_sold,
      ${currentListingSql('(as_of - 1)')} AS is_current
    FROM fact JOIN region USING (gnaf_pid) WHERE market IS NOT NULL`,
});
