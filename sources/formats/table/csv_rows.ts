import { createReadStream } from 'node:fs';
import { type CsvError, parse } from 'csv-parse';
import { EtlError } from '../../../schema/errors.ts';
import { missingFile } from '../archive/zip.ts';
import type { Problem } from '../feature.ts';
import { checkMark, LONG_LINE, notUtf8 } from './delimited.ts';
import { decodeLines } from './encoding.ts';
import { LONG_LINE_IN_RECORD, takeStrayQuotes } from './stray_quotes.ts';
import type { TableLine } from './tabular.ts';

/** Maximum bytes of a record: a longer one is not a row of a table. */
const MAX_RECORD_BYTES = 1 << 20;
const CHUNK_BYTES = 1 << 17;
/** More characters than csv-parse looks ahead. */
const LOOKAHEAD = 16;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

/**
 * One record of a CSV file, its fields trimmed; an empty field is ''. Its width may differ from the header's. `line`: where the record ends,
 * from 1; a quoted field may span lines.
 */
export type CsvRow = TableLine;

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
 * other line of more than a MiB, and a line with unbalanced quotes, becomes a row with a problem and no cells.
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
 * Regroups the text into runs of whole lines. A line that is too long is left out: LONG_LINE takes its position, and its line end begins the
 * next run. EtlError `line_too_long` for the first line, and for a line with quotes, because the end of its record is unknown.
 */
async function* wholeLines(text: AsyncGenerator<string>, file: string): AsyncGenerator<string | Problem> {
  let buffered = '';
  /** Number of the line that the buffered text begins with. */
  let line = 1;
  let isFirst = true;
  let skipping = false;
  const checkLong = (long: string): void => {
    if (isFirst || long.includes('"')) throw tooLong(file, line);
  };
  for await (const chunk of text) {
    let nextText: string = chunk;
    if (skipping) {
      const end = chunk.indexOf('\n');
      if (end < 0) continue;
      nextText = chunk.slice(end);
      skipping = false;
      yield LONG_LINE;
    }
    buffered += nextText;
    const first = buffered.indexOf('\n');
    if (first * 3 > MAX_RECORD_BYTES && isTooLong(buffered.slice(0, first))) {
      checkLong(buffered.slice(0, first));
      yield LONG_LINE;
      buffered = buffered.slice(first);
    }
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
    checkLong(buffered);
    buffered = '';
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
  /** Text of a line that is left out. The parser skips it, and has completed the records before it once it has seen these characters. */
  const blanks = (separator === ' ' ? '\t' : ' ').repeat(LOOKAHEAD);
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
    for await (const run of takeStrayQuotes(runs, separator)) {
      const isText = typeof run === 'string';
      yield* await parseRun(isText ? run : blanks);
      signal?.throwIfAborted();
      if (isText) continue;
      const row: UnreadableRow = { line: parser.info.lines, cells: [], problem: run };
      if (!hasHeader || run === LONG_LINE_IN_RECORD) throw unreadableRow(file, row);
      yield row;
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
  lines: AsyncGenerator<string | Problem>,
): Promise<{ runs: AsyncGenerator<string | Problem>; stated: string | null }> {
  const { value, done } = await lines.next();
  const first = done || typeof value !== 'string' ? null : value;
  const separator = first === null ? null : SEPARATOR_LINE.exec(first);
  async function* runs(): AsyncGenerator<string | Problem> {
    if (first !== null) yield separator === null ? first : first.slice(separator[0].length);
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

type UnreadableRow = CsvRow & { readonly problem: Problem };

/** Builds the EtlError `line_too_long` or `bad_csv` for a reader that rejects no single rows. */
export const unreadableRow = (file: string, { line, problem }: UnreadableRow): EtlError =>
  problem.code === LONG_LINE.code ? tooLong(file, line) : badQuotes(file, line);

const badQuotes = (file: string, line: number, cause?: unknown): EtlError =>
  new EtlError(
    'bad_csv',
    `${file}: line ${line}: its quotes do not fit. Double the quotes inside a field, and close each field.`,
    { details: { file }, cause },
  );
