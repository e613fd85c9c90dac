import { basename } from 'node:path';
import { EtlError } from '../../schema/errors.ts';
import { marketEventRecord } from '../../schema/records/market_event.ts';
import type { Batch, DatasetConfig, Part, RecordBatch, Release, SourceAdapter } from '../adapter.ts';
import { type CsvRow, readCsvRows } from '../formats/csv_rows.ts';
import type { Problem } from '../formats/feature.ts';
import type { EventContext, MarketEvent, RawEvent } from '../formats/market_event.ts';
import { EventNotes } from '../formats/market_event_notes.ts';
import { marketEvent } from '../formats/market_event_row.ts';
import { dayInName } from '../formats/market_options.ts';
import { releaseLabel } from '../formats/release_label.ts';
import { RepeatedKeys } from '../formats/repeated_keys.ts';
import { bindAliases, type Positions, requireColumns } from '../formats/tabular.ts';
import { Tally } from '../formats/tally.ts';
import { FIELDS, type Field, readSalesOptions, type SalesOptions } from './options.ts';

const BATCH_ROWS = 2048;

/** What reading one table needs; survives structured cloning. */
interface SalesPart {
  readonly path: string;
  readonly file: string;
  readonly dataset: string;
  readonly options: SalesOptions;
}

/** Tables of sales or listings through a map of their columns; a part is a file. */
export const salesCsvAdapter: SourceAdapter = {
  name: 'sales_csv',
  version: 1,
  place: 'line',
  title: 'Tables of sales',
  publisher: 'as configured',
  licence: 'as configured',
  attribution: 'As configured for the dataset.',
  tables: [marketEventRecord],
  discover,
  read,
};

async function discover(dataset: DatasetConfig): Promise<{ release: Release; parts: Part[] }> {
  const options = readSalesOptions(dataset);
  const parts: Part[] = [];
  for (const { path } of dataset.files) {
    if (!/\.(csv|txt|tsv)$/i.test(path)) continue;
    const name = basename(path);
    const file = parts.some((part) => part.id === name) ? path : name;
    const source: SalesPart = { path, file, dataset: dataset.id, options };
    await readHeader(source);
    parts.push({ id: file, files: [path], source });
  }
  if (parts.length === 0)
    throw new EtlError(
      'missing_file',
      `dataset ${dataset.id}: no .csv among its ${dataset.files.length} files. Check the configured pattern.`,
      { details: { dataset: dataset.id } },
    );
  const names = dataset.files.map(({ path }) => ({ file: basename(path), changed: null }));
  const crs = { applied: 'EPSG:7844', stated: null, overridden: false };
  const notes = options.terms === null ? [] : [options.terms];
  return { release: { dataset, id: dataset.release ?? releaseLabel(dataset, names), crs, notes }, parts };
}

async function readHeader(source: SalesPart): Promise<void> {
  const { path, file, options } = source;
  for await (const { cells } of readCsvRows(path, file, { delimiter: options.delimiter })) {
    bind(cells, source);
    return;
  }
  bind([], source);
}

/** Where the columns of the fields and of the filters stand. */
interface Bound {
  readonly width: number;
  readonly fields: Positions<Field>;
  readonly filters: readonly { readonly at: number; readonly keep: ReadonlySet<string> }[];
}

function bind(header: readonly string[], { file, options }: SalesPart): Bound {
  const { columns, filters } = options.map;
  const wanted = Object.fromEntries(
    FIELDS.map((field) => [field, columns[field] ?? []]),
  ) as unknown as Record<Field, readonly string[]>;
  const fields = bindAliases(header, wanted);
  requireColumns(
    fields,
    FIELDS.filter((field) => columns[field] !== undefined),
    wanted,
    header,
    file,
  );
  const names = Object.fromEntries(filters.map(({ column }) => [column, [column]]));
  const positions = bindAliases(header, names);
  requireColumns(positions, Object.keys(names), names, header, file);
  const bound = filters.map(({ column, keep }) => ({
    at: positions[column]!,
    keep: new Set(keep.map((value) => value.toLowerCase())),
  }));
  return { width: header.length, fields, filters: bound };
}

/** Rows of a table as events, problems or, where a filter leaves them out, null. */
async function* eventsOf(
  source: SalesPart,
  notes: EventNotes,
  signal?: AbortSignal,
): AsyncGenerator<{ line: number; event: MarketEvent | Problem | null }> {
  const { path, file, dataset, options } = source;
  const { date_order, rent_bounds, state } = options;
  const as_of = dayInName(file) ?? options.as_of;
  const context: EventContext = { dataset, file, date_order, rent_bounds, state, as_of, notes };
  let bound: Bound | null = null;
  for await (const row of readCsvRows(path, file, {
    delimiter: options.delimiter,
    ...(signal && { signal }),
  })) {
    if (bound === null) bound = bind(row.cells, source);
    else yield { line: row.line, event: eventOf(row, bound, source, context) };
  }
}

function eventOf(
  { cells, line }: CsvRow,
  { width, fields, filters }: Bound,
  { options, dataset }: SalesPart,
  context: EventContext,
): MarketEvent | Problem | null {
  if (cells.length !== width) {
    const code = cells.length < width ? 'short_row' : 'long_row';
    return { code, message: `${cells.length} fields instead of ${width}` };
  }
  if (filters.some(({ at, keep }) => !keep.has(cells[at]!.toLowerCase()))) return null;
  const values = Object.fromEntries(
    FIELDS.map((field) => [field, fields[field] < 0 ? '' : cells[fields[field]]!]),
  ) as Record<Field, string>;
  const { address, unit, number, street, suburb, postcode } = values;
  const place = [unit, number, address, street, suburb, postcode].filter((each) => each !== '').join(' ');
  const raw: RawEvent = {
    ...values,
    source: options.source ?? dataset,
    source_id: values.source_id === '' ? place.slice(0, 200) : values.source_id,
    event_type: values.event_type === '' ? options.map.event_type : values.event_type,
    channel: channelOf(options.map.event_type, values.price_period),
    property_type: options.map.types[values.property_type.toLowerCase()] ?? values.property_type,
  };
  return marketEvent(raw, line, context);
}

/** Channel of event types that leave it open: rent where a period of rent is stated. */
const channelOf = (event_type: string, period: string): string =>
  event_type === 'sold' || event_type === 'leased' ? '' : period === '' ? 'sale' : 'rent';

async function* read(
  _release: Release,
  part: Part,
  { signal }: { signal?: AbortSignal },
): AsyncIterable<Batch> {
  signal?.throwIfAborted();
  const source = part.source as SalesPart;
  const keys = new RepeatedKeys();
  for await (const { event } of eventsOf(source, new EventNotes(), signal)) {
    if (event !== null && !('code' in event))
      keys.add(event.event_key, event.observed_at === null ? -Infinity : Date.parse(event.observed_at));
  }
  const replaced = keys.replaced();
  const notes = new EventNotes();
  const tally = new Tally(source.file, marketEventRecord.name);
  let rows: MarketEvent[] = [];
  let taken = 0;
  for await (const { line, event } of eventsOf(source, notes, signal)) {
    tally.rows_in++;
    if (event === null) tally.drop('filtered');
    else if ('code' in event) tally.reject(line, event.code, event.message);
    else if (replaced.has(taken++)) tally.drop('superseded');
    else {
      tally.records++;
      rows.push(event);
    }
    if (tally.rows_in % BATCH_ROWS !== 0) continue;
    yield { records: batchOf(rows), rejects: tally.takeRejects() };
    rows = [];
  }
  const { date_order } = source.options;
  yield {
    records: batchOf(rows),
    rejects: tally.takeRejects(),
    accounts: tally.accounts(),
    notes: notes.sentences(source.file, date_order),
  };
}

const batchOf = (rows: MarketEvent[]): RecordBatch[] =>
  rows.length === 0 ? [] : [{ table: marketEventRecord, rows } as unknown as RecordBatch];
