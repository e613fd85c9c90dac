import { censusCountRecord, censusRegionRecord } from '../../../schema/records/census.ts';
import { regionCensusTable } from '../../../schema/serving/region_census.ts';
import { SERVED_LEVELS } from '../../../schema/serving/region_demographics.ts';
import { STATE_OF_DIGIT } from '../../../schema/states.ts';
import { type CensusCount, censusShares } from '../../../transforms/regions/demographics.ts';
import type { DeclaredReader } from '../../engine/declared_reader.ts';
import { input } from '../../engine/input.ts';
import { stage } from '../../engine/stage.ts';

const AT_SERVED_LEVELS = { level: SERVED_LEVELS };
const REGION_COLUMNS = ['year', 'level', 'code'] as const;

const INPUTS = {
  census: input(censusRegionRecord, REGION_COLUMNS, { kind: 'all' }, AT_SERVED_LEVELS),
  region: input(censusRegionRecord, REGION_COLUMNS, { kind: 'resource' }, AT_SERVED_LEVELS),
  count: input(
    censusCountRecord,
    ['year', 'level', 'code', 'subject', 'category', 'census_name', 'kind', 'persons'],
    { kind: 'resource' },
    AT_SERVED_LEVELS,
  ),
};

/** A Census subject of a region with its parts. */
interface RegionSubject {
  subject: string;
  total: number | null;
  not_stated: number | null;
  parts: CensusCount[];
}

const regionOf = ({ level, code }: { level: string; code: string }): string => `${level}|${code}`;

/**
 * Reads the subjects of each region from the newest Census that has the region. Subjects are sorted by name, their parts by size, largest
 * first.
 */
async function readSubjects(reader: DeclaredReader<typeof INPUTS>): Promise<Map<string, RegionSubject[]>> {
  const newest = new Map<string, number>();
  for (const region of await reader.rows('region'))
    newest.set(regionOf(region), Math.max(region.year, newest.get(regionOf(region)) ?? 0));
  const regions = new Map<string, Map<string, RegionSubject>>();
  for await (const counts of reader.batches('count'))
    for (const { year, subject, category, census_name, kind, persons, ...region } of counts) {
      if (newest.get(regionOf(region)) !== year) continue;
      const key = `${regionOf(region)}|${year}`;
      const subjects = regions.get(key) ?? new Map<string, RegionSubject>();
      const entry = subjects.get(subject) ?? { subject, total: null, not_stated: null, parts: [] };
      regions.set(key, subjects.set(subject, entry));
      if (kind === 'part') entry.parts.push({ category, census_name, persons });
      else if (kind === 'total' || kind === 'not_stated') entry[kind] = (entry[kind] ?? 0) + persons;
    }
  const subjectsOfRegion = new Map<string, RegionSubject[]>();
  for (const [key, subjects] of regions) {
    const withParts = [...subjects.values()].filter(({ parts }) => parts.length > 0);
    for (const { parts } of withParts)
      parts.sort((a, b) => b.persons - a.persons || (a.census_name < b.census_name ? -1 : 1));
    if (withParts.length > 0)
      subjectsOfRegion.set(
        key,
        withParts.sort((a, b) => (a.subject < b.subject ? -1 : 1)),
      );
  }
  return subjectsOfRegion;
}

export const serveRegionCensusStage = stage({
  name: 'serve_region_census',
  version: 1,
  doc: 'Rows of serving.region_census: the counts of each subject in the newest Census that has the region.',
  subject: 'census',
  inputs: INPUTS,
  output: regionCensusTable,
  params: () => ({ SERVED_LEVELS }),
  resource: { keyOf: () => '', build: readSubjects },
  compute({ census }, { resource, emit }) {
    let out = 0;
    for (const { level, code, year } of census) {
      const regionSubjects = resource.get(`${level}|${code}|${year}`);
      if (!regionSubjects) continue;
      out++;
      for (const { subject, parts, total, not_stated } of regionSubjects) {
        emit({
          level,
          code,
          subject,
          state: level === 'POA' ? null : (STATE_OF_DIGIT[code[0]!] ?? null),
          census_year: year,
          ...censusShares(parts, total, not_stated),
        });
      }
    }
    const unserved = census.length - out;
    const drops: Record<string, number> = unserved > 0 ? { older_census: unserved } : {};
    return { account: { in: census.length, out, drops } };
  },
});
