import { basename } from 'node:path';
import { z } from 'zod';
import { EtlError } from '../../schema/errors.ts';
import { NO_CELL } from '../../schema/grid.ts';
import { schoolMeasureRecord } from '../../schema/records/school.ts';
import type { Row } from '../../schema/table.ts';
import type { Batch, InputAccount, Part, RecordBatch, Release, SourceAdapter } from '../adapter.ts';
import { readCsvRows } from '../formats/csv_rows.ts';
import { parseOptions } from '../formats/options.ts';
import {
  bindAliases,
  decimalNumber,
  type Positions,
  requireColumns,
  wholeNumber,
} from '../formats/tabular.ts';
import { Tally } from '../formats/tally.ts';

type Declared = Row<typeof schoolMeasureRecord>;
type MeasureRow = { -readonly [K in keyof Declared]: Declared[K] };

/** Columns of the operator's file; acara_id and year are needed. */
const COLUMNS = {
  acara_id: ['acara_id'],
  year: ['year'],
  attendance_rate: ['attendance_rate'],
  naplan_mean: ['naplan_mean'],
  icsea: ['icsea'],
} as const;
type Column = keyof typeof COLUMNS;

/** Largest value of each measure: per cent, the NAPLAN scale, and ICSEA (mean 1000, standard deviation 100). */
const MAX = { attendance_rate: 100, naplan_mean: 1000, icsea: 2000 } as const;
const BATCH_ROWS = 4096;
const optionsSchema = z.strictObject({});

/**
 * Measures of schools from an operator's own CSV: `acara_id,year,attendance_rate,naplan_mean,icsea`, one row for each school and
 * year. The publisher's terms do not allow their free use, so the dataset counts for nothing until its licence is accepted.
 */
export const schoolMeasuresAdapter: SourceAdapter = {
  name: 'school_measures',
  version: 1,
  place: 'line',
  title: 'School measures: attendance, NAPLAN mean, ICSEA',
  publisher: 'The operator, under an agreement of their own with ACARA',
  licence: 'ACARA data access agreement',
  attribution: 'School measures: as the agreement of the operator says.',
  tables: [schoolMeasureRecord],
  async discover(dataset) {
    parseOptions(optionsSchema, dataset);
    const files = dataset.files.filter(({ path }) => /\.csv$/i.test(path));
    if (files.length === 0) {
      throw new EtlError(
        'missing_file',
        `dataset ${dataset.id}: none of its files is a .csv. Check the path of the dataset.`,
        { details: { dataset: dataset.id } },
      );
    }
    for (const { path } of files) {
      let header: readonly string[] = [];
      for await (const { cells } of readCsvRows(path, basename(path))) {
        header = cells;
        break;
      }
      bindColumns(header, basename(path));
    }
    const crs = { applied: 'EPSG:7844', stated: null, overridden: false };
    const id = dataset.release ?? basename(files[0]!.path);
    return {
      release: { dataset, id, crs, notes: [] },
      parts: [{ id: 'measures', source: files.map(({ path }) => path) }],
    };
  },
  read,
};

function bindColumns(header: readonly string[], file: string): Positions<Column> {
  const positions = bindAliases<Column>(header, COLUMNS);
  requireColumns<Column>(positions, ['acara_id', 'year'], COLUMNS, header, file);
  return positions;
}

/** A row as a record, as a drop, or as what is wrong with it. */
function readMeasures(
  cells: readonly string[],
  line: number,
  positions: Positions<Column>,
): MeasureRow | { drop: string } | { reject: string; message: string } {
  const text = (column: Column): string => (positions[column] < 0 ? '' : (cells[positions[column]] ?? ''));
  const school_id = wholeNumber(text('acara_id'));
  const year = wholeNumber(text('year'));
  if (school_id === null || year === null)
    return { reject: 'missing_key', message: 'acara_id or year is blank' };
  if (!(school_id > 0) || !(year >= 2008 && year <= 2100))
    return { reject: 'bad_number', message: `acara_id ${text('acara_id')}, year ${text('year')}` };
  const row: MeasureRow = {
    load_id: 0,
    source_no: line,
    cell: NO_CELL,
    school_id,
    year,
    attendance_rate: null,
    naplan_mean: null,
    icsea: null,
  };
  let stated = 0;
  for (const column of Object.keys(MAX) as (keyof typeof MAX)[]) {
    const value = decimalNumber(text(column));
    if (value === null) continue;
    if (!(value >= 0 && value <= MAX[column])) {
      const given = JSON.stringify(text(column).slice(0, 40));
      return { reject: 'bad_number', message: `${column} ${given} is no number from 0 to ${MAX[column]}` };
    }
    row[column] = column === 'icsea' ? Math.round(value) : value;
    stated++;
  }
  return stated === 0 ? { drop: 'no_measure' } : row;
}

async function* read(
  _release: Release,
  part: Part,
  { signal }: { signal?: AbortSignal },
): AsyncIterable<Batch> {
  const accounts: InputAccount[] = [];
  const seen = new Set<string>();
  for (const path of part.source as readonly string[]) {
    signal?.throwIfAborted();
    const tally = new Tally(basename(path), schoolMeasureRecord.name);
    let rows: MeasureRow[] = [];
    for await (const row of readFile(path, seen, tally, signal)) {
      rows.push(row);
      if (rows.length < BATCH_ROWS) continue;
      yield batchOf(rows, tally);
      rows = [];
    }
    yield batchOf(rows, tally);
    accounts.push(...tally.accounts());
  }
  yield { accounts };
}

const batchOf = (rows: MeasureRow[], tally: Tally): Batch => ({
  records: [{ table: schoolMeasureRecord, rows } as RecordBatch],
  rejects: tally.takeRejects(),
});

/** The records of one file; `seen` holds the schools and years of all files. */
async function* readFile(
  path: string,
  seen: Set<string>,
  tally: Tally,
  signal?: AbortSignal,
): AsyncGenerator<MeasureRow> {
  const file = basename(path);
  let positions: Positions<Column> | null = null;
  let width = 0;
  for await (const { line, cells } of readCsvRows(path, file, signal === undefined ? {} : { signal })) {
    if (positions === null) {
      positions = bindColumns(cells, file);
      width = cells.length;
      continue;
    }
    tally.rows_in++;
    if (cells.length !== width) {
      const code = cells.length < width ? 'short_row' : 'long_row';
      tally.reject(line, code, `${cells.length} fields instead of ${width}`);
      continue;
    }
    const outcome = readMeasures(cells, line, positions);
    if ('drop' in outcome) tally.drop(outcome.drop);
    else if ('reject' in outcome) tally.reject(line, outcome.reject, outcome.message);
    else if (seen.has(`${outcome.school_id} ${outcome.year}`)) {
      const { school_id, year } = outcome;
      tally.reject(line, 'duplicate_key', `school ${school_id} has a row for ${year} already`);
    } else {
      seen.add(`${outcome.school_id} ${outcome.year}`);
      tally.records++;
      yield outcome;
    }
  }
}
