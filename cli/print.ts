import { once } from 'node:events';
import { coloured, takesColour } from './colour.ts';

/** Terminal control characters and text direction marks, without line ends and tabs. */
const CONTROL =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069]/g;

const escaped = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Escapes control characters as in JSON, so that data cannot control the terminal and JSON stays equal. */
export const visible = (text: string): string => text.replaceAll(CONTROL, escaped);

/** The same text on one line. */
export const oneLine = (text: string): string =>
  visible(text).replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t');

/** Streams whose reader has closed. */
const gone = new Set<NodeJS.WritableStream>();

/**
 * If the reader of the output closes, printing stops and the work goes on. An output that cannot be written is reported once and gives exit
 * code 1.
 */
export function guardOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (gone.has(stream)) return;
      gone.add(stream);
      if (error.code === 'EPIPE') return;
      process.exitCode = 1;
      write(process.stderr, `error ${error.code}: the output cannot be written: ${error.message}\n`);
    });
  }
}

function write(stream: NodeJS.WriteStream, text: string): boolean {
  if (gone.has(stream)) return true;
  // Colours are added after control characters are removed.
  const safe = visible(text);
  return stream.write(takesColour(stream, process.env) ? coloured(safe) : safe);
}

/** True if standard output still has a reader; without one, a command that only prints can stop. */
export const isRead = (): boolean => !gone.has(process.stdout);

/** Prints lines to standard output. Resolves when the reader is ready for more. */
export async function printLine(text: string): Promise<void> {
  if (write(process.stdout, `${text}\n`)) return;
  // A failed stream is closed.
  await Promise.race([once(process.stdout, 'drain'), once(process.stdout, 'close')]).catch(() => undefined);
}

/** Writes a line to standard error, apart from the output. */
export const printStatus = (line: string): void => {
  write(process.stderr, `${line}\n`);
};
