import type { Problem } from '../feature.ts';
import type { TableLine } from './tabular.ts';

/** A row below the header. */
export interface TableRow<C> extends TableLine {
  /** Result of `bind` for the header. */
  readonly columns: C;
  /** Why the row is rejected: shorter or longer than the header, or unbalanced quotes. */
  readonly problem: Problem | null;
  /** Whether it looks like a note below the table: prose in few cells, and no other row follows. A row that is rejected is then a footnote. */
  readonly isLikeFootnote: boolean;
}

/** Returns the outcome of a row; a row that would be rejected and looks like a note below the table is the drop `footnote`. */
export const orFootnote = <T extends object>(
  row: Pick<TableRow<unknown>, 'isLikeFootnote'>,
  outcome: T,
): T | { readonly drop: string } =>
  row.isLikeFootnote && 'code' in outcome ? { drop: 'footnote' } : outcome;

/** Maximum lines of notes below a table. */
const MAX_FOOTNOTES = 100;
/** Cells of a row of notes: at most one of this number of columns; of a note that names itself, whose commas divide it, one of two. */
const COLUMNS_PER_NOTE_CELL = 4;
const COLUMNS_PER_NAMED_CELL = 2;
/** Beginning of a note that names itself. */
const NAMED_NOTE =
  /^\W*(©|\(c\)|(copyright|source|notes?|disclaimer|licen[cs]e|extracted|generated|data (as|source|extract)|last updated|for more)\b)/iu;
/** Beginning of a numbered note: `1. Figures …`, `(a) Figures …`. */
const NUMBERED_NOTE = /^\W*(\d{1,2}|[a-z])[.)\]]\s+\p{L}/iu;

/** Returns whether a row is blank, or prose in few cells: a copyright, a source, a note. An unreadable line may be a note too. */
function isProse({ cells, problem }: TableLine, columns: number): boolean {
  if (problem) return columns >= 2;
  const filled = cells.filter((cell) => cell.trim() !== '');
  if (filled.length === 0) return true;
  const first = filled[0]!.trim();
  if (NAMED_NOTE.test(first))
    return columns >= 2 && filled.length <= Math.max(1, columns / COLUMNS_PER_NAMED_CELL);
  if (columns < 2 || filled.length > Math.max(1, columns / COLUMNS_PER_NOTE_CELL)) return false;
  return NUMBERED_NOTE.test(first) || /^\W*(©|\p{L}[^\d]*\s)/u.test(first);
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
  let prose: TableLine[] = [];
  const rowOf = ({ line, cells, problem }: TableLine, isLikeFootnote: boolean): TableRow<C> => ({
    line,
    cells,
    columns: columns as C,
    problem: problem ?? problemOf(cells, widths!),
    isLikeFootnote,
  });
  for await (const row of lines) {
    if (widths === undefined) {
      columns = bind(row.cells);
      widths = widthsOf(row.cells);
      if (needs !== undefined) widths = { ...widths, least: Math.min(widths.least, needs(columns)) };
    } else if (prose.length < MAX_FOOTNOTES && isProse(row, widths.most)) prose.push(row);
    else {
      for (const earlier of prose) yield rowOf(earlier, false);
      prose = [];
      yield rowOf(row, false);
    }
  }
  for (const row of prose) yield rowOf(row, true);
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
  const has = cells.length;
  if (has < least) return { code: 'short_row', message: `${has} fields instead of ${most}` };
  if (has <= most || cells.every((cell, i) => i < most || cell === '')) return null;
  return { code: 'long_row', message: `${has} fields instead of ${most}` };
}
