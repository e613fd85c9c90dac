import { schoolRankAsset } from '../../../schema/assets/school.ts';
import { regionPieceRecord } from '../../../schema/records/region.ts';
import { schoolRecord } from '../../../schema/records/school.ts';
import { schoolTable } from '../../../schema/serving/school.ts';
import { input } from '../../engine/input.ts';
import { stage } from '../../engine/stage.ts';
import { PLACE_AREA_COLUMNS, PLACE_AREA_WHERE, placeAreas } from './place_region.ts';

export const serveSchoolStage = stage({
  name: 'serve_school',
  version: 3,
  doc: 'Rows of serving.school: every school that has coordinates, with its ranks and its region.',
  subject: 'school',
  inputs: {
    school: input(schoolRecord, [
      'cell',
      'school_id',
      'name',
      'level',
      'sector',
      'is_special',
      'year_range',
      'state',
      'lon',
      'lat',
    ]),
    region: input(regionPieceRecord, PLACE_AREA_COLUMNS, { kind: 'own' }, PLACE_AREA_WHERE),
    rank: input(
      schoolRankAsset,
      [
        'school_id',
        'attendance_rate',
        'naplan_rank',
        'naplan_label',
        'socioeconomic_rank',
        'socioeconomic_label',
        'socioeconomic_source',
      ],
      { kind: 'all' },
    ),
  },
  output: schoolTable,
  compute({ school, region, rank }, { cell, emit }) {
    const areasAt = placeAreas(region);
    const ranks = new Map(rank.map((row) => [row.school_id, row]));
    let out = 0;
    for (const row of school) {
      if (row.lon === null || row.lat === null) continue;
      const ranked = ranks.get(row.school_id)!;
      const { state, sa2, sa3, sal, lga, poa } = areasAt(row.lon, row.lat);
      out++;
      emit({
        school_id: row.school_id,
        cell,
        state: state ?? row.state,
        sa2,
        sa3,
        sal,
        lga,
        poa,
        name: row.name,
        level: row.is_special ? 'Special' : row.level,
        sector: row.sector,
        is_special: row.is_special,
        year_range: row.year_range,
        lon: row.lon,
        lat: row.lat,
        attendance_rate: ranked.attendance_rate,
        naplan_rank: ranked.naplan_rank,
        naplan_label: ranked.naplan_label,
        socioeconomic_rank: ranked.socioeconomic_rank,
        socioeconomic_label: ranked.socioeconomic_label,
        socioeconomic_source: ranked.socioeconomic_source,
      });
    }
    const drops: Record<string, number> = out < school.length ? { no_point: school.length - out } : {};
    return { account: { in: school.length, out, drops } };
  },
});
