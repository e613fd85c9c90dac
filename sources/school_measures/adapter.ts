import { z } from 'zod';
import { schoolMeasureRecord } from '../../schema/records/school.ts';
import type { Row } from '../../schema/table.ts';
import type { InputAccount, Part, ReadContext, Release, SourceAdapter, SourceBatch } from '../adapter.ts';
import type { Problem } from '../formats/feature.ts';
import { readCsvRows } from '../formats/table/csv_rows.ts';
import { bindHeader, orFootnote, tableRows } from '../formats/table/csv_table.ts';
import {
  bindAliases,
  type ColumnPositions,
  cellAt,
  decimalNumber,
  requireColumns,
  wholeNumber,
} from '../formats/table/tabular.ts';
import { filesOf, type NamedFile, releaseOf } from '../release/file_release.ts';
import { parseOptions } from '../release/options.ts';
import { RowBatches } from '../release/row_batches.ts';
import { RowTally } from '../tally.ts';

type SchoolMeasureRow = Row<typeof schoolMeasureRecord>;
type MeasureRow = { -readonly [K in keyof SchoolMeasureRow]: SchoolMeasureRow[K] };

/** Columns of the operator's file; acara_id and year are required. */
const COLUMNS = {
  acara_id: ['acara_id'],
  year: ['year'],
  attendance_rate: ['attendance_rate'],
  naplan_mean: ['naplan_mean'],
  icsea: ['icsea'],
} as const;
type SchoolMeasureColumn = keyof typeof COLUMNS;

/** Maximum of each measure: per cent, the NAPLAN scale, and ICSEA (mean 1000, standard deviation 100). */
const MAX = { attendance_rate: 100, naplan_mean: 1000, icsea: 2000 } as const;
const optionsSchema = z.strictObject({});

/**
 * Reads measures of schools from an operator's own CSV: `acara_id,year,attendance_rate,naplan_mean,icsea`, one row for each school and
 * year. The publisher's terms do not allow free use, so the dataset is not used until its licence is accepted.
 */
export const schoolMeasuresAdapter: SourceAdapter = {
  name: 'school_measures',
  version: 4,
  placeUnit: 'line',
  title: 'School measures: attendance, NAPLAN mean, ICSEA',
  publisher: 'The operator, under an agreement of their own with ACARA',
  licence: 'ACARA data access agreement',
  attribution: 'School measures: as the agreement of the operator says.',
  tables: [schoolMeasureRecord],
  checkOptions: (dataset) => parseOptions(optionsSchema, dataset),
  async discover(dataset) {
    parseOptions(optionsSchema, dataset);
    const files = filesOf(dataset, /\.csv$/i, 'a .csv');
    for (const { path, file } of files)
      await bindHeader(readCsvRows(path, file), (header) => bindColumns(header, file));
    const release = releaseOf(dataset, { id: files[0]!.file });
    return { release, parts: [{ id: 'measures', source: files }] };
  },
  readPart: readPart,
};

function bindColumns(header: readonly string[], file: string): ColumnPositions<SchoolMeasureColumn> {
  const positions = bindAliases<SchoolMeasureColumn>(header, COLUMNS);
  requireColumns<SchoolMeasureColumn>(positions, ['acara_id', 'year'], COLUMNS, header, file);
  return positions;
}

/** Reads a row as a record, a drop or a reject. */
function readMeasures(
  cells: readonly string[],
  line: number,
  positions: ColumnPositions<SchoolMeasureColumn>,
): MeasureRow | { drop: string } | Problem {
  const text = (column: SchoolMeasureColumn): string => cellAt(cells, positions[column]);
  const school_id = wholeNumber(text('acara_id'));
  const year = wholeNumber(text('year'));
  if (school_id === null || year === null)
    return { code: 'missing_key', message: 'acara_id or year is blank' };
  if (!(school_id > 0) || !(year >= 2008 && year <= 2100))
    return { code: 'bad_number', message: `acara_id ${text('acara_id')}, year ${text('year')}` };
  const row: MeasureRow = {
    load_id: 0,
    source_no: line,
    school_id,
    year,
    attendance_rate: null,
    naplan_mean: null,
    icsea: null,
  };
  let statedCount = 0;
  for (const column of Object.keys(MAX) as (keyof typeof MAX)[]) {
    const value = decimalNumber(text(column));
    if (value === null) continue;
    if (!(value >= 0 && value <= MAX[column])) {
      const quoted = JSON.stringify(text(column).slice(0, 40));
      return { code: 'bad_number', message: `${column} ${quoted} is no number from 0 to ${MAX[column]}` };
    }
    row[column] = column === 'icsea' ? Math.round(value) : value;
    statedCount++;
  }
  return statedCount === 0 ? { drop: 'no_measure' } : row;
}

async function* readPart(_release: Release, part: Part, { signal }: ReadContext): AsyncIterable<SourceBatch> {
  const accounts: InputAccount[] = [];
  /** Schools and years of all files, to find repeats. */
  const seenIds = new Set<string>();
  for (const { path, file } of part.source as readonly NamedFile[]) {
    signal?.throwIfAborted();
    const tally = new RowTally(file, schoolMeasureRecord.name);
    const batches = new RowBatches(schoolMeasureRecord, tally);
    const lines = readCsvRows(path, file, { signal });
    for await (const row of tableRows(lines, (header) => bindColumns(header, file))) {
      tally.rows_in++;
      const outcome = orFootnote(row, row.problem ?? readMeasures(row.cells, row.line, row.columns));
      if ('drop' in outcome) tally.drop(outcome.drop);
      else if ('code' in outcome) tally.reject(row.line, outcome.code, outcome.message);
      else if (seenIds.has(`${outcome.school_id} ${outcome.year}`)) {
        const { school_id, year } = outcome;
        tally.reject(row.line, 'duplicate_key', `school ${school_id} has a row for ${year} already`);
      } else {
        seenIds.add(`${outcome.school_id} ${outcome.year}`);
        tally.records++;
        batches.add(outcome);
      }
      if (batches.full) yield batches.rest();
    }
    yield batches.rest();
    accounts.push(...tally.accounts());
  }
  yield { accounts };
}
