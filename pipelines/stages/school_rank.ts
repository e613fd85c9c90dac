import { schoolRankAsset } from '../../schema/assets.ts';
import { NO_CELL } from '../../schema/grid.ts';
import { schoolMeasureRecord, schoolRecord } from '../../schema/records/school.ts';
import { seifaRecord } from '../../schema/records/seifa.ts';
import { latestMeasures, rankSchools } from '../../transforms/school_rank.ts';
import { input, stage } from '../engine/stage.ts';

export const schoolRankStage = stage({
  name: 'school_rank',
  version: 1,
  doc: 'Ranks of schools among their peers: by NAPLAN, and by ICSEA or, where that is not licensed, by SEIFA.',
  subject: 'school',
  by: 'whole',
  inputs: {
    school: input(schoolRecord, ['school_id', 'head_id', 'state', 'level', 'sa1', 'icsea'], { kind: 'all' }),
    measure: input(schoolMeasureRecord, ['school_id', 'year', 'attendance_rate', 'naplan_mean', 'icsea'], {
      kind: 'all',
    }),
    seifa: input(
      seifaRecord,
      ['year', 'level', 'code', 'irsad_percentile'],
      { kind: 'all' },
      "level IN ('SA1', 'SA2')",
    ),
  },
  output: schoolRankAsset,
  compute({ school, measure, seifa }) {
    const measures = latestMeasures(measure);
    const percentile = new Map(seifa.map((row) => [`${row.level}|${row.code}`, row.irsad_percentile]));
    const seifaOf = (sa1: string | null): number | null =>
      sa1 === null
        ? null
        : (percentile.get(`SA1|${sa1}`) ?? percentile.get(`SA2|${sa1.slice(0, SA2_DIGITS)}`) ?? null);
    const icseaOf = (row: (typeof school)[number]): number | null =>
      measures.get(row.school_id)?.icsea ?? row.icsea;
    // One scale for all: ICSEA where any school has it, else SEIFA.
    const source = school.some((row) => icseaOf(row) !== null) ? 'icsea' : 'seifa';
    const score = (of: (row: (typeof school)[number]) => number | null) =>
      rankSchools(school.map((row) => ({ ...row, score: of(row) })));
    const naplan = score((row) => measures.get(row.school_id)?.naplan_mean ?? null);
    const socioeconomic = score(source === 'icsea' ? icseaOf : (row) => seifaOf(row.sa1));
    const rows = school.map(({ school_id }) => ({
      cell: NO_CELL,
      school_id,
      attendance_rate: measures.get(school_id)?.attendance_rate ?? null,
      naplan_rank: naplan.get(school_id)?.rank ?? null,
      naplan_label: naplan.get(school_id)?.label ?? null,
      socioeconomic_rank: socioeconomic.get(school_id)?.rank ?? null,
      socioeconomic_label: socioeconomic.get(school_id)?.label ?? null,
      socioeconomic_source: socioeconomic.has(school_id) ? source : null,
    }));
    return { rows, account: { in: school.length, out: rows.length, drops: {} } };
  },
});

/** Digits of an SA1 code that name its SA2. Source: ABS ASGS. */
const SA2_DIGITS = 9;
