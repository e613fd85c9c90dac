import { propertyTallyAsset } from '../../../schema/assets/api.ts';
import { propertyAvmTable } from '../../../schema/serving/property_avm.ts';
import { propertyEventTable } from '../../../schema/serving/property_event.ts';
import { propertyFinderTable } from '../../../schema/serving/property_finder.ts';
import { propertyNeighbourTable } from '../../../schema/serving/property_neighbour.ts';
import { propertyOverlayTable } from '../../../schema/serving/property_overlay.ts';
import { propertyRiskTable } from '../../../schema/serving/property_risk.ts';
import { propertyZoningTable } from '../../../schema/serving/property_zoning.ts';
import { sandboxSampleTable } from '../../../schema/serving/sandbox_sample.ts';
import { input } from '../../engine/input.ts';
import { sqlStage } from '../../engine/sql_stage.ts';

/** Finder columns that show whether data on a subject exists. */
export const SANDBOX_FIELDS = [
  'beds',
  'baths',
  'cars',
  'dwelling_type',
  'land_area_sqm',
  'price',
  'rent_aud_pw',
  'school_m',
  'supermarket_m',
  'park_m',
  'railway_m',
] as const;

/** Maximum candidates of each state: the properties with the most known finder fields. */
const CANDIDATES = 500;

/** Minimum confidence of an estimate that a sample should have. */
const CONFIDENT = 60;

/** An array makes the server look up these few properties by each table's key. */
const IS_BEST = 'gnaf_pid = ANY (ARRAY(SELECT gnaf_pid FROM best))';

export const serveSandboxSampleStage = sqlStage({
  name: 'serve_sandbox_sample',
  doc: 'A property with much data in each state: among the properties with the most finder fields, one with a confident estimate if there is any, then the one with the most other subjects.',
  subject: 'property',
  inputs: {
    property: input(
      propertyTallyAsset,
      ['gnaf_pid', 'state', 'known'],
      { kind: 'all' },
      { known: { not: null } },
    ),
    finder: input(propertyFinderTable, ['gnaf_pid', 'state', 'sa2', 'sa3', 'sal', ...SANDBOX_FIELDS], {
      kind: 'all',
    }),
    avm: input(propertyAvmTable, ['gnaf_pid', 'confidence'], { kind: 'all' }, { confidence: { not: null } }),
    zone: input(propertyZoningTable, ['gnaf_pid'], { kind: 'all' }),
    overlay: input(propertyOverlayTable, ['gnaf_pid'], { kind: 'all' }),
    risk: input(propertyRiskTable, ['gnaf_pid', 'layer'], { kind: 'all' }),
    neighbour: input(propertyNeighbourTable, ['gnaf_pid'], { kind: 'all' }, { is_corner: false }),
    event: input(propertyEventTable, ['gnaf_pid', 'type'], { kind: 'all' }),
  },
  output: sandboxSampleTable,
  sql: `
    WITH candidate_pid AS MATERIALIZED (
      SELECT gnaf_pid FROM (SELECT DISTINCT state FROM property) each, LATERAL (
        SELECT gnaf_pid FROM property WHERE property.state = each.state ORDER BY known DESC, gnaf_pid COLLATE "C" LIMIT ${CANDIDATES}) candidate
    ), best AS MATERIALIZED (
      SELECT state, sa2, sa3, sal, gnaf_pid, array_remove(ARRAY[
        ${SANDBOX_FIELDS.map((name) => `CASE WHEN ${name} IS NOT NULL THEN '${name}' END`).join(', ')}], NULL) AS subjects
      FROM finder WHERE gnaf_pid = ANY (ARRAY(SELECT gnaf_pid FROM candidate_pid))
    ), found AS (
      SELECT gnaf_pid, 'zoning' AS subject FROM zone WHERE ${IS_BEST}
      UNION ALL SELECT gnaf_pid, 'overlays' FROM overlay WHERE ${IS_BEST}
      UNION ALL SELECT gnaf_pid, 'risk_' || layer FROM risk WHERE ${IS_BEST}
      UNION ALL SELECT gnaf_pid, 'neighbours' FROM neighbour WHERE ${IS_BEST}
      UNION ALL SELECT gnaf_pid, CASE type WHEN 'For Rent' THEN 'rent_history' ELSE 'sale_history' END FROM event WHERE ${IS_BEST}
    ), confident AS MATERIALIZED (
      SELECT gnaf_pid FROM avm WHERE confidence >= ${CONFIDENT} AND ${IS_BEST}
    ), candidate AS (
      SELECT state, sa2, sa3, sal, gnaf_pid, subjects || COALESCE(array_agg(DISTINCT subject) FILTER (WHERE subject IS NOT NULL), '{}') AS subjects
      FROM best LEFT JOIN found USING (gnaf_pid) GROUP BY state, sa2, sa3, sal, gnaf_pid, subjects
    )
    SELECT DISTINCT ON (state) state, sa2, sa3, sal, gnaf_pid,
      ARRAY(SELECT subject FROM unnest(subjects) subject ORDER BY subject COLLATE "C") AS subjects
    FROM candidate ORDER BY state, gnaf_pid IN (SELECT gnaf_pid FROM confident) DESC, cardinality(subjects) DESC, gnaf_pid COLLATE "C"`,
});
