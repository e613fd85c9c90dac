import { isAscii } from 'node:buffer';
import { EtlError } from '../../../schema/errors.ts';
import { readMember, type ZipMember } from '../archive/zip.ts';
import type { Problem } from '../feature.ts';
import { missingColumns } from './columns.ts';

const LF = 10;
const CR = 13;
/** Maximum bytes of a line: a longer one is not a row, and a file that begins or ends with one is of another kind. */
const MAX_LINE_BYTES = 1 << 20;
/** Maximum digits that a double holds exactly; longer numbers take the slow path. */
const EXACT_DIGITS = 15;
const POWERS = Array.from({ length: EXACT_DIGITS + 1 }, (_, i) => 10 ** i);

const tooLong = (file: string): EtlError =>
  new EtlError(
    'line_too_long',
    `${file}: a line is longer than ${MAX_LINE_BYTES} bytes. Check that this is a delimited text file.`,
  );

/** Reject of a line that is too long to be a row. */
export const LONG_LINE: Problem = {
  code: 'line_too_long',
  message: `the line is longer than ${MAX_LINE_BYTES} bytes`,
};

export const notUtf8 = (file: string): EtlError =>
  new EtlError(
    'bad_encoding',
    `${file}: the file is UTF-16, or holds NUL where its columns are named. Save it as UTF-8.`,
    { details: { file } },
  );

/** Refuses a UTF-16 byte-order mark, because half the text would be misread. @throws EtlError bad_encoding */
export function checkMark(bytes: Uint8Array, file: string): void {
  const [a, b] = bytes;
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) throw notUtf8(file);
}

/**
 * Cuts a stream of bytes into texts that end at a line end (the last one may not). A byte-order mark is left out; bytes that are not UTF-8
 * become U+FFFD. A line of more than a MiB is left out with its line end, and yields a problem at its position. Throws EtlError
 * `line_too_long` if the first line is too long, or no line end follows a long line.
 */
export async function* textBlocks(
  chunks: AsyncIterable<Uint8Array>,
  file: string,
): AsyncGenerator<string | Problem> {
  let carry: Buffer | null = null;
  let first = true;
  const text = (bytes: Buffer): string => {
    const start = first && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
    first = false;
    // ASCII as latin1 is a plain copy, several times as fast as decoding UTF-8.
    return isAscii(bytes) ? bytes.toString('latin1', start) : bytes.toString('utf8', start);
  };
  let passed = false;
  let skipping = false;
  for await (const chunk of chunks) {
    let bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (first && carry === null) checkMark(bytes, file);
    if (skipping) {
      const lineEnd = bytes.indexOf(LF);
      if (lineEnd < 0) continue;
      yield LONG_LINE;
      bytes = bytes.subarray(lineEnd + 1);
      skipping = false;
    }
    const joinedBytes: Buffer = carry === null ? bytes : Buffer.concat([carry, bytes]);
    const end = joinedBytes.lastIndexOf(LF) + 1;
    carry = end === joinedBytes.length ? null : Buffer.from(joinedBytes.subarray(end));
    passed ||= end > 0;
    if (carry !== null && carry.length > MAX_LINE_BYTES) {
      if (!passed) throw tooLong(file);
      carry = null;
      skipping = true;
    }
    if (end > 0) yield text(joinedBytes.subarray(0, end));
  }
  if (skipping) throw tooLong(file);
  if (carry !== null) yield text(carry);
}

/** Receives a malformed line: `short_row`, `long_row` or `bad_encoding`. */
export type BadLine = (line: number, code: string, message: string) => void;

const firstLine = (text: string): string =>
  text.slice(0, text.indexOf('\n') < 0 ? text.length : text.indexOf('\n'));

const namesIn = (line: string, delimiter: string): string[] =>
  line
    .trim()
    .split(delimiter)
    .map((name) => name.trim());

/** Reads the column names of a delimited file, in the header's spelling. EtlErrors: `line_too_long` and the errors of readMember. */
export async function readNames(member: ZipMember, delimiter: string, file = member.file): Promise<string[]> {
  for await (const block of textBlocks(readMember(member), file))
    if (typeof block === 'string') return namesIn(firstLine(block), delimiter);
  return [];
}

/** Positions of the wanted columns in a file. */
interface DelimitedHeader {
  /** Number of columns in the file. */
  width: number;
  /** Position of each wanted column. */
  positions: Int32Array;
}

/**
 * Finds the wanted columns in a header line by name, in any order; other columns are allowed. Throws EtlError `missing_column` naming the
 * file, the missing columns and the existing ones.
 */
function readHeader(
  line: string,
  delimiter: string,
  columns: readonly string[],
  file: string,
): DelimitedHeader {
  const names = namesIn(line, delimiter).map((name) => name.toUpperCase());
  const missing = columns.filter((name) => !names.includes(name));
  if (missing.length > 0) throw missingColumns(file, missing, line === '' ? [] : names);
  return { width: names.length, positions: Int32Array.from(columns, (name) => names.indexOf(name)) };
}

/**
 * Reads the rows of a delimited text without allocating per field; quotes have no meaning. Columns are numbered in the order of the
 * request. Blank lines are skipped. Lines of a wrong width go to `onBad`.
 */
export class RowCursor {
  /** Line of the current row; the header is line 1. */
  line = 0;
  readonly #delimiter: number;
  readonly #onBad: BadLine;
  readonly #positions: Int32Array;
  readonly #width: number;
  /** Start of each field of the current row; one more entry than fields, so that a field ends at the next start less one. */
  readonly #starts: Int32Array;
  #text = '';
  #at = 0;
  #suspect = false;

  constructor(header: DelimitedHeader, delimiter: string, onBad: BadLine) {
    this.#delimiter = delimiter.charCodeAt(0);
    this.#onBad = onBad;
    this.#positions = header.positions;
    this.#width = header.width;
    this.#starts = new Int32Array(header.width + 2);
  }

  /** Continues with the next text of the same file from index `from`, whose first line is the one after `line`. */
  load(text: string, from: number): void {
    this.#text = text;
    this.#at = from;
    this.#suspect = /[\uFFFD\0]/.test(text);
  }

  /** Moves to the next row of the text; false at its end. */
  next(): boolean {
    const text = this.#text;
    const { length } = text;
    const starts = this.#starts;
    const delimiter = this.#delimiter;
    const width = this.#width;
    while (this.#at < length) {
      const start = this.#at;
      let fields = 1;
      let i = start;
      starts[0] = start;
      for (; i < length; i++) {
        const code = text.charCodeAt(i);
        if (code === delimiter) {
          if (fields <= width) starts[fields] = i + 1;
          fields++;
        } else if (code === LF) break;
      }
      this.#at = i + 1;
      this.line++;
      const end = i > start && text.charCodeAt(i - 1) === CR ? i - 1 : i;
      if (end === start) continue;
      if (fields === width && !(this.#suspect && this.#reportSuspect(start, end))) {
        starts[width] = end + 1;
        return true;
      }
      if (fields !== width) this.#reportWidth(fields);
    }
    return false;
  }

  #reportWidth(fields: number): void {
    const code = fields < this.#width ? 'short_row' : 'long_row';
    this.#onBad(this.line, code, `${fields} fields instead of ${this.#width}`);
  }

  #reportSuspect(start: number, end: number): boolean {
    const row = this.#text.slice(start, end);
    if (!row.includes('\uFFFD') && !row.includes('\0')) return false;
    this.#onBad(this.line, 'bad_encoding', 'the row has bytes that are not UTF-8 text');
    return true;
  }

  /** Returns the field as text; null if it is empty. */
  text(column: number): string | null {
    const position = this.#positions[column]!;
    const start = this.#starts[position]!;
    const end = this.#starts[position + 1]! - 1;
    return start === end ? null : this.#text.slice(start, end);
  }

  isEmpty(column: number): boolean {
    const position = this.#positions[column]!;
    return this.#starts[position] === this.#starts[position + 1]! - 1;
  }

  /** Reads a whole number of at most four digits, perhaps negative; null if the field is empty, NaN if it is anything else. */
  int2(column: number): number | null {
    const position = this.#positions[column]!;
    let i = this.#starts[position]!;
    const end = this.#starts[position + 1]! - 1;
    if (i === end) return null;
    const negative = this.#text.charCodeAt(i) === 45;
    if (negative) i++;
    if (i === end || end - i > 4) return Number.NaN;
    let value = 0;
    for (; i < end; i++) {
      const digit = this.#text.charCodeAt(i) - 48;
      if (digit < 0 || digit > 9) return Number.NaN;
      value = value * 10 + digit;
    }
    return negative ? -value : value;
  }

  /** Returns true if the field is empty or has digits only. */
  isDigits(column: number): boolean {
    const position = this.#positions[column]!;
    const end = this.#starts[position + 1]! - 1;
    for (let i = this.#starts[position]!; i < end; i++) {
      const digit = this.#text.charCodeAt(i) - 48;
      if (digit < 0 || digit > 9) return false;
    }
    return true;
  }

  /** Reads a decimal number as Number() would; NaN if the field is empty or not a plain decimal number. */
  decimal(column: number): number {
    const position = this.#positions[column]!;
    const start = this.#starts[position]!;
    const end = this.#starts[position + 1]! - 1;
    let i = this.#text.charCodeAt(start) === 45 ? start + 1 : start;
    let mantissa = 0;
    let digits = 0;
    let point = -1;
    for (; i < end; i++) {
      const code = this.#text.charCodeAt(i);
      if (code === 46 && point < 0) point = i;
      else if (code >= 48 && code <= 57) {
        mantissa = mantissa * 10 + code - 48;
        digits++;
      } else return Number.NaN;
    }
    if (digits === 0 || start === end) return Number.NaN;
    // Both operands are exact, so one division rounds as correctly as a full parse.
    if (digits > EXACT_DIGITS) return Number(this.#text.slice(start, end));
    const value = point < 0 ? mantissa : mantissa / POWERS[end - point - 1]!;
    return this.#text.charCodeAt(start) === 45 ? -value : value;
  }

  /** Reads the field with `read`, which gets the text of the block and the extent of the field. */
  span<T>(column: number, parse: (text: string, start: number, end: number) => T): T {
    const position = this.#positions[column]!;
    return parse(this.#text, this.#starts[position]!, this.#starts[position + 1]! - 1);
  }
}

/**
 * Reads the rows of a delimited file block by block: each step yields the same cursor, positioned before the rows of a block. Throws
 * EtlError `missing_column` and `line_too_long`.
 */
export async function* readDelimited(
  source: { file: string; chunks: AsyncIterable<Uint8Array>; delimiter: string },
  columns: readonly string[],
  onBad: BadLine,
): AsyncGenerator<RowCursor> {
  let cursor: RowCursor | undefined;
  for await (const block of textBlocks(source.chunks, source.file)) {
    if (typeof block !== 'string') {
      // a first line that is too long throws, so there is a cursor
      cursor!.line++;
      onBad(cursor!.line, block.code, block.message);
      continue;
    }
    if (cursor !== undefined) cursor.load(block, 0);
    else {
      const header = firstLine(block);
      cursor = new RowCursor(
        readHeader(header, source.delimiter, columns, source.file),
        source.delimiter,
        onBad,
      );
      cursor.line = 1;
      cursor.load(block, header.length + 1);
    }
    yield cursor;
  }
  if (cursor === undefined) readHeader('', source.delimiter, columns, source.file);
}
