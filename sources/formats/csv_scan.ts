const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;

/** What csv-parse trims: tab, line feed, form feed, carriage return and space. */
const isBlank = (code: number): boolean =>
  code === 0x20 || code === 0x09 || code === CR || code === LF || code === 0x0c;

const isLineEnd = (code: number): boolean => code === LF || code === CR;

/** Why the scanner stands still: the text ends inside a record, the record has quotes that are not plain, or is too long. */
export type Stop = 'end' | 'odd' | 'long';

/**
 * Takes plain records of delimited text apart: fields with or without quotes, `""` for a quote inside quotes, fields trimmed outside
 * quotes, empty lines passed over. Every record is what csv-parse makes of it, several times as fast; one with quotes at other
 * places is left to it.
 */
export class CsvScanner {
  readonly #delimiter: number;
  #text = '';
  #at = 0;
  /** Line on which the record that was read last ends, from 1. */
  line = 0;
  /** Line ends that were passed. */
  #passed = 0;
  #start = 0;
  #isLast = false;

  readonly #longest: number;

  constructor(delimiter: string, longest: number) {
    this.#delimiter = delimiter.charCodeAt(0);
    this.#longest = longest;
  }

  /** Adds text behind what is left. */
  push(text: string, isLast: boolean): void {
    this.#text = this.#at === this.#text.length ? text : this.#text.slice(this.#at) + text;
    this.#at = 0;
    this.#start = 0;
    this.#isLast = isLast;
  }

  /** Text from the record on that was not read. */
  get rest(): string {
    return this.#text.slice(this.#start);
  }

  /** Line ends before that record. */
  get linesBefore(): number {
    return this.#passed;
  }

  /** The next record, or why there is none; after a stop the scanner stands before the record. */
  next(): string[] | Stop {
    const text = this.#text;
    const { length } = text;
    const delimiter = this.#delimiter;
    for (;;) {
      this.#start = this.#at;
      if (this.#at === length) return 'end';
      const cells: string[] = [];
      let at = this.#at;
      let lines = 0;
      let isQuoted = false;
      for (;;) {
        at = this.#blanks(at);
        let cell: string;
        if (text.charCodeAt(at) === QUOTE) {
          isQuoted = true;
          const from = ++at;
          let hasQuotes = false;
          for (; ; at++) {
            if (at >= length) return this.#stop(this.#isLast ? 'odd' : 'end');
            const code = text.charCodeAt(at);
            if (code === LF || (code === CR && text.charCodeAt(at + 1) !== LF)) lines++;
            if (code !== QUOTE) continue;
            if (text.charCodeAt(at + 1) !== QUOTE) break;
            hasQuotes = true;
            at++;
          }
          cell = text.slice(from, at);
          if (hasQuotes) cell = cell.replaceAll('""', '"');
          at = this.#blanks(at + 1);
        } else {
          const from = at;
          let code = 0;
          for (; at < length; at++) {
            code = text.charCodeAt(at);
            if (code === delimiter || code === LF || code === CR || code === QUOTE) break;
          }
          if (code === QUOTE && at < length) return this.#stop('odd');
          let to = at;
          while (to > from && isBlank(text.charCodeAt(to - 1))) to--;
          cell = text.slice(from, to);
        }
        cells.push(cell);
        if (text.charCodeAt(at) !== delimiter) break;
        at++;
      }
      // a quote at the very end may be the first of two, a carriage return half a line end
      if (at >= length - 1 && !this.#isLast && text.charCodeAt(at) !== LF) return this.#stop('end');
      if (at - this.#start > this.#longest) return this.#stop('long');
      const isEnd = at >= length;
      if (!isEnd && !isLineEnd(text.charCodeAt(at))) return this.#stop('odd');
      if (text.charCodeAt(at) === CR && text.charCodeAt(at + 1) === LF) at++;
      this.#at = isEnd ? length : at + 1;
      this.line = this.#passed + lines + 1;
      this.#passed += lines + (isEnd ? 0 : 1);
      if (cells.length === 1 && cells[0] === '' && !isQuoted) continue;
      return cells;
    }
  }

  /** Passes over the line that the scanner stands before. False where its end is not in the text; what there is of it is forgotten. */
  skipLine(): boolean {
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = end < 0 ? this.#text.length : end + 1;
    this.#start = this.#at;
    if (end < 0) return false;
    this.#passed++;
    this.line = this.#passed;
    return true;
  }

  /** Place of the next character that is no blank of the same line, and not the delimiter. */
  #blanks(from: number): number {
    const text = this.#text;
    for (let at = from; ; at++) {
      const code = text.charCodeAt(at);
      if (!isBlank(code) || isLineEnd(code) || code === this.#delimiter) return at;
    }
  }

  #stop(stop: Stop): Stop {
    this.#at = this.#start;
    return this.#text.length - this.#start > this.#longest && stop === 'end' ? 'long' : stop;
  }
}
