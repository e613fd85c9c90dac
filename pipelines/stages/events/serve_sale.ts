import { matchedEventAsset } from '../../../schema/assets/event.ts';
import { addressHomeAsset } from '../../../schema/assets/property.ts';
import { cellSql } from '../../../schema/grid.ts';
import { propertyTable } from '../../../schema/serving/property.ts';
import { propertyEventTable } from '../../../schema/serving/property_event.ts';
import { saleTable } from '../../../schema/serving/sale.ts';
import { STREET_COLUMNS, STREET_LINE } from '../../../transforms/property/finder_row.ts';
import { input } from '../../engine/input.ts';
import { sqlStage } from '../../engine/sql_stage.ts';
import { ATTRIBUTE_COLUMNS, statedAtSql } from './stated_attributes.ts';

const SALE = ['event_id', 'date', 'settlement_date', 'price', 'sources'] as const;
const OWN = ['cell', 'state', 'sa2', 'sa3', 'sal', 'address', 'lon', 'lat'] as const;

export const serveSaleStage = sqlStage({
  name: 'serve_sale',
  doc: 'Rows of serving.sale: the sales that can be used for valuation, with the property as described at the time.',
  subject: 'property',
  without: 'no_evidence',
  inputs: {
    event: input(propertyEventTable, ['gnaf_pid', ...SALE], { kind: 'own' }, { is_evidence: true }),
    property: input(propertyTable, ['gnaf_pid', ...OWN, ...STREET_COLUMNS, 'dwelling_type', 'land_area_sqm']),
    region: input(addressHomeAsset, ['gnaf_pid', 'lga', 'poa']),
    record: input(matchedEventAsset, ATTRIBUTE_COLUMNS, { kind: 'own' }),
  },
  output: saleTable,
  sql: `
    WITH stated AS (${statedAtSql('event', 'record')}
    )
    SELECT gnaf_pid, ${[...SALE, ...OWN].join(', ')}, lga, poa, ${STREET_LINE} AS street, ${cellSql('lon', 'lat')} AS point_cell,
      bedrooms, bathrooms, parking, floor_area_sqm, year_built, COALESCE(stated.property_type, property.dwelling_type) AS dwelling_type,
      COALESCE(property.land_area_sqm, stated.land_area_sqm) AS land_area_sqm
    FROM event JOIN property USING (gnaf_pid) JOIN region USING (gnaf_pid) LEFT JOIN stated USING (gnaf_pid, event_id)`,
});
