import { once } from 'node:events';
import { coloured, takesColour } from './colour.ts';

/** Controls that a terminal obeys, and marks that turn the direction of a text; not the ends of lines and tabs. */
const CONTROL =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069]/g;

const escaped = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A text with its control characters as JSON writes them, so that data never speak to the terminal and JSON stays what it was. */
export const visible = (text: string): string => text.replaceAll(CONTROL, escaped);

/** The same text on one line. */
export const oneLine = (text: string): string =>
  visible(text).replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t');

/** Streams whose reader went away. */
const gone = new Set<NodeJS.WritableStream>();

/** A reader that goes away ends the printing, never the work; an output that cannot be written is said once and is exit code 1. */
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
  // Colours come after what the data must not say to a terminal was taken out.
  const safe = visible(text);
  return stream.write(takesColour(stream, process.env) ? coloured(safe) : safe);
}

/** Whether anybody still reads the standard output: without one there is no reason to go on with what only prints. */
export const isRead = (): boolean => !gone.has(process.stdout);

/** Prints a line, or several, to the standard output; settles once the reader is ready for more. */
export async function printLine(text: string): Promise<void> {
  if (write(process.stdout, `${text}\n`)) return;
  // A stream that fails is closed.
  await Promise.race([once(process.stdout, 'drain'), once(process.stdout, 'close')]).catch(() => undefined);
}

/** Writes a line to standard error, apart from the output. */
export const say = (line: string): void => {
  write(process.stderr, `${line}\n`);
};
