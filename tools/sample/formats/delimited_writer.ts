import { closeSync, openSync, writeSync } from 'node:fs';

const BUFFER_BYTES = 1 << 17;
/** Text gathered before it is encoded: fewer calls, yet young enough that the garbage collector need not copy it. */
const PENDING_CHARS = 8192;
/** Longest line taken. */
const LINE_CHARS = 8192;

/** Streams lines of text to a file, UTF-8. The caller writes the separators; `line` adds the line end. */
export class DelimitedWriter {
  /** Lines after the header. */
  rows = 0;
  private readonly fd: number;
  private readonly lineEnd: string;
  private readonly buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  private used = 0;
  private pending: string;

  constructor(path: string, header: string, lineEnd: '\r\n' | '\n') {
    this.fd = openSync(path, 'w');
    this.lineEnd = lineEnd;
    this.pending = header + lineEnd;
  }

  /** Appends a row of at most 8,192 characters. */
  line(row: string): void {
    if (row.length > LINE_CHARS) throw new RangeError(`a line of ${row.length} characters is too long`);
    this.pending += row + this.lineEnd;
    this.rows++;
    if (this.pending.length > PENDING_CHARS) this.encode();
  }

  close(): void {
    this.encode();
    this.flush();
    closeSync(this.fd);
  }

  private encode(): void {
    // UTF-8 takes at most three bytes per UTF-16 unit
    if (this.used + 3 * (PENDING_CHARS + LINE_CHARS + 2) > BUFFER_BYTES) this.flush();
    this.used += this.buffer.write(this.pending, this.used, 'utf8');
    this.pending = '';
  }

  private flush(): void {
    writeSync(this.fd, this.buffer, 0, this.used);
    this.used = 0;
  }
}
