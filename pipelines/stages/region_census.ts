import type { ClientBase } from 'pg';
import { NO_CELL } from '../../schema/grid.ts';
import { censusCountRecord, censusRegionRecord } from '../../schema/records/census.ts';
import { regionCensusTable } from '../../schema/serving/region_census.ts';
import { SERVED_LEVELS } from '../../schema/serving/region_demographics.ts';
import { STATE_OF_DIGIT } from '../../schema/states.ts';
import { type CensusCount, censusShares } from '../../transforms/demographics.ts';
import { input, stage } from '../engine/stage.ts';
import { groupBy } from './by_key.ts';

const LEVELS = SERVED_LEVELS.map((level) => `'${level}'`).join(', ');

/** A subject of a region with its parts, the largest first. */
interface Subject {
  level: string;
  code: string;
  year: number;
  subject: string;
  total: number | null;
  not_stated: number | null;
  parts: CensusCount[];
}

/** The subjects of every region in the newest Census that it is in. The server gathers the counts, of which there are millions. */
async function readSubjects(client: ClientBase): Promise<Subject[]> {
  const { rows } = await client.query<Subject>(
    `SELECT level, code, year, subject,
       (sum(persons) FILTER (WHERE kind = 'total'))::int AS total,
       (sum(persons) FILTER (WHERE kind = 'not_stated'))::int AS not_stated,
       jsonb_agg(jsonb_build_object('category', category, 'census_name', census_name, 'persons', persons)
         ORDER BY persons DESC, census_name COLLATE "C") FILTER (WHERE kind = 'part') AS parts
     FROM record.census_count
       JOIN (SELECT level, code, max(year) AS year FROM record.census_region GROUP BY level, code) newest USING (level, code, year)
     WHERE level IN (${LEVELS})
     GROUP BY level, code, year, subject HAVING count(*) FILTER (WHERE kind = 'part') > 0
     ORDER BY level COLLATE "C", code COLLATE "C", subject COLLATE "C"`,
  );
  return rows;
}

export const serveRegionCensusStage = stage({
  name: 'serve_region_census',
  version: 1,
  doc: 'Rows of serving.region_census: the counts of each subject, of the newest Census that a region is in.',
  subject: 'census',
  by: 'whole',
  inputs: {
    census: input(censusRegionRecord, ['year', 'level', 'code'], { kind: 'all' }, `level IN (${LEVELS})`),
    count: input(censusCountRecord, ['level'], { kind: 'resource' }),
  },
  output: regionCensusTable,
  resource: { keyOf: () => '', build: readSubjects },
  compute({ census }, { resource, emit }) {
    const subjects = groupBy(resource, (row) => `${row.level}|${row.code}|${row.year}`);
    let out = 0;
    for (const { level, code, year } of census) {
      const own = subjects.get(`${level}|${code}|${year}`);
      if (!own) continue;
      out++;
      for (const { subject, parts, total, not_stated } of own) {
        emit({
          level,
          code,
          subject,
          cell: NO_CELL,
          state: level === 'POA' ? null : (STATE_OF_DIGIT[code[0]!] ?? null),
          census_year: year,
          ...censusShares(parts, total, not_stated),
        });
      }
    }
    const rest = census.length - out;
    const drops: Record<string, number> = rest > 0 ? { older_census: rest } : {};
    return { account: { in: census.length, out, drops } };
  },
});
