import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { type CsvError, parse } from 'csv-parse';
import { EtlError } from '../../schema/errors.ts';
import { missingFile } from './zip_members.ts';

/** A record longer than this is no row of a table. */
const MAX_RECORD_CHARS = 1 << 20;
/** Characters that no text column can hold: NUL and lone surrogates. */
const UNSTORABLE = /\0|\p{Surrogate}/gu;

/** One record of a CSV file, its fields trimmed; an empty field is ''. Its width may differ from the header's. */
export interface CsvRow {
  /** Line on which the record ends, from 1: the header is line 1, a quoted field may span lines. */
  readonly line: number;
  readonly cells: readonly string[];
}

async function* bytesOf(path: string, signal?: AbortSignal): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of createReadStream(path, { signal: signal ?? undefined })) yield chunk as Buffer;
  } catch (error) {
    signal?.throwIfAborted();
    throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? missingFile(path, error) : error;
  }
}

/** UTF-8 where every byte of the file is valid UTF-8, else windows-1252. Reads the file to its end or first bad byte. */
async function encodingOf(path: string, signal?: AbortSignal): Promise<'utf-8' | 'windows-1252'> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of bytesOf(path, signal)) decoder.decode(chunk, { stream: true });
    decoder.decode();
    return 'utf-8';
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return 'windows-1252';
    throw error;
  }
}

async function* textOf(path: string, signal?: AbortSignal): AsyncGenerator<string> {
  const decoder = new TextDecoder(await encodingOf(path, signal));
  for await (const chunk of bytesOf(path, signal)) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

/**
 * Records of a CSV file with quoted fields, the header first, in UTF-8 (with or without BOM) or windows-1252. Blank lines are
 * passed over. For files of up to some 100,000 rows: it reads about 40 MB/s.
 * EtlError: `missing_file`; `bad_csv` (a quote that is never closed), `line_too_long`, because what follows cannot be told apart.
 */
export function readCsvRows(
  path: string,
  file: string,
  options: { delimiter?: string; signal?: AbortSignal } = {},
): AsyncGenerator<CsvRow> {
  return csvRowsOf(textOf(path, options.signal), file, options);
}

/** As readCsvRows, of text that is read already; leaving the loop early ends the text too. EtlError: `bad_csv`, `line_too_long`. */
export async function* csvRowsOf(
  text: AsyncGenerator<string>,
  file: string,
  options: { delimiter?: string; signal?: AbortSignal } = {},
): AsyncGenerator<CsvRow> {
  const { delimiter = ',', signal } = options;
  const parser = parse({
    bom: true,
    delimiter,
    info: true,
    max_record_size: MAX_RECORD_CHARS,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    trim: true,
  });
  // Errors of either stream surface in the reader of the parser; leaving the reader closes both.
  const input = pipeline(text, parser, () => {});
  try {
    for await (const { record, info } of input as AsyncIterable<{
      record: string[];
      info: { lines: number };
    }>) {
      signal?.throwIfAborted();
      yield { line: info.lines, cells: record.map((cell) => cell.replace(UNSTORABLE, '')) };
    }
  } catch (error) {
    throw csvError(error, file);
  } finally {
    parser.destroy();
  }
}

function csvError(error: unknown, file: string): unknown {
  const { code, lines } = error as CsvError & { lines?: number };
  if (code === 'CSV_MAX_RECORD_SIZE') {
    return new EtlError(
      'line_too_long',
      `${file}: the record at line ${lines} is longer than ${MAX_RECORD_CHARS} characters. Check that this is a delimited text file and that its quotes are closed.`,
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
