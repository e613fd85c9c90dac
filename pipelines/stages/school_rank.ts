import { schoolRankAsset } from '../../schema/assets/school.ts';
import { schoolMeasureRecord, schoolRecord } from '../../schema/records/school.ts';
import { seifaRecord } from '../../schema/records/seifa.ts';
import { latestMeasures, rankSchools, rankSocioeconomic } from '../../transforms/school_rank.ts';
import { input } from '../engine/input.ts';
import { stage } from '../engine/stage.ts';

export const schoolRankStage = stage({
  name: 'school_rank',
  version: 2,
  doc: 'Ranks of schools: among their peers by NAPLAN and by ICSEA; where there is no ICSEA, the SEIFA percentile of the SA1, else of the SA2.',
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
      { level: ['SA1', 'SA2'] },
    ),
  },
  output: schoolRankAsset,
  compute({ school, measure, seifa }, { emit }) {
    const measures = latestMeasures(measure);
    const percentile = new Map(seifa.map((row) => [`${row.level}|${row.code}`, row.irsad_percentile]));
    const naplan = rankSchools(
      school.map((row) => ({ ...row, score: measures.get(row.school_id)?.naplan_mean ?? null })),
    );
    const socioeconomic = rankSocioeconomic(
      school.map((row) => ({
        ...row,
        icsea: measures.get(row.school_id)?.icsea ?? row.icsea,
        sa1_irsad_percentile: percentile.get(`SA1|${row.sa1}`) ?? null,
        sa2_irsad_percentile: percentile.get(`SA2|${row.sa1?.slice(0, SA2_DIGITS)}`) ?? null,
      })),
    );
    for (const { school_id } of school) {
      emit({
        school_id,
        attendance_rate: measures.get(school_id)?.attendance_rate ?? null,
        naplan_rank: naplan.get(school_id)?.rank ?? null,
        naplan_label: naplan.get(school_id)?.label ?? null,
        socioeconomic_rank: socioeconomic.get(school_id)?.rank ?? null,
        socioeconomic_label: socioeconomic.get(school_id)?.label ?? null,
        socioeconomic_source: socioeconomic.get(school_id)?.source ?? null,
      });
    }
    return { account: { in: school.length, out: school.length, drops: {} } };
  },
});

/** Digits of an SA1 code that name its SA2. Source: ABS ASGS. */
const SA2_DIGITS = 9;
