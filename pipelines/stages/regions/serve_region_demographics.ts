import { type CensusFigure, censusFigures, censusRegionRecord } from '../../../schema/records/census.ts';
import { regionRecord } from '../../../schema/records/region.ts';
import { seifaRecord } from '../../../schema/records/seifa.ts';
import { regionDemographicsTable, SERVED_LEVELS } from '../../../schema/serving/region_demographics.ts';
import { STATE_OF_DIGIT } from '../../../schema/states.ts';
import { demographicsOf } from '../../../transforms/regions/demographics.ts';
import { input } from '../../engine/input.ts';
import { stage } from '../../engine/stage.ts';

const AT_SERVED_LEVELS = { level: SERVED_LEVELS };
const FIGURES = Object.keys(censusFigures) as CensusFigure[];

const keyOf = (row: { edition: number; level: string; code: string }): string =>
  `${row.edition}|${row.level}|${row.code}`;

/** Returns the state of a region; null: postal areas can cross states. */
const stateOf = (level: string, code: string): string | null =>
  level === 'POA' ? null : (STATE_OF_DIGIT[code[0]!] ?? null);

export const serveRegionDemographicsStage = stage({
  name: 'serve_region_demographics',
  version: 1,
  doc: 'Rows of serving.region_demographics, from the newest Census that has the region.',
  subject: 'census',
  inputs: {
    census: input(
      censusRegionRecord,
      ['edition', 'year', 'level', 'code', ...FIGURES],
      { kind: 'all' },
      AT_SERVED_LEVELS,
    ),
    seifa: input(
      seifaRecord,
      [
        'edition',
        'year',
        'level',
        'code',
        'irsd_score',
        'irsd_decile',
        'irsad_score',
        'irsad_decile',
        'irsad_percentile',
        'ier_decile',
        'ieo_decile',
      ],
      { kind: 'all' },
      AT_SERVED_LEVELS,
    ),
    region: input(
      regionRecord,
      ['edition', 'level', 'code', 'name', 'year'],
      { kind: 'all' },
      { ...AT_SERVED_LEVELS, has_geometry: true },
    ),
  },
  output: regionDemographicsTable,
  params: () => ({ SERVED_LEVELS }),
  compute({ census, seifa, region }, { emit }) {
    const names = new Map(region.map((row) => [keyOf(row), row.name]));
    const indexes = new Map(seifa.map((row) => [keyOf(row), row]));
    // Rows are sorted by year, level and code, so the newest Census of a region is the last.
    const newest = new Map(census.map((row) => [`${row.level}|${row.code}`, row]));
    for (const row of newest.values()) {
      const { level, code, year } = row;
      const index = indexes.get(keyOf(row));
      emit({
        level,
        code,
        name: names.get(keyOf(row)) ?? null,
        state: stateOf(level, code),
        census_year: year,
        ...demographicsOf(row),
        irsd_score: index?.irsd_score ?? null,
        irsd_decile: index?.irsd_decile ?? null,
        irsad_score: index?.irsad_score ?? null,
        irsad_decile: index?.irsad_decile ?? null,
        irsad_percentile: index?.irsad_percentile ?? null,
        ier_decile: index?.ier_decile ?? null,
        ieo_decile: index?.ieo_decile ?? null,
      });
    }
    const older = census.length - newest.size;
    const drops: Record<string, number> = older > 0 ? { older_census: older } : {};
    return { account: { in: census.length, out: newest.size, drops } };
  },
});
