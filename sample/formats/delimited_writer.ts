import { closeSync, openSync, writeSync } from 'node:fs';

const BUFFER_BYTES = 1 << 17;
/** Room kept for one line; UTF-8 takes at most three bytes per UTF-16 unit. */
const LINE_CHARS = 4096;

/** Streams lines of text to a file, UTF-8. The caller writes the separators; `line` adds the line end. */
export class DelimitedWriter {
  /** Lines after the header. */
  rows = 0;
  private readonly fd: number;
  private readonly lineEnd: string;
  // each line is encoded at once: text kept as a growing string costs more in garbage collection than it saves in calls
  private readonly buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  private used = 0;

  constructor(path: string, header: string, lineEnd: '\r\n' | '\n') {
    this.fd = openSync(path, 'w');
    this.lineEnd = lineEnd;
    this.put(header + lineEnd);
  }

  /** Appends a row of at most 4,096 characters. */
  line(row: string): void {
    this.put(row + this.lineEnd);
    this.rows++;
  }

  close(): void {
    this.flush();
    closeSync(this.fd);
  }

  private put(text: string): void {
    if (text.length > LINE_CHARS) throw new RangeError(`a line of ${text.length} characters is too long`);
    if (this.used + 3 * LINE_CHARS > BUFFER_BYTES) this.flush();
    this.used += this.buffer.write(text, this.used, 'utf8');
  }

  private flush(): void {
    writeSync(this.fd, this.buffer, 0, this.used);
    this.used = 0;
  }
}
