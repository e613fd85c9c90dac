import { createReadStream } from 'node:fs';
import { type CsvError, parse } from 'csv-parse';
import { EtlError } from '../../../schema/errors.ts';
import { missingFile } from '../archive/zip.ts';
import { checkMark, notUtf8, TOO_LONG } from './delimited.ts';
import { decodeLines } from './encoding.ts';
import { replaceStrayQuotes, STRAY_QUOTE } from './stray_quotes.ts';

/** Maximum bytes of a record: a longer one is not a row of a table. */
const MAX_RECORD_BYTES = 1 << 20;
const CHUNK_BYTES = 1 << 17;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** One record of a CSV file, its fields trimmed; an empty field is ''. Its width may differ from the header's. */
export interface CsvRow {
  /** Line on which the record ends, from 1: the header is line 1, a quoted field may span lines. */
  readonly line: number;
  readonly cells: readonly string[];
}

async function* bytesOf(path: string, signal?: AbortSignal): AsyncGenerator<Buffer> {
  try {
    const chunks = createReadStream(path, { signal: signal ?? undefined, highWaterMark: CHUNK_BYTES });
    for await (const chunk of chunks) yield chunk as Buffer;
  } catch (error) {
    signal?.throwIfAborted();
    throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? missingFile(path, error) : error;
  }
}

/** Returns the index after the last line end in some bytes; 0: there is none. */
const endOfLines = (bytes: Buffer): number =>
  Math.max(bytes.lastIndexOf(NEWLINE), bytes.lastIndexOf(RETURN)) + 1;

async function* textOf(path: string, file: string, signal?: AbortSignal): AsyncGenerator<string> {
  let buffered: Buffer = Buffer.alloc(0);
  let isFirst = true;
  for await (const chunk of bytesOf(path, signal)) {
    if (isFirst) checkMark(chunk, file);
    isFirst = false;
    const end = endOfLines(chunk);
    // A line longer than the maximum is passed on in pieces, for its reader to refuse.
    if (end === 0 && buffered.length <= MAX_RECORD_BYTES) {
      buffered = Buffer.concat([buffered, chunk]);
      continue;
    }
    yield decodeLines(Buffer.concat([buffered, chunk.subarray(0, end)]));
    buffered = chunk.subarray(end);
  }
  if (buffered.length > 0) yield decodeLines(buffered);
}

/**
 * Reads the records of a CSV file with quoted fields, header first. Each line is UTF-8, else windows-1252; a BOM and blank lines are
 * skipped. A first line `sep=;` states the delimiter, overrides the option, and is not a record. EtlError: `missing_file`; `bad_csv`
 * (unbalanced quotes in the header); `line_too_long` for the header or a line with quotes, because the end of its record is unknown. Any
 * other line of more than a MiB becomes the one cell TOO_LONG; a line with unbalanced quotes becomes the one cell STRAY_QUOTE.
 */
export function readCsvRows(
  path: string,
  file: string,
  options: { delimiter?: string; signal?: AbortSignal | undefined } = {},
): AsyncGenerator<CsvRow> {
  return csvRowsOf(textOf(path, file, options.signal), file, options);
}

/** Decodes bytes as UTF-8; invalid bytes become U+FFFD. */
export async function* utf8Of(chunks: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let isFirst = true;
  for await (const chunk of chunks) {
    if (isFirst) checkMark(chunk, file);
    isFirst = false;
    yield decoder.decode(chunk, { stream: true });
  }
  yield decoder.decode();
}

/** Returns true for text that takes more bytes than a record may. */
const isTooLong = (text: string): boolean =>
  text.length * 3 > MAX_RECORD_BYTES && Buffer.byteLength(text) > MAX_RECORD_BYTES;

/**
 * Regroups the text into runs of whole lines; TOO_LONG replaces a line that is too long. EtlError `line_too_long` for the first line, and
 * for a line with quotes, because the end of its record is unknown.
 */
async function* wholeLines(text: AsyncGenerator<string>, file: string): AsyncGenerator<string> {
  let buffered = '';
  /** Number of the line that the buffered text begins with. */
  let line = 1;
  let isFirst = true;
  let skipping = false;
  const shortened = (long: string): string => {
    if (isFirst || long.includes('"')) throw tooLong(file, line);
    return TOO_LONG;
  };
  for await (const chunk of text) {
    let nextText: string = chunk;
    if (skipping) {
      const end = chunk.indexOf('\n');
      if (end < 0) continue;
      nextText = chunk.slice(end);
      skipping = false;
    }
    buffered += nextText;
    const first = buffered.indexOf('\n');
    if (first * 3 > MAX_RECORD_BYTES && isTooLong(buffered.slice(0, first)))
      buffered = shortened(buffered.slice(0, first)) + buffered.slice(first);
    // a carriage return at the end may be half a line end
    const end = Math.max(buffered.lastIndexOf('\n'), buffered.lastIndexOf('\r', buffered.length - 2)) + 1;
    if (end > 0) {
      const run = buffered.slice(0, end);
      buffered = buffered.slice(end);
      yield run;
      isFirst = false;
      for (let at = run.indexOf('\n'); at >= 0; at = run.indexOf('\n', at + 1)) line++;
    }
    if (!isTooLong(buffered)) continue;
    buffered = shortened(buffered);
    skipping = true;
  }
  if (skipping) throw tooLong(file, line);
  if (buffered !== '') yield buffered;
}

/** Reads records as readCsvRows does, from decoded text; leaving the loop early ends the text too. EtlError: `bad_csv`, `line_too_long`. */
export async function* csvRowsOf(
  text: AsyncGenerator<string>,
  file: string,
  { delimiter = ',', signal }: { delimiter?: string; signal?: AbortSignal | undefined } = {},
): AsyncGenerator<CsvRow> {
  let rows: CsvRow[] = [];
  let hasHeader = false;
  signal?.throwIfAborted();
  const { runs, stated } = await takeSeparatorLine(wholeLines(text, file));
  const separator = stated ?? delimiter;
  const parser = parse({
    bom: true,
    delimiter: separator,
    max_record_size: MAX_RECORD_BYTES,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    trim: true,
    on_record(cells: string[], { lines }) {
      if (!hasHeader && cells.some((cell) => cell.includes('\0'))) throw notUtf8(file);
      if (cells.some((cell) => cell.includes(TOO_LONG)) && cells[0] !== TOO_LONG) throw tooLong(file, lines);
      if (!hasHeader && cells[0] === STRAY_QUOTE) throw badQuotes(file, lines);
      hasHeader = true;
      rows.push({ line: lines, cells: cells.map(storable) });
      return null;
    },
  });
  /** Passes text to the parser, or ends it at null; returns the records that are now complete. */
  const parseRun = (run: string | null): Promise<CsvRow[]> =>
    new Promise((resolve, reject) => {
      parser.once('error', (error) => reject(csvError(error, file)));
      const done = (): void => {
        parser.removeAllListeners('error');
        resolve(rows);
        rows = [];
      };
      if (run === null) parser.end(done);
      else parser.write(run, (error) => (error ? reject(csvError(error, file)) : done()));
    });
  try {
    signal?.throwIfAborted();
    for await (const run of replaceStrayQuotes(runs, separator)) {
      yield* await parseRun(run);
      signal?.throwIfAborted();
    }
    yield* await parseRun(null);
  } finally {
    parser.on('error', () => {});
    parser.destroy();
    await text.return(undefined);
  }
}

/** Line in which Excel states the delimiter. */
const SEPARATOR_LINE = /^\uFEFF?"?sep=([^\r\n"])"?[ \t]*(?=[\r\n])/i;

/** Blanks the line that states the delimiter, and returns that delimiter; null: no line states it. */
async function takeSeparatorLine(
  lines: AsyncGenerator<string>,
): Promise<{ runs: AsyncGenerator<string>; stated: string | null }> {
  const { value, done } = await lines.next();
  const first = done ? '' : value;
  const separator = SEPARATOR_LINE.exec(first);
  async function* runs(): AsyncGenerator<string> {
    if (!done) yield separator === null ? first : first.slice(separator[0].length);
    yield* lines;
  }
  return { runs: runs(), stated: separator?.[1] ?? null };
}

const storable = (cell: string): string => (cell.includes('\0') ? cell.replaceAll('\0', '\uFFFD') : cell);

const tooLong = (file: string, line: number, cause?: unknown): EtlError =>
  new EtlError(
    'line_too_long',
    `${file}: the record at line ${line} is longer than ${MAX_RECORD_BYTES} bytes. Check that this is a delimited text file and that its quotes are closed.`,
    { details: { file }, cause },
  );

function csvError(error: unknown, file: string): unknown {
  const { code, lines = 1 } = error as CsvError & { lines?: number };
  if (code === 'CSV_MAX_RECORD_SIZE') return tooLong(file, lines, error);
  if (typeof code !== 'string' || !code.startsWith('CSV_')) return error;
  return badQuotes(file, lines, error);
}

/** Builds the EtlError `bad_csv`. */
export const badQuotes = (file: string, line: number, cause?: unknown): EtlError =>
  new EtlError(
    'bad_csv',
    `${file}: line ${line}: its quotes do not fit. Double the quotes inside a field, and close each field.`,
    { details: { file }, cause },
  );
