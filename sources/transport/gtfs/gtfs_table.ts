import type { Problem } from '../../formats/feature.ts';
import { missingColumns } from '../../formats/table/columns.ts';
import { csvRowsOf, utf8Of } from '../../formats/table/csv_rows.ts';
import { tableRows } from '../../formats/table/csv_table.ts';

export interface GtfsRow<K extends string> {
  /** Line on which the row ends; the header is line 1. */
  readonly line: number;
  /** Values of the wanted columns, trimmed; '' if the row or the table has none. */
  readonly values: Readonly<Record<K, string>>;
  /** Why the row is rejected: it lacks a required field, has more fields than the header, or has unbalanced quotes. */
  readonly problem: Problem | null;
}

/** Returns the positions of the columns in a header. EtlError `missing_column` if a required one is absent. */
function positionsOf<K extends string>(
  header: readonly string[],
  columns: readonly K[],
  needed: readonly K[],
  file: string,
): readonly (readonly [name: K, at: number])[] {
  const missing = needed.filter((name) => !header.includes(name));
  if (missing.length > 0) throw missingColumns(file, missing, header);
  return columns.map((name) => [name, header.indexOf(name)] as const);
}

/**
 * Reads the rows of a GTFS table with quotes, any line ends, with or without a byte-order mark; a table with only a header has none.
 * `needed` columns are required; a row may end before its `optional` fields. EtlErrors: `missing_column`, `line_too_long`, `bad_csv`.
 */
export async function* readGtfsTable<N extends string, O extends string>(
  chunks: AsyncIterable<Uint8Array>,
  file: string,
  needed: readonly N[],
  optional: readonly O[],
): AsyncGenerator<GtfsRow<N | O>> {
  const wantedColumns: readonly (N | O)[] = [...needed, ...optional];
  const rows = tableRows(
    csvRowsOf(utf8Of(chunks, file), file),
    (header) => positionsOf(header, wantedColumns, needed, file),
    (columns) => 1 + Math.max(...columns.slice(0, needed.length).map(([, at]) => at)),
  );
  for await (const { line, cells, columns, problem } of rows) {
    const values = {} as Record<N | O, string>;
    for (const [name, at] of columns) values[name] = cells[at] ?? '';
    yield { line, values, problem };
  }
}
