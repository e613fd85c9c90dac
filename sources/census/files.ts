import { basename } from 'node:path';
import { EtlError } from '../../schema/errors.ts';
import { CENSUS_LEVELS, type CensusLevel } from '../../schema/records/census.ts';
import type { DatasetConfig } from '../adapter.ts';
import { membersIn } from '../formats/release_members.ts';
import { type Member, readMember } from '../formats/zip.ts';

/** `2021Census_G17A_VIC_SA2.csv`: year, table, letter, extent of the pack, level. */
const CSV = /^(\d{4})Census_(G\d{2})([A-Z]?)_([A-Z]+)_([A-Z0-9]+)\.csv$/i;
/** Header of the first column: `SA2_CODE_2021`, in 2016 also `SA1_7DIGITCODE_2016`. */
const CODE_COLUMN = /^([A-Z]+\d?)_(?:7DIGIT|MAIN)?_?CODE_(\d{4})$/i;
/** Bytes of a header line; the widest table has some 200 columns. */
const MAX_HEADER_BYTES = 1 << 18;

/** One table of a DataPack, or the part of a wide one that has this letter. Survives structured cloning. */
export interface CensusFile {
  readonly member: Member;
  /** Name in messages and accounts. */
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

/** Files of wanted tables and levels in zips and folders, in an order that does not depend on the disk. */
export async function findCensusFiles(
  dataset: DatasetConfig,
  wanted: (table: string, level: CensusLevel) => boolean,
): Promise<CensusFile[]> {
  const isWanted = (path: string): boolean => {
    const [, , table = '', , , level = ''] = CSV.exec(basename(path)) ?? [];
    return isLevel(level.toUpperCase()) && wanted(table.toUpperCase(), level.toUpperCase() as CensusLevel);
  };
  const files: CensusFile[] = [];
  const paths = dataset.files.map(({ path }) => path);
  for (const member of await membersIn(paths, isWanted)) files.push(await openFile(member));
  const key = ({ year, level, table, letter, extent, file }: CensusFile): string =>
    [year, level, table, letter, extent, file].join('/');
  return files.sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** Reads the header of a file. EtlError `missing_column` where its first column holds no codes of the level in its name. */
async function openFile(member: Member): Promise<CensusFile> {
  const file = member.zip === null ? basename(member.name) : `${basename(member.path)} › ${member.name}`;
  const [, year, table, letter, extent, level] = CSV.exec(basename(member.name))!;
  const header = (await firstLine(member, file)).split(',').map((name) => name.trim());
  const [, inHeader, yearInHeader] = CODE_COLUMN.exec(header[0] ?? '') ?? [];
  if (inHeader?.toUpperCase() !== level!.toUpperCase() || yearInHeader !== year) {
    throw new EtlError(
      'missing_column',
      `${file}: the first column is ${JSON.stringify((header[0] ?? '').slice(0, 60))}, not ${level}_CODE_${year} as its name says. Check that the file is a table of a short-header DataPack.`,
      { details: { file, column: header[0] } },
    );
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

async function firstLine(member: Member, file: string): Promise<string> {
  let head = Buffer.alloc(0);
  for await (const chunk of readMember(member)) {
    head = Buffer.concat([head, chunk]);
    if (head.includes(10)) break;
    if (head.length > MAX_HEADER_BYTES) {
      throw new EtlError(
        'line_too_long',
        `${file}: the header is longer than ${MAX_HEADER_BYTES} bytes. Check that this is a delimited text file.`,
        { details: { file } },
      );
    }
  }
  const end = head.indexOf(10);
  const line = head.toString('utf8', 0, end < 0 ? head.length : end);
  return line.replace(/^\uFEFF/, '').trim();
}
