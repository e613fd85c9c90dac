import type { Problem } from '../feature.ts';
import { LONG_LINE, TOO_LONG } from './delimited.ts';

/** A record of a table, the header among them. */
interface Line {
  readonly line: number;
  readonly cells: readonly string[];
}

/** A row below the header. */
export interface TableRow<C> extends Line {
  /** What was made of the header. */
  readonly columns: C;
  /** Why the row is set aside: it is shorter or longer than the header. */
  readonly problem: Problem | null;
}

/**
 * Rows below the header of a table, of which `bind` makes what the rows are read with; it sees an empty header where the table
 * has none, and throws where columns are missing. Empty fields behind the last column are no problem; with `fillsShort` a row may lack its
 * last fields, which are empty then.
 */
export async function* tableRows<C>(
  lines: AsyncIterable<Line>,
  bind: (header: readonly string[]) => C,
  { fillsShort = false }: { fillsShort?: boolean } = {},
): AsyncGenerator<TableRow<C>> {
  let columns: C | undefined;
  let width = -1;
  for await (const { line, cells } of lines) {
    if (width >= 0) {
      yield { line, cells, columns: columns as C, problem: problemOf(cells, width, fillsShort) };
      continue;
    }
    columns = bind(cells);
    width = cells.length;
  }
  if (width < 0) bind([]);
}

/** What `bind` makes of the header of a table, of which no more is read. */
export async function bindHeader<C>(
  lines: AsyncIterable<Line>,
  bind: (header: readonly string[]) => C,
): Promise<C> {
  for await (const { cells } of lines) return bind(cells);
  return bind([]);
}

function problemOf(cells: readonly string[], wanted: number, fillsShort: boolean): Problem | null {
  if (cells[0] === TOO_LONG) return LONG_LINE;
  const has = cells.length;
  if (has === wanted || (has < wanted && fillsShort)) return null;
  if (has > wanted && cells.slice(wanted).every((cell) => cell === '')) return null;
  return { code: has < wanted ? 'short_row' : 'long_row', message: `${has} fields instead of ${wanted}` };
}
