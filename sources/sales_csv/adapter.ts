import { marketEventRecord } from '../../schema/records/market_event.ts';
import type { DatasetConfig, Part, Release, SourceAdapter } from '../adapter.ts';
import { readCsvRows } from '../formats/table/csv_rows.ts';
import { bindHeader, orFootnote, type TableRow, tableRows } from '../formats/table/csv_table.ts';
import { bindAliases, type ColumnPositions, cellAt, requireColumns } from '../formats/table/tabular.ts';
import type { EventContext, RawEvent } from '../market/market_event.ts';
import { marketEvent } from '../market/market_event_row.ts';
import { type EventRow, type MarketPart, readEventFile } from '../market/market_reading.ts';
import { filesOf, releaseOf } from '../release/file_release.ts';
import { FIELDS, type Field, readSalesOptions, type SalesOptions } from './options.ts';

/** Input for reading one table; survives structured cloning. */
interface SalesPart extends MarketPart {
  readonly options: SalesOptions;
}

/** Reads tables of sales or listings through a map of their columns; a part is a file. */
export const salesCsvAdapter: SourceAdapter = {
  name: 'sales_csv',
  version: 8,
  placeUnit: 'line',
  title: 'Tables of sales',
  publisher: 'as configured',
  licence: 'as configured',
  attribution: 'As configured for the dataset.',
  tables: [marketEventRecord],
  checkOptions: readSalesOptions,
  discover,
  readPart: (_release, part, { signal }) => {
    const source = part.source as SalesPart;
    return readEventFile(source, (context) => rowsOf(source, context, signal));
  },
};

async function discover(dataset: DatasetConfig): Promise<{ release: Release; parts: Part[] }> {
  const options = readSalesOptions(dataset);
  const parts: Part[] = [];
  for (const file of filesOf(dataset, /\.(csv|txt|tsv)$/i, 'a .csv')) {
    const source: SalesPart = { ...file, dataset: dataset.id, options };
    await bindHeader(linesOf(source), (header) => bind(header, source));
    parts.push({ id: file.file, files: [file.path], source });
  }
  return { release: releaseOf(dataset, { notes: options.terms === null ? [] : [options.terms] }), parts };
}

const linesOf = ({ path, file, options }: SalesPart, signal?: AbortSignal) =>
  readCsvRows(path, file, { delimiter: options.delimiter, signal });

/** Positions of the columns of the fields and of the filters. */
interface SalesColumnPositions {
  readonly fields: ColumnPositions<Field>;
  readonly filters: readonly { readonly at: readonly number[]; readonly keep: ReadonlySet<string> }[];
}

function bind(header: readonly string[], { file, options }: SalesPart): SalesColumnPositions {
  const { columns, filters } = options.map;
  const columnNames = Object.fromEntries(
    FIELDS.map((field) => [field, columns[field] ?? []]),
  ) as unknown as Record<Field, readonly string[]>;
  const fields = bindAliases(header, columnNames);
  requireColumns(
    fields,
    FIELDS.filter((field) => columns[field] !== undefined),
    columnNames,
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
  return { fields, filters: bound };
}

async function* rowsOf(
  source: SalesPart,
  context: EventContext,
  signal: AbortSignal | undefined,
): AsyncGenerator<EventRow> {
  for await (const row of tableRows(linesOf(source, signal), (header) => bind(header, source)))
    yield { line: row.line, event: orFootnote(row, row.problem ?? eventOf(row, source, context)) };
}

function eventOf(
  { cells, line, columns: { fields, filters } }: TableRow<SalesColumnPositions>,
  { options, dataset }: SalesPart,
  context: EventContext,
): EventRow['event'] {
  if (filters.some(({ at, keep }) => !keep.has(cellAt(cells, at).toLowerCase()))) return { drop: 'filtered' };
  const values = Object.fromEntries(FIELDS.map((field) => [field, cellAt(cells, fields[field])])) as Record<
    Field,
    string
  >;
  const { address, unit, number, street, suburb, postcode } = values;
  const addressText = [unit, number, address, street, suburb, postcode]
    .filter((each) => each !== '')
    .join(' ');
  const raw: RawEvent = {
    ...values,
    source: options.source ?? dataset,
    source_id: values.source_id === '' ? addressText.slice(0, 200) : values.source_id,
    event_type: values.event_type === '' ? options.map.event_type : values.event_type,
    channel: channelOf(options.map.event_type, values.price_period),
    property_type: options.map.types[values.property_type.toLowerCase()] ?? values.property_type,
  };
  return marketEvent(raw, line, context);
}

/** Returns the channel of an event type that does not imply one: rent if a rent period is stated. */
const channelOf = (event_type: string, period: string): string =>
  event_type === 'sold' || event_type === 'leased' ? '' : period === '' ? 'sale' : 'rent';
