import type { CensusLevel } from '../../schema/records/census.ts';
import { missingColumns } from '../formats/table/columns.ts';
import type { CensusFile } from './census_files.ts';
import { FIGURE_NAMES, FIGURES, LETTERS } from './figures.ts';
import { type CountColumn, censusSubject, countColumn } from './subjects.ts';

/** A file and its columns that are read. Survives structured cloning. */
export interface BoundFile extends Omit<CensusFile, 'header'> {
  readonly codeColumn: string;
  /** Columns of figures: name in the header, index in FIGURE_NAMES. A column used by several figures is listed several times. */
  readonly figures: readonly (readonly [column: string, figure: number])[];
  readonly counts: readonly CountColumn[];
}

/** Binds the files of one level: every figure whose table exists must find its columns. Returns notes for the run report. */
export function bindLevel(
  files: readonly CensusFile[],
  year: number,
  level: CensusLevel,
  withCounts: boolean,
  tables: readonly string[],
): { bound: BoundFile[]; notes: string[] } {
  const notes: string[] = [];
  const bound: BoundFile[] = [];
  const absent: string[] = [];
  for (const table of tables) {
    const tableFiles = files.filter((file) => file.table === table);
    if (tableFiles.length === 0) absent.push(table);
    for (const extent of new Set(tableFiles.map((file) => file.extent))) {
      const pack = tableFiles.filter((file) => file.extent === extent);
      const lacking = missingLetters(table, pack);
      const unnamed = lackingColumns(table, pack, withCounts);
      if (lacking !== '')
        notes.push(`${level} ${year}: ${extent} has no part ${lacking} of ${table}: its figures are null.`);
      else if (unnamed.length > 0) {
        const { file, header } = pack[0]!;
        throw missingColumns(
          file,
          unnamed,
          header,
          'Check that it is a short-header General Community Profile.',
        );
      }
    }
    // All packs of a letter follow one another, so a region in two packs is found in the second.
    for (const file of tableFiles) bound.push(bindFile(file, withCounts));
  }
  if (absent.length > 0)
    notes.push(
      `${level} ${year}: no table ${absent.join(', ')}: their figures are null and their counts absent.`,
    );
  const isRead = ({ figures, counts }: BoundFile): boolean => figures.length + counts.length > 0;
  const unread = bound.filter((file) => !isRead(file)).map(({ table, letter }) => table + letter);
  if (unread.length > 0)
    notes.push(`${level} ${year}: not needed and not read: ${[...new Set(unread)].join(', ')}.`);
  return { bound: bound.filter(isRead), notes };
}

/** Returns letters of a wide table that the pack lacks; empty: the table is whole. */
function missingLetters(table: string, pack: readonly CensusFile[]): string {
  if (pack.some(({ letter }) => letter === '')) return '';
  const letters = new Set(pack.map(({ letter }) => letter));
  return [...(LETTERS[table] ?? '')].filter((letter) => !letters.has(letter)).join(', ');
}

const namesOf = (pack: readonly CensusFile[]): Set<string> =>
  new Set(pack.flatMap(({ header }) => header.map((name) => name.toUpperCase())));

/** Returns columns that no file of the pack has, named as in the latest year. */
function lackingColumns(table: string, pack: readonly CensusFile[], withCounts: boolean): string[] {
  const names = namesOf(pack);
  const lacking = Object.values(FIGURES)
    .filter((figure) => figure.table === table && !figure.isOptional)
    .flatMap(({ columns }) => columns)
    .filter((aliases) => !aliases.some((alias) => names.has(alias.toUpperCase())))
    .map((aliases) => aliases.join(' or '));
  const subject = withCounts ? censusSubject(table) : null;
  const hasCounts = pack.some(({ header }) => header.some((name) => countColumn(table, name) !== null));
  return subject === null || hasCounts ? lacking : [...lacking, `any count of ${subject}`];
}

function bindFile({ header, ...file }: CensusFile, withCounts: boolean): BoundFile {
  const positions = new Map<string, string>();
  for (const name of header) if (!positions.has(name.toUpperCase())) positions.set(name.toUpperCase(), name);
  const figures: [string, number][] = [];
  FIGURE_NAMES.forEach((name, figure) => {
    const { table, columns, isOptional } = FIGURES[name];
    if (table !== file.table) return;
    const boundNames = columns.map((aliases) => aliases.find((alias) => positions.has(alias.toUpperCase())));
    // A sum that lacks a term would pass for the whole.
    if (isOptional && boundNames.includes(undefined)) return;
    for (const column of boundNames) if (column !== undefined) figures.push([column.toUpperCase(), figure]);
  });
  const counts = withCounts
    ? [...positions.values()].flatMap((name) => countColumn(file.table, name) ?? [])
    : [];
  return { ...file, codeColumn: header[0]!.toUpperCase(), figures, counts };
}
