import { addressHomeAsset } from '../../../schema/assets/property.ts';
import { HAZARD_LAYERS } from '../../../schema/records/hazard.ts';
import { AREA_LEVELS } from '../../../schema/serving/area_level.ts';
import { propertyCoverageTable } from '../../../schema/serving/property_coverage.ts';
import { propertyRiskTable } from '../../../schema/serving/property_risk.ts';
import { regionRiskTable } from '../../../schema/serving/region_risk.ts';
import { input } from '../../engine/input.ts';
import { sqlStage } from '../../engine/sql_stage.ts';

/** Address column with the area of each level. */
const COLUMN = { SAL: 'sal_name', SA2: 'sa2', SA3: 'sa3', LGA: 'lga', POA: 'poa' } as const;
const COLUMNS = AREA_LEVELS.map((level) => COLUMN[level]);

export const serveRegionRiskStage = sqlStage({
  name: 'serve_region_risk',
  doc: 'Rows of serving.region_risk.',
  subject: 'region',
  inputs: {
    region: input(addressHomeAsset, ['gnaf_pid', 'parcel_id', 'is_parcel_position', ...COLUMNS], {
      kind: 'all',
    }),
    coverage: input(propertyCoverageTable, ['gnaf_pid', 'covered', 'unassessed'], { kind: 'all' }),
    risk: input(propertyRiskTable, ['gnaf_pid', 'layer'], { kind: 'all' }, { on_property: true }),
  },
  output: regionRiskTable,
  dropped: { not_located: COLUMNS.map((column) => `${column} IS NULL`).join(' AND ') },
  sql: `
    WITH assessed AS (
      SELECT gnaf_pid, layer FROM coverage, unnest(covered) layer
      WHERE layer IN (${HAZARD_LAYERS.map((layer) => `'${layer}'`).join(', ')}) AND layer <> ALL (unassessed)
    ), place AS (
      SELECT ${COLUMNS.join(', ')}, layer, count(*) AS n, count(hit.gnaf_pid) AS hits
      FROM region JOIN assessed USING (gnaf_pid)
      LEFT JOIN (SELECT DISTINCT gnaf_pid, layer FROM risk) hit USING (gnaf_pid, layer)
      WHERE parcel_id IS NOT NULL OR is_parcel_position
      GROUP BY ${COLUMNS.join(', ')}, layer
    )
    SELECT level, area, layer, sum(n) AS properties_covered, sum(hits) AS properties_on,
      sum(hits)::float8 / sum(n)::float8 AS share
    FROM place, LATERAL (VALUES ${AREA_LEVELS.map((level) => `('${level}', ${COLUMN[level]})`).join(', ')}) at (level, area)
    WHERE area IS NOT NULL GROUP BY level, area, layer`,
});
