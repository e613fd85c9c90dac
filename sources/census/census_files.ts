import { basename } from 'node:path';
import { CENSUS_LEVELS, type CensusLevel } from '../../schema/records/census.ts';
import type { DatasetConfig } from '../adapter.ts';
import { membersIn } from '../formats/archive/release_members.ts';
import type { ZipMember } from '../formats/archive/zip.ts';
import { missingColumns } from '../formats/table/columns.ts';
import { readNames } from '../formats/table/delimited.ts';

/** `2021Census_G17A_VIC_SA2.csv`: year, table, letter, extent of the pack, level. */
const CSV = /^(\d{4})Census_(G\d{2})([A-Z]?)_([A-Z]+)_([A-Z0-9]+)\.csv$/i;
/** Any table of a DataPack of any Census: in 2011 `2011Census_B33_VIC_SA2_short.csv`, earlier also for levels that no longer exist. */
const TABLE = /^(\d{4})Census_[A-Z]\d{2}.*\.csv$/i;
/** Header of the first column: `SA2_CODE_2021`, in 2016 also `SA1_7DIGITCODE_2016`. */
const CODE_COLUMN = /^([A-Z]+\d?)_(?:7DIGIT|MAIN)?_?CODE_(\d{4})$/i;

/** One table of a DataPack, or the part of a wide table with this letter. Survives structured cloning. */
export interface CensusFile {
  readonly member: ZipMember;
  /** Name in messages and row accounts. */
  readonly file: string;
  readonly year: number;
  readonly level: CensusLevel;
  readonly table: string;
  /** Empty: the table comes as one file. */
  readonly letter: string;
  /** `AUST` or a state. */
  readonly extent: string;
  /** Columns as the header spells them; the first holds the codes. */
  readonly header: readonly string[];
}

const isLevel = (text: string): text is CensusLevel => (CENSUS_LEVELS as readonly string[]).includes(text);

/** Finds the files of wanted tables and levels in zips and folders, in an order that does not depend on the disk. */
export async function findCensusFiles(
  dataset: DatasetConfig,
  wantedYears: (table: string, level: CensusLevel) => boolean,
): Promise<CensusFile[]> {
  const isWanted = (path: string): boolean => {
    const [, , table = '', , , level = ''] = CSV.exec(basename(path)) ?? [];
    return (
      isLevel(level.toUpperCase()) && wantedYears(table.toUpperCase(), level.toUpperCase() as CensusLevel)
    );
  };
  const files: CensusFile[] = [];
  const paths = dataset.files.map(({ path }) => path);
  for (const member of await membersIn(paths, isWanted)) files.push(await openFile(member));
  const key = ({ year, level, table, letter, extent, file }: CensusFile): string =>
    [year, level, table, letter, extent, file].join('/');
  return files.sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** Returns the Census years of the tables in zips and folders, in order. */
export async function censusYears(dataset: DatasetConfig): Promise<number[]> {
  const paths = dataset.files.map(({ path }) => path);
  const yearOf = (path: string): string | undefined => TABLE.exec(basename(path))?.[1];
  const members = await membersIn(paths, (path) => yearOf(path) !== undefined);
  return [...new Set(members.map(({ name }) => Number(yearOf(name))))].sort();
}

/** Reads the header of a file. EtlError `missing_column` if its first column does not hold codes of the level in its name. */
async function openFile(member: ZipMember): Promise<CensusFile> {
  const file = member.zip === null ? basename(member.name) : `${basename(member.path)} › ${member.name}`;
  const [, year, table, letter, extent, level] = CSV.exec(basename(member.name))!;
  const header = await readNames(member, ',', file);
  const [, inHeader, yearInHeader] = CODE_COLUMN.exec(header[0] ?? '') ?? [];
  if (inHeader?.toUpperCase() !== level!.toUpperCase() || yearInHeader !== year) {
    const advice = 'Check that the file is a table of a short-header DataPack.';
    throw missingColumns(file, [`${level}_CODE_${year} at its start, as its name says`], header, advice);
  }
  return {
    member,
    file,
    year: Number(year),
    level: level!.toUpperCase() as CensusLevel,
    table: table!.toUpperCase(),
    letter: letter!.toUpperCase(),
    extent: extent!.toUpperCase(),
    header,
  };
}
