import { z } from 'zod';
import { EtlError } from '../../schema/errors.ts';
import { type CensusLevel, EDITION_OF_CENSUS } from '../../schema/records/census.ts';
import { seifaRecord } from '../../schema/records/seifa.ts';
import type { Row } from '../../schema/table.ts';
import type {
  InputAccount,
  Part,
  ReadContext,
  RecordBatch,
  Release,
  SourceAdapter,
  SourceBatch,
} from '../adapter.ts';
import { decimalNumber } from '../formats/table/tabular.ts';
import { openWorkbook, type SheetRow } from '../formats/table/workbook.ts';
import { filesOf, releaseOf } from '../release/file_release.ts';
import { parseOptions } from '../release/options.ts';
import { RowTally } from '../tally.ts';
import { layoutOf, type SEIFA_MEASURES, type SeifaLayout } from './sheet.ts';

type SeifaRecordRow = Row<typeof seifaRecord>;
type SeifaRow = { -readonly [K in keyof SeifaRecordRow]: SeifaRecordRow[K] };

/** One workbook: the indexes of one level. */
interface SeifaPart {
  readonly path: string;
  readonly file: string;
  readonly level: CensusLevel;
  readonly year: number;
}

const BATCH_ROWS = 4096;
const optionsSchema = z.strictObject({ year: z.int().min(1986).max(2100).optional() });

/** Patterns that find the level in the name of a workbook. */
const LEVEL_NAMES: readonly (readonly [CensusLevel, RegExp])[] = [
  ['SA1', /statistical area level 1|(^|[^a-z0-9])sa1([^a-z0-9]|$)/i],
  ['SA2', /statistical area level 2|(^|[^a-z0-9])sa2([^a-z0-9]|$)/i],
  ['SAL', /suburbs? and localit|(^|[^a-z0-9])sal([^a-z0-9]|$)/i],
  ['LGA', /local government|(^|[^a-z0-9])lga([^a-z0-9]|$)/i],
  ['POA', /postal area|(^|[^a-z0-9])poa([^a-z0-9]|$)/i],
];
const CODE_OF: Readonly<Partial<Record<CensusLevel, RegExp>>> = {
  SA1: /^[1-9]\d{10}$/,
  SA2: /^[1-9]\d{8}$/,
  SAL: /^[1-9]\d{4}$/,
  LGA: /^[1-9]\d{4}$/,
  POA: /^\d{4}$/,
};
/** Cells that mean null. */
const NO_VALUE = /^(-|–|—|\.\.|np|n\/?a)?$/i;

/** Reads the Socio-Economic Indexes for Areas: the index workbooks of SA1, SA2, SAL, LGA and POA; a part is one workbook. */
export const seifaAdapter: SourceAdapter = {
  name: 'seifa',
  version: 1,
  placeUnit: 'line',
  title: 'Socio-Economic Indexes for Areas (SEIFA)',
  publisher: 'Australian Bureau of Statistics',
  licence: 'CC-BY-4.0',
  attribution: 'Based on Australian Bureau of Statistics data, Socio-Economic Indexes for Areas.',
  tables: [seifaRecord],
  checkOptions: (dataset) => parseOptions(optionsSchema, dataset),
  async discover(dataset) {
    const { year } = parseOptions(optionsSchema, dataset);
    const sources: SeifaPart[] = [];
    for (const { path, file } of filesOf(dataset, /\.xlsx$/i, 'an .xlsx workbook of indexes')) {
      await openWorkbook(path, file);
      sources.push({ path, file, level: levelOf(file), year: yearOf(file, year ?? null) });
    }
    const years = [...new Set(sources.map((source) => source.year))].sort();
    return { release: releaseOf(dataset, { id: years.join(', ') }), parts: partsOf(sources) };
  },
  readPart: readPart,
};

/** Returns a part for each workbook; refuses two of one level and year, which would repeat each region. */
function partsOf(sources: readonly SeifaPart[]): Part[] {
  const parts = new Map<string, Part>();
  for (const source of sources) {
    const id = `${source.year} ${source.level}`;
    const existing = parts.get(id);
    if (existing !== undefined) {
      const file = (existing.source as SeifaPart).file;
      throw new EtlError(
        'repeated_file',
        `${source.file} and ${file} are both the indexes of ${source.level} ${source.year}. Configure one of them.`,
        { details: { files: [file, source.file] } },
      );
    }
    parts.set(id, { id, source });
  }
  return [...parts.values()];
}

function levelOf(file: string): CensusLevel {
  const words = file.replaceAll('_', ' ');
  const level = LEVEL_NAMES.find(([, name]) => name.test(words))?.[0];
  if (level !== undefined) return level;
  throw new EtlError(
    'unknown_region_level',
    `${file}: the name says no level. Keep the name of the publisher, such as "Statistical Area Level 2, Indexes, SEIFA 2021.xlsx", or put SA1, SA2, SAL, LGA or POA into it.`,
    { details: { file } },
  );
}

function yearOf(file: string, configured: number | null): number {
  const year = configured ?? Number(/(?<!\d)(?:19|20)\d\d(?!\d)/.exec(file)?.[0] ?? 0);
  if (EDITION_OF_CENSUS[year] !== undefined) return year;
  throw new EtlError(
    'unknown_census_year',
    `${file}: the name says no Census year that is known (${Object.keys(EDITION_OF_CENSUS).join(', ')}). Set the option year.`,
    { details: { file } },
  );
}

async function* readPart(_release: Release, part: Part, { signal }: ReadContext): AsyncIterable<SourceBatch> {
  signal?.throwIfAborted();
  const source = part.source as SeifaPart;
  const workbook = await openWorkbook(source.path, source.file);
  const regions = new Map<string, SeifaRow>();
  const accounts: InputAccount[] = [];
  const unread: string[] = [];
  for (const sheet of workbook.sheets) {
    const rows = await workbook.read(sheet, signal);
    const layout = layoutOf(rows);
    if (layout === null) {
      unread.push(sheet);
      continue;
    }
    const tally = new RowTally(`${source.file} › ${sheet}`, seifaRecord.name);
    addSheet(rows.slice(layout.header + 1), layout, source, regions, tally);
    accounts.push(...tally.accounts());
    yield { rejects: tally.takeRejects() };
  }
  if (accounts.length === 0) throw noIndexes(source, workbook.sheets);
  const all = [...regions.values()];
  for (let i = 0; i < all.length; i += BATCH_ROWS) {
    signal?.throwIfAborted();
    yield { records: [{ table: seifaRecord, rows: all.slice(i, i + BATCH_ROWS) } as RecordBatch] };
  }
  const notes =
    unread.length === 0 ? [] : [`${source.file}: sheets that are no index: ${unread.join(', ')}.`];
  yield { accounts, notes };
}

const noIndexes = ({ file }: SeifaPart, sheets: readonly string[]): EtlError =>
  new EtlError(
    'missing_sheet',
    `${file}: no sheet has columns Score and Decile below the name of an index; there are ${sheets.join(', ')}. Check that it is a workbook of indexes.`,
    { details: { file, sheets } },
  );

/** Adds the rows below the header of a sheet. A value that a later sheet repeats replaces the earlier one. */
function addSheet(
  rows: readonly SheetRow[],
  layout: SeifaLayout,
  source: SeifaPart,
  regions: Map<string, SeifaRow>,
  tally: RowTally,
): void {
  const codes = new Set<string>();
  for (const { line, cells } of rows) {
    if (cells.every((cell) => cell === '')) continue;
    tally.rows_in++;
    const codeText = cells[layout.code] ?? '';
    const code = codeText.replace(/^[A-Z]{3}(?=\d)/, '').replace(/\.0+$/, '');
    const padded = source.level === 'POA' && /^\d{3}$/.test(code) ? code.padStart(4, '0') : code;
    if (!CODE_OF[source.level]!.test(padded)) {
      // Copyright and notes are below the table, in the first column or across.
      if (cells.filter((cell) => cell !== '').length === 1) tally.drop('footnote');
      else
        tally.reject(line, 'bad_code', `${JSON.stringify(codeText.slice(0, 60))} is no ${source.level} code`);
      continue;
    }
    if (codes.has(padded)) {
      tally.drop('repeated_region');
      continue;
    }
    const values = readValues(cells, layout);
    if (typeof values === 'string') {
      tally.reject(line, 'bad_number', `${source.level} ${padded}: ${values}`);
      continue;
    }
    codes.add(padded);
    const region = regions.get(padded);
    if (region === undefined) tally.records++;
    else tally.merged++;
    regions.set(padded, Object.assign(region ?? emptyRow(source, padded, line), values));
  }
}

function emptyRow({ year, level }: SeifaPart, code: string, line: number): SeifaRow {
  const row: Record<string, unknown> = {};
  for (const name of Object.keys(seifaRecord.columns)) row[name] = null;
  const edition = EDITION_OF_CENSUS[year]!;
  return Object.assign(row, { load_id: 0, source_no: line, edition, year, level, code }) as SeifaRow;
}

/** Maximum of each measure: scores are around 1000; ranks are within the SA1s of the nation. */
const LIMITS: Readonly<Record<(typeof SEIFA_MEASURES)[number], number>> = {
  score: 2000,
  rank: 1_000_000,
  decile: 10,
  percentile: 100,
  state_rank: 1_000_000,
  state_decile: 10,
  state_percentile: 100,
};

/** Returns the stated values of a row by column, or a message if one is not a number. */
function readValues(cells: readonly string[], layout: SeifaLayout): Record<string, number> | string {
  const values: Record<string, number> = {};
  const measures = layout.measures.map(({ index, measure, at }) => ({
    name: `${index}_${measure}`,
    at,
    max: LIMITS[measure],
    isWhole: measure !== 'score',
  }));
  if (layout.population >= 0)
    measures.push({ name: 'population', at: layout.population, max: 1e8, isWhole: true });
  for (const { name, at, max, isWhole } of measures) {
    const text = cells[at] ?? '';
    if (NO_VALUE.test(text)) continue;
    const value = decimalNumber(text.replaceAll(',', ''));
    if (value === null || !(value >= 0 && value <= max))
      return `${name} ${JSON.stringify(text.slice(0, 40))} is no number from 0 to ${max}`;
    values[name] = isWhole ? Math.round(value) : value;
  }
  return values;
}
