import { closeSync, openSync, writeSync } from 'node:fs';

const FLUSH_CHARS = 1 << 16;

/** Streams lines of text to a file, UTF-8. The caller writes the separators; `line` adds the line end. */
export class DelimitedWriter {
  /** Lines after the header. */
  rows = 0;
  private readonly fd: number;
  private readonly lineEnd: string;
  private pending: string;

  constructor(path: string, header: string, lineEnd: '\r\n' | '\n') {
    this.fd = openSync(path, 'w');
    this.lineEnd = lineEnd;
    this.pending = header + lineEnd;
  }

  line(row: string): void {
    this.pending += row + this.lineEnd;
    this.rows++;
    if (this.pending.length > FLUSH_CHARS) this.flush();
  }

  close(): void {
    this.flush();
    closeSync(this.fd);
  }

  private flush(): void {
    writeSync(this.fd, this.pending, null, 'utf8');
    this.pending = '';
  }
}
