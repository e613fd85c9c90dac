import { SingleBar } from 'cli-progress';
import type { Progress, ProgressBar } from '../pipelines/progress.ts';

/** Seconds between two lines of a log. */
const LINE_EVERY_S = 5;

const rate = (rows: number, seconds: number): string =>
  rows === 0 ? '' : `${Math.round(rows / Math.max(seconds, 0.001)).toLocaleString('en-AU')} rows/s`;

/** A bar on a terminal. */
function terminalBar(name: string, total: number): ProgressBar {
  const started = performance.now();
  const bar = new SingleBar({
    format: '{name} {bar} {value}/{total} {rate} {eta_formatted} left',
    stream: process.stderr,
    clearOnComplete: true,
    hideCursor: true,
    barsize: 24,
  });
  let rows = 0;
  const label = name.padEnd(34);
  bar.start(total, 0, { name: label, rate: '' });
  const payload = () => ({ name: label, rate: rate(rows, (performance.now() - started) / 1000) });
  return {
    done: (units = 1) => bar.increment(units, payload()),
    rows: (n) => {
      rows += n;
      bar.update(payload());
    },
    end: () => {
      bar.stop();
      line(name, total, total, rows, started);
    },
  };
}

function line(name: string, done: number, total: number, rows: number, started: number): void {
  const seconds = (performance.now() - started) / 1000;
  const left = done > 0 && done < total ? `, ${((seconds / done) * (total - done)).toFixed(0)} s left` : '';
  const counted = rows > 0 ? `, ${rows.toLocaleString('en-AU')} rows, ${rate(rows, seconds)}` : '';
  process.stderr.write(`${name}: ${done}/${total}${counted}, ${seconds.toFixed(1)} s${left}\n`);
}

/** Plain lines, one every few seconds and one at the end. */
function logLines(name: string, total: number): ProgressBar {
  const started = performance.now();
  let last = started;
  let done = 0;
  let rows = 0;
  const tick = (): void => {
    if (performance.now() - last < LINE_EVERY_S * 1000) return;
    last = performance.now();
    line(name, done, total, rows, started);
  };
  return {
    done: (units = 1) => {
      done += units;
      tick();
    },
    rows: (n) => {
      rows += n;
      tick();
    },
    end: () => line(name, done, total, rows, started),
  };
}

/** One JSON object a line, for machines. */
function jsonLines(name: string, total: number): ProgressBar {
  const started = performance.now();
  let done = 0;
  let rows = 0;
  let last = 0;
  const write = (event: string): void => {
    const seconds = Math.round(performance.now() - started) / 1000;
    process.stderr.write(`${JSON.stringify({ event, name, done, total, rows, seconds })}\n`);
  };
  const tick = (): void => {
    if (performance.now() - last < 1000) return;
    last = performance.now();
    write('progress');
  };
  return {
    done: (units = 1) => {
      done += units;
      tick();
    },
    rows: (n) => {
      rows += n;
      tick();
    },
    end: () => write('end'),
  };
}

/** Progress on standard error: a bar on a terminal, lines in a log, NDJSON with --json. */
export function progressFor(json: boolean): Progress {
  return { start: json ? jsonLines : process.stderr.isTTY ? terminalBar : logLines };
}
