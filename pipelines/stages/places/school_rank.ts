import { schoolRankAsset } from '../../../schema/assets/school.ts';
import { schoolMeasureRecord, schoolRecord } from '../../../schema/records/school.ts';
import { seifaRecord } from '../../../schema/records/seifa.ts';
import { MIN_PEERS } from '../../../transforms/stats/peers.ts';
import { input } from '../../engine/input.ts';
import { sqlStage } from '../../engine/sql_stage.ts';

const latestSql = (measure: string): string =>
  `(array_agg(${measure} ORDER BY year DESC) FILTER (WHERE ${measure} IS NOT NULL))[1] AS ${measure}`;

/** Prefers the head to other campuses of a school, and these by identifier. */
const HEAD_FIRST = 'ORDER BY school_id <> head_id, school_id';

/**
 * Returns an SQL expression for the band of a rank from 0 to 1: the outer tenths, the middle fifth, and the ranges between. Source: our
 * choice; the specification says that labels are text bands.
 */
const bandSql = (rank: string): string =>
  `CASE WHEN ${rank} >= 0.9 THEN 'top 10%' WHEN ${rank} > 0.6 THEN 'above average' WHEN ${rank} >= 0.4 THEN 'average'
        WHEN ${rank} > 0.1 THEN 'below average' WHEN ${rank} <= 0.1 THEN 'bottom 10%' END`;

/** Digits of an SA1 code that form its SA2 code. Source: ABS ASGS. */
const SA2_DIGITS = 9;

/**
 * A school counts once, whatever its number of campuses, and they share its rank. Rank: (place - 1) / (count - 1) from the lowest; equal
 * scores share their mean place. Peers are schools of the same level and state; if fewer than MIN_PEERS, the nation's; if still fewer,
 * null. A SEIFA percentile counts at its middle; the head's location decides if known, else the campus's.
 */
export const schoolRankStage = sqlStage({
  name: 'school_rank',
  doc: 'Ranks of schools: among their peers by NAPLAN and by ICSEA; without ICSEA, the SEIFA percentile of the SA1, else of the SA2.',
  subject: 'school',
  inputs: {
    school: input(schoolRecord, ['school_id', 'head_id', 'state', 'level', 'is_special', 'sa1', 'icsea'], {
      kind: 'all',
    }),
    measure: input(schoolMeasureRecord, ['school_id', 'year', 'attendance_rate', 'naplan_mean', 'icsea'], {
      kind: 'all',
    }),
    seifa: input(
      seifaRecord,
      ['year', 'level', 'code', 'irsad_percentile'],
      { kind: 'all' },
      { level: ['SA1', 'SA2'] },
    ),
  },
  output: schoolRankAsset,
  sql: `
    WITH measured AS (
      SELECT school_id, ${['attendance_rate', 'naplan_mean', 'icsea'].map(latestSql).join(',\n        ')}
      FROM measure GROUP BY school_id
    ), area AS (
      SELECT DISTINCT ON (level, code) level, code, irsad_percentile AS percentile FROM seifa ORDER BY level, code, year DESC
    ), campus AS (
      SELECT school_id, head_id, state, CASE WHEN is_special THEN 'Special' ELSE school.level END AS level, attendance_rate, naplan_mean,
        COALESCE(measured.icsea, school.icsea) AS icsea, COALESCE(at_sa1.percentile, at_sa2.percentile) AS percentile
      FROM school LEFT JOIN measured USING (school_id)
      LEFT JOIN area at_sa1 ON at_sa1.level = 'SA1' AND at_sa1.code = sa1
      LEFT JOIN area at_sa2 ON at_sa2.level = 'SA2' AND at_sa2.code = left(sa1, ${SA2_DIGITS})
    ), scored AS (
      SELECT measure, head_id, (array_agg(state ${HEAD_FIRST}))[1] AS state, (array_agg(level ${HEAD_FIRST}))[1] AS level,
        (array_agg(score ${HEAD_FIRST}) FILTER (WHERE score IS NOT NULL))[1] AS score
      FROM campus, LATERAL (VALUES ('naplan', naplan_mean), ('icsea', icsea)) score (measure, score) GROUP BY measure, head_id
    ), placed AS (
      SELECT measure, head_id, scope, count(*) OVER peers AS peers,
        rank() OVER (peers ORDER BY score) - rank() OVER (peers ORDER BY score DESC) AS lead
      FROM scored, LATERAL (VALUES (1, state), (2, '')) scope (scope, region)
      WHERE score IS NOT NULL AND level IS NOT NULL AND region IS NOT NULL
      WINDOW peers AS (PARTITION BY measure, level, scope, region)
    ), ranked AS (
      SELECT DISTINCT ON (measure, head_id) measure, head_id, (lead + peers - 1) / 2::float8 / (peers - 1) AS rank
      FROM placed WHERE peers >= ${MIN_PEERS} ORDER BY measure, head_id, scope
    ), rank AS (
      SELECT campus.school_id, campus.attendance_rate, naplan.rank AS naplan_rank, icsea.rank IS NOT NULL AS by_icsea,
        COALESCE(icsea.rank, (COALESCE(head.percentile, campus.percentile) - 0.5::float8) / 100) AS socioeconomic_rank
      FROM campus LEFT JOIN campus head ON head.school_id = campus.head_id
      LEFT JOIN ranked naplan ON naplan.head_id = campus.head_id AND naplan.measure = 'naplan'
      LEFT JOIN ranked icsea ON icsea.head_id = campus.head_id AND icsea.measure = 'icsea'
    )
    SELECT *, ${bandSql('naplan_rank')} AS naplan_label, ${bandSql('socioeconomic_rank')} AS socioeconomic_label,
      CASE WHEN by_icsea THEN 'icsea' WHEN socioeconomic_rank IS NOT NULL THEN 'seifa' END AS socioeconomic_source
    FROM rank`,
});
