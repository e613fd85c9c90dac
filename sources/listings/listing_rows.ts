import { EtlError } from '../../schema/errors.ts';
import { type BytePlace, openBytes } from '../formats/archive/byte_stream.ts';
import type { Problem } from '../formats/feature.ts';
import { csvRowsOf, utf8Of } from '../formats/table/csv_rows.ts';
import { type TableRow, tableRows } from '../formats/table/csv_table.ts';
import { textBlocks } from '../formats/table/delimited.ts';
import { type ColumnPositions, cellAt, requireColumns } from '../formats/table/tabular.ts';
import type { RawEvent } from '../market/market_event.ts';
import { eventOf, LISTING_COLUMNS, type ListingsColumn, REQUIRED } from './contract.ts';

/** One row of a delivery, or why it cannot be parsed. */
export interface ListingRow extends Pick<TableRow<unknown>, 'line' | 'isLikeFootnote'> {
  readonly event: RawEvent | Problem;
}

/** Returns the position of each column of the contract, ignoring case. EtlError `missing_column`. */
function bind(header: readonly string[], file: string): ColumnPositions<ListingsColumn> {
  const names = header.map((name) => name.trim().toLowerCase());
  const twice = LISTING_COLUMNS.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (twice !== undefined)
    throw new EtlError('repeated_column', `${file}: the header names the column ${twice} twice.`, {
      details: { file, column: twice },
    });
  const positions = Object.fromEntries(
    LISTING_COLUMNS.map((name) => [name, names.includes(name) ? [names.indexOf(name)] : []]),
  ) as unknown as ColumnPositions<ListingsColumn>;
  const aliases = Object.fromEntries(LISTING_COLUMNS.map((name) => [name, [name]])) as unknown as Record<
    ListingsColumn,
    readonly string[]
  >;
  requireColumns(positions, REQUIRED, aliases, header, file);
  return positions;
}

async function* csvRows(location: BytePlace, signal?: AbortSignal): AsyncGenerator<ListingRow> {
  const lines = csvRowsOf(utf8Of(openBytes(location, signal), location.file), location.file, { signal });
  for await (const { line, cells, columns, problem, isLikeFootnote } of tableRows(lines, (header) =>
    bind(header, location.file),
  ))
    yield { line, isLikeFootnote, event: problem ?? eventOf((column) => cellAt(cells, columns[column])) };
}

function parsed(line: string): RawEvent | Problem {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    return { code: 'bad_json', message: (error as Error).message.slice(0, 200) };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { code: 'bad_json', message: 'the line is no JSON object' };
  const fields = value as Record<string, unknown>;
  return eventOf((column) => (Object.hasOwn(fields, column) ? fields[column] : undefined));
}

async function* jsonRows(location: BytePlace, signal?: AbortSignal): AsyncGenerator<ListingRow> {
  let line = 0;
  for await (const block of textBlocks(openBytes(location, signal), location.file)) {
    signal?.throwIfAborted();
    if (typeof block !== 'string') {
      yield { line: ++line, isLikeFootnote: false, event: block };
      continue;
    }
    const lines = block.split('\n');
    if (lines.at(-1) === '') lines.pop();
    for (const each of lines) {
      line++;
      if (each.trim() !== '') yield { line, isLikeFootnote: false, event: parsed(each) };
    }
  }
}

/** Reads the rows of one delivery, plain or .gz. EtlErrors: `missing_column`, `bad_csv`, `line_too_long` and the errors of openBytes. */
export function listingRows(location: BytePlace, signal?: AbortSignal): AsyncGenerator<ListingRow> {
  return /\.csv(\.gz)?$/i.test(location.path) ? csvRows(location, signal) : jsonRows(location, signal);
}
