import { z } from 'zod';
import { EtlError } from '../../schema/errors.ts';
import {
  CENSUS_LEVELS,
  type CensusLevel,
  censusCountRecord,
  censusRegionRecord,
  EDITION_OF_CENSUS,
} from '../../schema/records/census.ts';
import type { Part, SourceAdapter } from '../adapter.ts';
import { noFile, releaseOf } from '../release/file_release.ts';
import { parseOptions } from '../release/options.ts';
import { bindLevel } from './bind.ts';
import { censusYears, findCensusFiles } from './census_files.ts';
import { FIGURES } from './figures.ts';
import { type CensusPart, readCensusPart } from './read_part.ts';
import { COUNT_TABLES } from './subjects.ts';

const levels = z.array(z.enum(CENSUS_LEVELS)).min(1);

const optionsSchema = z.strictObject({
  levels: levels.default([...CENSUS_LEVELS]),
  // Counts of 62,000 SA1s are millions of rows, and nothing that is served needs them.
  count_levels: z.array(z.enum(CENSUS_LEVELS)).default(CENSUS_LEVELS.filter((level) => level !== 'SA1')),
});

const FIGURE_TABLES = [...new Set(Object.values(FIGURES).map(({ table }) => table))];
const tablesOf = (withCounts: boolean): string[] =>
  [...new Set([...FIGURE_TABLES, ...(withCounts ? COUNT_TABLES : [])])].sort();

/** General Community Profile DataPacks with short headers, zipped as delivered or unzipped. A part is one level of one Census. */
export const censusAdapter: SourceAdapter = {
  name: 'census',
  version: 4,
  placeUnit: 'line',
  title: 'Census of Population and Housing, General Community Profile DataPacks',
  publisher: 'Australian Bureau of Statistics',
  licence: 'CC-BY-4.0',
  attribution: 'Based on Australian Bureau of Statistics data, Census of Population and Housing.',
  tables: [censusRegionRecord, censusCountRecord],
  checkOptions: (dataset) => parseOptions(optionsSchema, dataset),
  async discover(dataset) {
    const options = parseOptions(optionsSchema, dataset);
    const hasCounts = (level: CensusLevel): boolean => options.count_levels.includes(level);
    const censuses = await censusYears(dataset);
    const old = censuses.find(isOlder);
    if (old !== undefined) throw otherTables(dataset.id, old);
    const files = await findCensusFiles(
      dataset,
      (table, level) =>
        options.levels.includes(level) &&
        (FIGURE_TABLES.includes(table) || (hasCounts(level) && COUNT_TABLES.includes(table))),
    );
    if (files.length === 0) {
      const levels = options.levels.join(', ');
      if (censuses.length > 0) throw noTables(dataset.id, levels);
      throw noFile(
        dataset,
        `a DataPack with short headers (2021Census_G01_AUST_SA2.csv), at a level of ${levels}`,
      );
    }
    const years = [...new Set(files.map(({ year }) => year))].sort();
    const parts: Part[] = [];
    const notes: string[] = [];
    for (const year of years) {
      if (EDITION_OF_CENSUS[year] === undefined) throw unknownYear(dataset.id, year);
      for (const level of CENSUS_LEVELS) {
        const ownFiles = files.filter((file) => file.year === year && file.level === level);
        if (ownFiles.length === 0) continue;
        const bound = bindLevel(ownFiles, year, level, hasCounts(level), tablesOf(hasCounts(level)));
        notes.push(...bound.notes);
        const source: CensusPart = { year, level, files: bound.bound };
        parts.push({ id: `${year} ${level}`, source });
      }
    }
    return { release: releaseOf(dataset, { id: years.join(', '), notes }), parts };
  },
  readPart: (_release, part, { signal }) => readCensusPart(part.source as CensusPart, signal),
};

/** First Census whose DataPacks number their tables as this reader expects. */
const FIRST_YEAR = 2021;

/** True for the year of a Census before that one. */
const isOlder = (year: number): boolean => year < FIRST_YEAR && (FIRST_YEAR - year) % 5 === 0;

const otherTables = (dataset: string, year: number): EtlError =>
  new EtlError(
    'census_tables_differ',
    `dataset ${dataset}: the DataPacks of ${year} number their tables otherwise (${year === 2016 ? 'household income is G29 and tenure G33, where 2021 has them as G33 and G37' : 'their profile is an older one'}), so that one subject would be read as another. Leave the files of ${year} out of the path: Censuses are read from ${FIRST_YEAR} on.`,
    { details: { dataset, year } },
  );

const noTables = (dataset: string, levels: string): EtlError =>
  new EtlError(
    'census_tables_not_read',
    `dataset ${dataset}: none of its Census tables is read. Read are ${tablesOf(true).join(', ')} of the General Community Profile, at the levels ${levels}; leave out other tables and profiles.`,
    { details: { dataset } },
  );

const unknownYear = (dataset: string, year: number): EtlError =>
  new EtlError(
    'unknown_census_year',
    `dataset ${dataset}: the ASGS edition of the Census of ${year} is not known; known are ${Object.keys(EDITION_OF_CENSUS).join(', ')}. Leave its files out of the path.`,
    { details: { dataset, year } },
  );
