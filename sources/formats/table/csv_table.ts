import type { Problem } from '../feature.ts';
import { LONG_LINE, TOO_LONG } from './delimited.ts';
import { STRAY_QUOTE, STRAY_QUOTE_LINE } from './stray_quotes.ts';
import type { TableLine } from './tabular.ts';

/** A row below the header. */
export interface TableRow<C> extends TableLine {
  /** Result of `bind` for the header. */
  readonly columns: C;
  /** Why the row is rejected: shorter or longer than the header, or unbalanced quotes. */
  readonly problem: Problem | null;
}

/** Allowed widths of a table's rows. */
interface Widths {
  /** Number of columns with a name, without unnamed ones at the end. */
  readonly least: number;
  readonly most: number;
}

function widthsOf(header: readonly string[]): Widths {
  return { least: header.findLastIndex((name) => name !== '') + 1, most: header.length };
}

/**
 * Reads the rows below the header of a table. `bind` turns the header into `columns`; it gets an empty header if the table has none, and
 * throws if columns are missing. Empty fields beyond the header are ignored (a comma at the end of each row). `needs` returns the minimum
 * number of fields of a row; without it, as many as the header.
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

/** Returns what `bind` makes of the header of a table; nothing else is read. */
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
