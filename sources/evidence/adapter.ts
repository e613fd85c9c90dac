import { basename } from 'node:path';
import { z } from 'zod';
import { home, VALUATION_KINDS } from '../../schema/assets/valuation.ts';
import { EtlError } from '../../schema/errors.ts';
import { BOUNDS, cellBbox, inAustralia, NO_CELL } from '../../schema/grid.ts';
import { evidenceDayRecord, evidenceSaleRecord } from '../../schema/records/evidence.ts';
import { STATE_NAMES } from '../../schema/states.ts';
import type { Row } from '../../schema/table.ts';
import { readDate } from '../../transforms/market/dates.ts';
import type { Batch, DatasetConfig, Part, Release, SourceAdapter } from '../adapter.ts';
import { readCsvRows } from '../formats/csv_rows.ts';
import { bindHeader, tableRows } from '../formats/csv_table.ts';
import type { Problem } from '../formats/feature.ts';
import { filesOf, type NamedFile, releaseOf } from '../formats/file_release.ts';
import { parseOptions } from '../formats/options.ts';
import { RowBatches } from '../formats/row_batches.ts';
import {
  bindAliases,
  decimalNumber,
  type Positions,
  requireColumns,
  wholeNumber,
} from '../formats/tabular.ts';
import { Tally } from '../formats/tally.ts';

type SaleRow = Row<typeof evidenceSaleRecord>;
type HomeColumn = keyof typeof home;

/** Columns of the file, in the order in which `pipeline evidence` writes them. */
export const EVIDENCE_COLUMNS = [
  'kind',
  'event_id',
  'date',
  'price',
  'cell',
  ...(Object.keys(home) as HomeColumn[]),
] as const;
type EvidenceColumn = (typeof EVIDENCE_COLUMNS)[number];

const ALIASES = Object.fromEntries(EVIDENCE_COLUMNS.map((name) => [name, [name]])) as unknown as Record<
  EvidenceColumn,
  readonly string[]
>;

/** The name of a file says its day of valuation. */
const NAME = /^evidence_(\d{4}-\d\d-\d\d)\.csv$/i;
export const evidenceFile = (as_of: string): string => `evidence_${as_of}.csv`;

const optionsSchema = z.strictObject({});

/** What a part reads; survives structured cloning. */
interface EvidencePart extends NamedFile {
  readonly as_of: string;
}

/**
 * Sales and rents as `pipeline evidence` wrote them down: what the valuation is trained on, and takes comparables from, until the next
 * file. Of several files the newest one counts.
 */
export const evidenceAdapter: SourceAdapter = {
  name: 'evidence',
  version: 1,
  place: 'line',
  title: 'Evidence of the valuation, as it was written down',
  publisher: 'The operator, by pipeline evidence',
  licence: 'as the sales that it was made from',
  attribution: 'As the sales that it was made from.',
  tables: [evidenceSaleRecord, evidenceDayRecord],
  checkOptions: (dataset) => parseOptions(optionsSchema, dataset),
  discover,
  read: (_release, part, { signal }) => read(part.source as EvidencePart, signal),
};

async function discover(dataset: DatasetConfig): Promise<{ release: Release; parts: Part[] }> {
  parseOptions(optionsSchema, dataset);
  const files = filesOf(dataset, /\.csv$/i, 'an evidence_YYYY-MM-DD.csv');
  const parts = files.flatMap((file): EvidencePart[] => {
    const as_of = NAME.exec(basename(file.path))?.[1];
    return as_of === undefined ? [] : [{ ...file, as_of }];
  });
  if (parts.length === 0)
    throw new EtlError(
      'missing_file',
      `${files[0]!.file}: the name of evidence says its day of valuation, as in ${evidenceFile('2026-06-01')}. Check the path of dataset ${dataset.id}.`,
      { details: { dataset: dataset.id, files: files.slice(0, 20).map(({ path }) => path) } },
    );
  parts.sort((a, b) => (a.as_of < b.as_of ? 1 : -1));
  const [newest, ...older] = parts as [EvidencePart, ...EvidencePart[]];
  await bindHeader(readCsvRows(newest.path, newest.file), (header) => bindColumns(header, newest.file));
  const notes =
    older.length === 0 ? [] : [`Older evidence is not read: ${older.map(({ file }) => file).join(', ')}.`];
  const release = releaseOf(dataset, { id: newest.as_of, notes });
  return { release, parts: [{ id: 'evidence', files: [newest.path], source: newest }] };
}

function bindColumns(header: readonly string[], file: string): Positions<EvidenceColumn> {
  const positions = bindAliases<EvidenceColumn>(header, ALIASES);
  requireColumns<EvidenceColumn>(positions, EVIDENCE_COLUMNS, ALIASES, header, file);
  return positions;
}

const problem = (code: string, message: string): Problem => ({ code, message });
const shown = (text: string): string => JSON.stringify(text.slice(0, 40));

/** Whether a number is a grid cell, or says that there is none. */
function isCell(cell: number): boolean {
  if (cell === NO_CELL) return true;
  if (!(cell >= 0)) return false;
  const [minLon, minLat, maxLon, maxLat] = cellBbox(cell);
  const slack = 1e-6;
  return (
    minLon >= BOUNDS.minLon - slack &&
    minLat >= BOUNDS.minLat - slack &&
    maxLon <= BOUNDS.maxLon + slack &&
    maxLat <= BOUNDS.maxLat + slack
  );
}

/** A row as a record, or what is wrong with it. */
function readSale(
  cells: readonly string[],
  line: number,
  positions: Positions<EvidenceColumn>,
  as_of: string,
): SaleRow | Problem {
  const text = (column: EvidenceColumn): string => cells[positions[column]]!;
  for (const key of ['kind', 'gnaf_pid', 'event_id'] as const)
    if (text(key) === '') return problem('missing_key', `${key} is blank`);
  if (!(VALUATION_KINDS as readonly string[]).includes(text('kind')))
    return problem('bad_value', `kind ${shown(text('kind'))} is neither of ${VALUATION_KINDS.join(' and ')}`);
  if (!Object.hasOwn(STATE_NAMES, text('state')))
    return problem('bad_value', `state ${shown(text('state'))} is none`);
  const date = /^\d{4}-\d\d-\d\d$/.test(text('date')) ? readDate(text('date'), 'dmy') : null;
  if (date === null) return problem('bad_date', `date ${shown(text('date'))} is no YYYY-MM-DD`);
  if (!(text('date') < as_of))
    return problem('future_date', `${text('date')} is not before ${as_of}, the day of the evidence`);
  const price = decimalNumber(text('price'));
  if (!(price !== null && price > 0 && price <= 1e9))
    return problem('bad_price', `price ${shown(text('price'))}`);
  const cell = wholeNumber(text('cell'));
  if (cell === null || !isCell(cell))
    return problem('bad_number', `cell ${shown(text('cell'))} is no grid cell`);
  const row: Record<string, unknown> = {
    load_id: 0,
    source_no: line,
    cell,
    kind: text('kind'),
    event_id: text('event_id'),
    date: text('date'),
    price,
  };
  for (const [name, column] of Object.entries(home)) {
    const value = text(name as HomeColumn);
    if (column.type === 'text') {
      row[name] = value === '' ? null : value;
      continue;
    }
    const number = decimalNumber(value);
    if (Number.isNaN(number)) return problem('bad_number', `${name} ${shown(value)} is no number`);
    if (number === null && !column.nullable) return problem('missing_value', `${name} is blank`);
    row[name] = number;
  }
  const { lon, lat } = row as { lon: number | null; lat: number | null };
  if ((lon === null) !== (lat === null))
    return problem('bad_coordinate', 'lon without lat, or lat without lon');
  if (lon !== null && lat !== null && !inAustralia(lon, lat))
    return problem('outside_australia', `${lon} ${lat} is not in Australia`);
  return row as unknown as SaleRow;
}

async function* read(source: EvidencePart, signal: AbortSignal | undefined): AsyncIterable<Batch> {
  const { path, file, as_of } = source;
  const tally = new Tally(file, evidenceSaleRecord.name);
  const batches = new RowBatches(evidenceSaleRecord, tally);
  const lines = readCsvRows(path, file, { signal });
  for await (const row of tableRows(lines, (header) => bindColumns(header, file))) {
    tally.rows_in++;
    const outcome = row.problem ?? readSale(row.cells, row.line, row.columns, as_of);
    if ('code' in outcome) tally.reject(row.line, outcome.code, outcome.message);
    else {
      tally.records++;
      batches.add(outcome);
    }
    if (batches.full) yield batches.rest();
  }
  yield batches.rest();
  if (tally.rows_in === 0)
    throw new EtlError(
      'no_evidence',
      `${file} has no sale: nothing could be valued by it. Write it again, or take the dataset out.`,
      { details: { file } },
    );
  // The name of the file brings this row, and no line of it: one of which every line is rejected is refused as any other.
  yield {
    records: [{ table: evidenceDayRecord, rows: [{ load_id: 0, source_no: 1, as_of }] }],
    accounts: tally.accounts(),
  };
}
