import { finderMarketAsset } from '../../../schema/assets/api.ts';
import { FINDER_FEATURES } from '../../../schema/serving/finder_features.ts';
import { propertyTable } from '../../../schema/serving/property.ts';
import { propertyAvmTable } from '../../../schema/serving/property_avm.ts';
import { propertyBasicsTable } from '../../../schema/serving/property_basics.ts';
import { propertyCoverageTable } from '../../../schema/serving/property_coverage.ts';
import { propertyFinderTable } from '../../../schema/serving/property_finder.ts';
import { propertyProfileTable } from '../../../schema/serving/property_profile.ts';
import { propertyProximityTable } from '../../../schema/serving/property_proximity.ts';
import {
  DEFAULT_SCORE,
  finderTypeSql,
  PRICE_PER_SQM,
  STREET_COLUMNS,
  STREET_LINE,
} from '../../../transforms/property/finder_row.ts';
import { input } from '../../engine/input.ts';
import { sqlStage } from '../../engine/sql_stage.ts';

const OWN = ['state', 'sa2', 'sa3', 'sal', 'address', 'postcode', 'lon', 'lat', 'land_area_sqm'] as const;
const REGIONS = ['sa4', 'gccsa', 'lga'] as const;
const DISTANCES = [
  'school_m',
  'public_housing_m',
  'supermarket_m',
  'park_m',
  'beach_m',
  'railway_m',
] as const;

export const servePropertyFinderStage = sqlStage({
  name: 'serve_property_finder',
  doc: 'Rows of serving.property_finder: fields of other serving tables for each property, side by side.',
  subject: 'property',
  inputs: {
    property: input(propertyTable, ['gnaf_pid', 'cell', ...OWN, ...STREET_COLUMNS, 'dwelling_type']),
    profile: input(propertyProfileTable, ['gnaf_pid', ...REGIONS]),
    coverage: input(propertyCoverageTable, ['gnaf_pid', 'covered']),
    proximity: input(propertyProximityTable, ['gnaf_pid', ...DISTANCES]),
    basics: input(propertyBasicsTable, [
      'gnaf_pid',
      'bedrooms',
      'bathrooms',
      'parking',
      'dwelling_type',
      'listing_date',
      ...FINDER_FEATURES,
    ]),
    avm: input(propertyAvmTable, ['gnaf_pid', 'predicted_price', 'rent_aud_pw', 'yield_percent']),
    market: input(finderMarketAsset, ['cell', 'sal', 'market', 'growth_percent', 'growth_forecast_percent']),
  },
  output: propertyFinderTable,
  sql: `
    WITH home AS (
      SELECT gnaf_pid, property.cell, ${OWN.join(', ')}, ${REGIONS.join(', ')}, ${STREET_LINE} AS street, lon IS NOT NULL AS is_located,
        COALESCE(basics.dwelling_type, property.dwelling_type) AS dwelling_type,
        bedrooms AS beds, bathrooms AS baths, parking AS cars, listing_date, predicted_price AS price, rent_aud_pw, yield_percent,
        ${DISTANCES.join(', ')}, 'public_housing' = ANY (covered) AS public_housing_covered,
        ${FINDER_FEATURES.map((name) => `COALESCE(${name}, false) AS ${name}`).join(', ')}
      FROM property JOIN profile USING (gnaf_pid) JOIN coverage USING (gnaf_pid) JOIN proximity USING (gnaf_pid)
      LEFT JOIN basics USING (gnaf_pid) LEFT JOIN avm USING (gnaf_pid)
    ), typed AS (
      SELECT *, ${PRICE_PER_SQM} AS price_per_sqm, ${DEFAULT_SCORE} AS default_score
      FROM (SELECT *, ${finderTypeSql('dwelling_type')} AS property_type FROM home) home
    )
    SELECT typed.*, growth_percent, growth_forecast_percent
    FROM typed LEFT JOIN market ON market.cell = typed.cell AND market.sal = typed.sal AND market.market = property_type`,
});
