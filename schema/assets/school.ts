import { col, nullable, table } from '../table.ts';

/** Output of the stage school_rank. */
export const schoolRankAsset = table({
  schema: 'asset',
  name: 'school_rank',
  doc: 'Ranks of a school among its peers.',
  columns: {
    school_id: col('int4', 'School.'),
    attendance_rate: nullable('float8', 'Attendance, per cent; null: not stated.'),
    naplan_rank: nullable('float8', 'Percentile as a fraction; null: no measure.'),
    naplan_label: nullable('text', 'Band of it.'),
    socioeconomic_rank: nullable(
      'float8',
      'By ICSEA the place among its peers, by SEIFA the percentile of its SA1, else SA2, as a fraction; null: neither is known.',
    ),
    socioeconomic_label: nullable('text', 'Band of it.'),
    socioeconomic_source: nullable('text', 'icsea or seifa; null: no rank.'),
  },
  primaryKey: ['school_id'],
});
