import { pipeline, Readable } from 'node:stream';
import { type CsvError, parse } from 'csv-parse';
import { EtlError } from '../../../schema/errors.ts';

/** A record longer than this is no row of a table. */
const MAX_RECORD_CHARS = 1 << 20;

/** One row of a GTFS table. */
export interface GtfsRow<K extends string> {
  /** Line on which the row ends, the header being line 1. */
  readonly line: number;
  /** Values of the wanted columns, trimmed; '' where the row or the table has none. */
  readonly values: Readonly<Record<K, string>>;
  /** Fields of the row, and of the header. */
  readonly width: number;
  readonly wanted: number;
}

/**
 * Rows of a GTFS table with quotes, any line ends, with or without a byte-order mark; a table of a header only has none.
 * `needed` columns must be there, `optional` ones may. EtlErrors: `missing_column`, `line_too_long`, `bad_csv`.
 */
export async function* readGtfsTable<N extends string, O extends string>(
  chunks: AsyncIterable<Uint8Array>,
  file: string,
  needed: readonly N[],
  optional: readonly O[],
): AsyncGenerator<GtfsRow<N | O>> {
  const parser = parse({
    bom: true,
    info: true,
    max_record_size: MAX_RECORD_CHARS,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    trim: true,
  });
  // Errors of either stream surface in the reader of the parser; leaving the reader closes both.
  const input = pipeline(Readable.from(chunks, { objectMode: false }), parser, () => {});
  let header: readonly string[] | null = null;
  const columns = [...needed, ...optional];
  let positions: number[] = [];
  try {
    for await (const { record, info } of input as AsyncIterable<{
      record: string[];
      info: { lines: number };
    }>) {
      if (header === null) {
        header = record;
        requireColumns(needed, header, file);
        positions = columns.map((name) => record.indexOf(name));
        continue;
      }
      const values = {} as Record<N | O, string>;
      for (const [i, name] of columns.entries()) values[name] = record[positions[i]!] ?? '';
      yield { line: info.lines, values, width: record.length, wanted: header.length };
    }
  } catch (error) {
    throw csvError(error, file);
  } finally {
    parser.destroy();
  }
  if (header === null) requireColumns(needed, [], file);
}

function requireColumns(needed: readonly string[], header: readonly string[], file: string): void {
  const missing = needed.filter((name) => !header.includes(name));
  if (missing.length === 0) return;
  throw new EtlError(
    'missing_column',
    `${file}: the header has no column ${missing.join(', ')}. It reads: ${header.join(', ').slice(0, 300) || '(empty)'}. Check that the file is the GTFS table that its name says.`,
    { details: { file, missing } },
  );
}

function csvError(error: unknown, file: string): unknown {
  const { code, lines } = error as CsvError & { lines?: number };
  if (code === 'CSV_MAX_RECORD_SIZE') {
    return new EtlError(
      'line_too_long',
      `${file}: the record at line ${lines} is longer than ${MAX_RECORD_CHARS} characters. Check that this is a CSV file and that its quotes are closed.`,
      { details: { file }, cause: error },
    );
  }
  if (typeof code !== 'string' || !code.startsWith('CSV_')) return error;
  return new EtlError(
    'bad_csv',
    `${file}: the file cannot be taken apart (${(error as Error).message}). Correct the quotes at that line.`,
    { details: { file }, cause: error },
  );
}
