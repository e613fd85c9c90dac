import type { Problem } from '../feature.ts';
import { LONG_LINE, TOO_LONG } from './delimited.ts';
import { STRAY_QUOTE, STRAY_QUOTE_LINE } from './stray_quotes.ts';
import type { TableLine } from './tabular.ts';

/** A row below the header. */
export interface TableRow<C> extends TableLine {
  /** What was made of the header. */
  readonly columns: C;
  /** Why the row is set aside: it is shorter or longer than the header, or its quotes do not fit. */
  readonly problem: Problem | null;
}

/** Which widths rows of a table may have. */
interface Widths {
  /** Number of columns with a name, without unnamed ones at the end. */
  readonly least: number;
  readonly most: number;
}

function widthsOf(header: readonly string[]): Widths {
  return { least: header.findLastIndex((name) => name !== '') + 1, most: header.length };
}

/**
 * Rows below the header of a table, of which `bind` makes what the rows are read with; it sees an empty header where the table
 * has none, and throws where columns are missing. Empty fields beyond the header are left out (a comma at the end of each row).
 * `needs` gives the number of fields that a row must have; without it, as many as the header.
 */
export async function* tableRows<C>(
  lines: AsyncIterable<TableLine>,
  bind: (header: readonly string[]) => C,
  needs?: (columns: C) => number,
): AsyncGenerator<TableRow<C>> {
  let columns: C | undefined;
  let widths: Widths | undefined;
  for await (const { line, cells } of lines) {
    if (widths !== undefined) {
      yield { line, cells, columns: columns as C, problem: problemOf(cells, widths) };
      continue;
    }
    columns = bind(cells);
    widths = widthsOf(cells);
    if (needs !== undefined) widths = { ...widths, least: Math.min(widths.least, needs(columns)) };
  }
  if (widths === undefined) bind([]);
}

/** What `bind` makes of the header of a table, of which no more is read. */
export async function bindHeader<C>(
  lines: AsyncIterable<TableLine>,
  bind: (header: readonly string[]) => C,
): Promise<C> {
  for await (const { cells } of lines) return bind(cells);
  return bind([]);
}

function problemOf(cells: readonly string[], { least, most }: Widths): Problem | null {
  if (cells[0] === TOO_LONG) return LONG_LINE;
  if (cells[0] === STRAY_QUOTE) return STRAY_QUOTE_LINE;
  const has = cells.length;
  if (has < least) return { code: 'short_row', message: `${has} fields instead of ${most}` };
  if (has <= most || cells.every((cell, i) => i < most || cell === '')) return null;
  return { code: 'long_row', message: `${has} fields instead of ${most}` };
}
