import { addressHomeAsset } from '../../../schema/assets/property.ts';
import { valuationDayAsset } from '../../../schema/assets/valuation.ts';
import { listingTable } from '../../../schema/serving/listing.ts';
import { propertyTable } from '../../../schema/serving/property.ts';
import { propertyBasicsTable } from '../../../schema/serving/property_basics.ts';
import { propertyEventTable } from '../../../schema/serving/property_event.ts';
import { input } from '../../engine/input.ts';
import { sqlStage } from '../../engine/sql_stage.ts';
import { currentListingSql, MONTH } from './standing.ts';

const OFFER = [
  'event_id',
  'type',
  'date',
  'last_date',
  'is_under_offer',
  'price',
  'price_low',
  'price_high',
] as const;
const OWN = ['cell', 'state', 'sa2', 'sa3', 'sal', 'address', 'lon', 'lat'] as const;
const ROOMS = ['bedrooms', 'bathrooms', 'parking'] as const;

export const serveListingStage = sqlStage({
  name: 'serve_listing',
  doc: 'Rows of serving.listing: the latest current listing for sale of each property, and for rent.',
  subject: 'property',
  without: 'no_current_listing',
  inputs: {
    event: input(propertyEventTable, ['gnaf_pid', ...OFFER, 'end_date']),
    property: input(propertyTable, ['gnaf_pid', ...OWN, 'dwelling_type']),
    basics: input(propertyBasicsTable, ['gnaf_pid', ...ROOMS, 'dwelling_type']),
    region: input(addressHomeAsset, ['gnaf_pid', 'lga', 'poa']),
    day: input(valuationDayAsset, ['as_of'], { kind: 'all' }),
  },
  output: listingTable,
  sql: `
    WITH ${MONTH}, latest AS (
      SELECT DISTINCT ON (gnaf_pid, type) gnaf_pid, ${OFFER.join(', ')} FROM event CROSS JOIN month
      WHERE ${currentListingSql('as_of')} ORDER BY gnaf_pid, type, date DESC, event_id COLLATE "C"
    )
    SELECT gnaf_pid, ${[...OFFER, ...OWN, ...ROOMS].join(', ')}, lga, poa,
      COALESCE(basics.dwelling_type, property.dwelling_type) AS dwelling_type
    FROM latest JOIN property USING (gnaf_pid) JOIN basics USING (gnaf_pid) JOIN region USING (gnaf_pid)`,
});
