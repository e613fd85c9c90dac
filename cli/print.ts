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

/** Breaks a long line between words. Further lines begin below its last column, or four spaces in. */
function wrappedLine(line: string, width: number): string {
  if (line.length <= width) return line;
  const [begin = ''] = /^ */.exec(line)!;
  const columnsEnd = Math.max(
    ...[...line.slice(0, width / 2).matchAll(/ {2,}(?=\S)/g)].map(({ 0: gap, index }) => index + gap.length),
    0,
  );
  const indent = ' '.repeat(columnsEnd > begin.length ? columnsEnd : begin.length + 4);
  const lines: string[] = [];
  let remaining = line;
  while (remaining.length > width) {
    const least = lines.length === 0 ? columnsEnd || begin.length : indent.length;
    const at = remaining.lastIndexOf(' ', width);
    const cut = at > least ? at : remaining.indexOf(' ', width);
    if (cut < 0) break;
    lines.push(remaining.slice(0, cut).trimEnd());
    remaining = indent + remaining.slice(cut).trimStart();
  }
  return [...lines, remaining].join('\n');
}

/** Fits text to a terminal of `width` columns. JSON stays as it is. */
export const wrapped = (text: string, width: number): string =>
  /^[{[]/.test(text)
    ? text
    : text
        .split('\n')
        .map((line) => wrappedLine(line, width))
        .join('\n');

/** Streams whose reader has closed. */
const closedStreams = new Set<NodeJS.WritableStream>();

/**
 * If the reader of the output closes, printing stops and the work goes on. An output that cannot be written is reported once and gives exit
 * code 1.
 */
export function guardOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (closedStreams.has(stream)) return;
      closedStreams.add(stream);
      if (error.code === 'EPIPE') return;
      process.exitCode = 1;
      write(process.stderr, `error ${error.code}: the output cannot be written: ${error.message}\n`);
    });
  }
}

function write(stream: NodeJS.WriteStream, text: string): boolean {
  if (closedStreams.has(stream)) return true;
  // Colours are added after control characters are removed.
  const visibleText = visible(text);
  const safe = stream.isTTY && stream.columns > 0 ? wrapped(visibleText, stream.columns) : visibleText;
  return stream.write(takesColour(stream, process.env) ? coloured(safe) : safe);
}

/** True if standard output still has a reader; without one, a command that only prints can stop. */
export const isOutputRead = (): boolean => !closedStreams.has(process.stdout);

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
