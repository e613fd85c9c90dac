import type { Problem } from '../feature.ts';
import { LONG_LINE } from './delimited.ts';

/** Reject of a line with unbalanced quotes. */
const STRAY_QUOTE: Problem = {
  code: 'stray_quote',
  message:
    'a quote opens a field that does not end with a quote and a delimiter; double the quotes inside a field, and close each field',
};
/** A line that is too long, inside a quoted field. */
export const LONG_LINE_IN_RECORD: Problem = { ...LONG_LINE };

const LF = 10;
const CR = 13;
const QUOTE = 34;
const BOM = 0xfeff;
/** Maximum characters of a record: a longer one has a quote that is not closed. */
const MAX_RECORD = 1 << 20;
/** Minimum columns of the header for the width test: a line of text inside a field seldom has that many delimiters. */
const MIN_TELLING_WIDTH = 4;

const isLineEnd = (code: number): boolean => code === LF || code === CR;
const isBlank = (code: number): boolean =>
  code === 32 || code === 9 || code === 11 || code === 12 || code === 0xa0 || code === BOM;

/** One record of a text. */
interface RecordSpan {
  /** Index after its line end. */
  readonly end: number;
  readonly fields: number;
  readonly hasLineEnds: boolean;
}

function afterLineEnd(text: string, at: number): number {
  return text.charCodeAt(at) === CR && text.charCodeAt(at + 1) === LF ? at + 2 : at + 1;
}

/** Scans one record. `open`: the text ends inside a quoted field. `stray`: text follows a closing quote. */
function walkRecord(text: string, start: number, delimiter: number): RecordSpan | 'open' | 'stray' {
  let fields = 1;
  let isFieldStart = true;
  let hasLineEnds = false;
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (isLineEnd(code)) return { end: afterLineEnd(text, i), fields, hasLineEnds };
    if (code === delimiter) {
      fields++;
      isFieldStart = true;
    } else if (code === QUOTE && isFieldStart) {
      const close = closingQuote(text, i + 1);
      if (close < 0) return 'open';
      hasLineEnds ||= /[\r\n]/.test(text.slice(i, close));
      i = close;
      while (text.charCodeAt(i + 1) !== delimiter && isBlank(text.charCodeAt(i + 1))) i++;
      const next = text.charCodeAt(i + 1);
      if (i + 1 < text.length && next !== delimiter && !isLineEnd(next)) return 'stray';
      isFieldStart = false;
    } else if (!isBlank(code)) isFieldStart = false;
  }
  return { end: text.length, fields, hasLineEnds };
}

/** Returns the index of the quote that closes a field; -1: there is none. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at >= 0 && text.charCodeAt(at + 1) === QUOTE) at = text.indexOf('"', at + 2);
  return at;
}

function startOfLine(text: string, at: number, least: number): number {
  let start = at;
  while (start > least && !isLineEnd(text.charCodeAt(start - 1))) start--;
  return start;
}

function endOfLine(text: string, from: number): number {
  let end = from;
  while (end < text.length && !isLineEnd(text.charCodeAt(end))) end++;
  return end;
}

/** Returns the number of fields of the first record with text; 0: there is none yet. */
function widthOf(text: string, delimiter: number): number {
  const start = text.search(/[^\s\uFEFF]|\t/);
  const header = start < 0 ? 'open' : walkRecord(text, startOfLine(text, start, 0), delimiter);
  return typeof header === 'string' ? 0 : header.fields;
}

/**
 * Returns true if a record swallowed other rows: its width differs from the header, or one of its further lines alone has the header's
 * width.
 */
function hasOtherRows(
  text: string,
  start: number,
  record: RecordSpan,
  width: number,
  delimiter: number,
): boolean {
  if (!record.hasLineEnds) return false;
  if (record.fields !== width) return true;
  if (width < MIN_TELLING_WIDTH) return false;
  for (let at = start; ; ) {
    at = afterLineEnd(text, endOfLine(text, at));
    if (at >= record.end) return false;
    const line = walkRecord(text, at, delimiter);
    if (typeof line !== 'string' && !line.hasLineEnds && line.fields === width) return true;
  }
}

/**
 * Takes each line with unbalanced quotes out of a text and yields STRAY_QUOTE at its position, so that it swallows no other line. Its quoted
 * field is never closed, has text after it, or spans lines and contains other rows. The lines after it are read as separate rows. Runs end at
 * line ends. A problem among the runs is a line that is left out: its line end begins the next run. It is passed on at its position, inside
 * a quoted field as LONG_LINE_IN_RECORD.
 */
export async function* takeStrayQuotes(
  runs: AsyncIterable<string | Problem>,
  delimiter: string,
): AsyncGenerator<string | Problem> {
  const mark = delimiter.charCodeAt(0);
  let width = 0;
  let pending = '';
  /** Positions in the pending text of lines that are left out. */
  let gaps: number[] = [];
  function* textOf(text: string, from: number, end: number, isRecord = false): Generator<string | Problem> {
    let start = from;
    for (; gaps.length > 0 && gaps[0]! < end; gaps.shift()) {
      if (gaps[0]! > start) yield text.slice(start, gaps[0]);
      yield isRecord ? LONG_LINE_IN_RECORD : LONG_LINE;
      start = gaps[0]!;
    }
    if (end > start) yield text.slice(start, end);
  }
  function* settle(text: string, isEnd: boolean): Generator<string | Problem> {
    if (width === 0) width = widthOf(text, mark);
    let from = 0;
    let at = 0;
    pending = '';
    for (let quote = text.indexOf('"'); quote >= 0; quote = text.indexOf('"', at)) {
      at = startOfLine(text, quote, at);
      const record = walkRecord(text, at, mark);
      if (record === 'open' && !isEnd && text.length - at <= MAX_RECORD) {
        pending = text.slice(at);
        yield* textOf(text, from, at);
        gaps = gaps.map((gap) => gap - at);
        return;
      }
      if (typeof record !== 'string' && !hasOtherRows(text, at, record, width, mark)) {
        if (gaps.length > 0) {
          yield* textOf(text, from, at);
          yield* textOf(text, at, record.end, true);
          from = record.end;
        }
        at = record.end;
        continue;
      }
      yield* textOf(text, from, at);
      yield STRAY_QUOTE;
      from = endOfLine(text, at);
      at = from;
    }
    yield* textOf(text, from, text.length);
  }
  for await (const run of runs) {
    if (typeof run !== 'string' && pending !== '') gaps.push(pending.length);
    else if (typeof run !== 'string' || (pending === '' && width > 0 && !run.includes('"'))) yield run;
    else yield* settle(pending + run, false);
  }
  if (pending !== '') yield* settle(pending, true);
}
