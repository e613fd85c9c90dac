import { isAscii } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { type CsvError, parse } from 'csv-parse';
import { EtlError } from '../../schema/errors.ts';
import { CsvScanner } from './csv_scan.ts';
import { checkMark, notUtf8, TOO_LONG } from './delimited.ts';
import { missingFile } from './zip.ts';

/** A record longer than this is no row of a table. */
const MAX_RECORD_CHARS = 1 << 20;
/** Bytes that are read at once. */
const CHUNK_BYTES = 1 << 17;
/** Characters that no text column can hold: NUL and lone surrogates. U+FFFD stands for them, so that none disappears without a word. */
const UNSTORABLE = /\0|\p{Surrogate}/gu;

type Encoding = 'utf-8' | 'windows-1252';

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

/**
 * Decodes chunks one after the other. ASCII as latin1 is a plain copy, several times as fast as decoding; from the first other
 * byte on a decoder may hold the beginning of a character.
 */
function decoderOf(encoding: Encoding): (chunk: Buffer) => string {
  const decoder = new TextDecoder(encoding, { fatal: encoding === 'utf-8' });
  let isPlain = true;
  return (chunk) => {
    isPlain &&= isAscii(chunk);
    return isPlain ? chunk.toString('latin1') : decoder.decode(chunk, { stream: true });
  };
}

/** UTF-8 where every byte of the file is valid UTF-8, else windows-1252. Reads the file to its end or first bad byte. */
async function encodingOf(path: string, signal?: AbortSignal): Promise<Encoding> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let isPlain = true;
  try {
    for await (const chunk of bytesOf(path, signal)) {
      isPlain &&= isAscii(chunk);
      if (!isPlain) decoder.decode(chunk, { stream: true });
    }
    decoder.decode();
    return 'utf-8';
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return 'windows-1252';
    throw error;
  }
}

async function* textOf(path: string, file: string, signal?: AbortSignal): AsyncGenerator<string> {
  const decode = decoderOf(await encodingOf(path, signal));
  let isFirst = true;
  for await (const chunk of bytesOf(path, signal)) {
    if (isFirst) checkMark(chunk, file);
    isFirst = false;
    yield decode(chunk);
  }
}

/**
 * Records of a CSV file with quoted fields, the header first, in UTF-8 (with or without BOM) or windows-1252. Blank lines are
 * passed over. Cells share memory with the text around them.
 * EtlError: `missing_file`; `bad_csv` (a quote that is never closed), `line_too_long` for the header or a record in
 * quotes, because what follows cannot be told apart; any other line of more than a MiB is the one cell TOO_LONG.
 */
export function readCsvRows(
  path: string,
  file: string,
  options: { delimiter?: string; signal?: AbortSignal | undefined } = {},
): AsyncGenerator<CsvRow> {
  return csvRowsOf(textOf(path, file, options.signal), file, options);
}

/** Text of bytes in UTF-8; those that are none become U+FFFD. */
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

/** As readCsvRows, of text that is read already; leaving the loop early ends the text too. EtlError: `bad_csv`, `line_too_long`. */
export async function* csvRowsOf(
  text: AsyncGenerator<string>,
  file: string,
  { delimiter = ',', signal }: { delimiter?: string; signal?: AbortSignal | undefined } = {},
): AsyncGenerator<CsvRow> {
  const scanner = new CsvScanner(delimiter, MAX_RECORD_CHARS);
  let isFirst = true;
  let isHeader = true;
  let skipping = false;
  try {
    for (let isLast = false; !isLast; ) {
      signal?.throwIfAborted();
      const { done, value = '' } = await text.next();
      isLast = done === true;
      const chunk: string = isFirst ? value.replace(/^\uFEFF/, '') : value;
      isFirst &&= value === '';
      scanner.push(chunk, isLast);
      const isClean = isStorable(chunk) && isStorable(scanner.rest);
      for (;;) {
        if (skipping && !scanner.skipLine()) break;
        if (skipping) yield { line: scanner.line, cells: [TOO_LONG] };
        skipping = false;
        let record = scanner.next();
        for (; typeof record !== 'string'; record = scanner.next()) {
          if (isHeader && record.some((cell) => cell.includes('\0'))) throw notUtf8(file);
          yield { line: scanner.line, cells: isClean ? record : record.map(storable) };
          isHeader = false;
        }
        if (record === 'odd') {
          yield* oddRows(withRest(scanner.rest, text), file, delimiter, scanner.linesBefore, signal);
          return;
        }
        if (record === 'end') break;
        // Inside quotes nobody knows where the record ends, and a header is needed.
        if (isHeader || scanner.rest.includes('"')) throw tooLong(file, scanner.linesBefore + 1);
        skipping = true;
      }
    }
    if (skipping) throw tooLong(file, scanner.linesBefore + 1);
  } finally {
    await text.return(undefined);
  }
}

const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();
const storable = (cell: string): string => cell.replace(UNSTORABLE, '\uFFFD');

async function* withRest(rest: string, text: AsyncGenerator<string>): AsyncGenerator<string> {
  yield rest;
  yield* text;
}

/** Records from one on whose quotes are not plain, by csv-parse; `before` lines were read. */
async function* oddRows(
  text: AsyncGenerator<string>,
  file: string,
  delimiter: string,
  before: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<CsvRow> {
  const parser = parse({
    delimiter,
    info: true,
    max_record_size: MAX_RECORD_CHARS,
    record_delimiter: ['\r\n', '\n', '\r'],
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
      yield { line: before + info.lines, cells: record.map(storable) };
    }
  } catch (error) {
    throw csvError(error, file, before);
  } finally {
    parser.destroy();
  }
}

const tooLong = (file: string, line: number, cause?: unknown): EtlError =>
  new EtlError(
    'line_too_long',
    `${file}: the record at line ${line} is longer than ${MAX_RECORD_CHARS} characters. Check that this is a delimited text file and that its quotes are closed.`,
    { details: { file }, cause },
  );

function csvError(error: unknown, file: string, before: number): unknown {
  const { code, lines = 1 } = error as CsvError & { lines?: number };
  if (code === 'CSV_MAX_RECORD_SIZE') return tooLong(file, before + lines, error);
  if (typeof code !== 'string' || !code.startsWith('CSV_')) return error;
  const message = (error as Error).message.replace(/(?<=\bline )\d+/, (line) =>
    String(before + Number(line)),
  );
  return new EtlError(
    'bad_csv',
    `${file}: the file cannot be taken apart (${message}). Correct the quotes at that line.`,
    { details: { file }, cause: error },
  );
}
