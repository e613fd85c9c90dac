import { MultiBar, type SingleBar } from 'cli-progress';
import type { Progress, ProgressBar } from '../pipelines/report/progress.ts';
import { oneLine, say } from './print.ts';

/** Seconds between two lines of a log. */
const LINE_EVERY_S = 5;

const rate = (rows: number, seconds: number): string =>
  rows === 0 ? '' : `${Math.round(rows / Math.max(seconds, 0.001)).toLocaleString('en-AU')} rows/s`;

/** Bars of the work under way, below one another; there while any of it is. */
let bars: MultiBar | null = null;
let active = 0;

function openBars(): MultiBar {
  active++;
  bars ??= new MultiBar({
    format: '{name} {bar} {value}/{total} {rate} {eta_formatted} left',
    stream: process.stderr,
    clearOnComplete: true,
    hideCursor: true,
    barsize: 24,
  });
  return bars;
}

/** Ends one bar; the last one takes the display with it, and with it the timer that would keep the process alive. */
function closeBar(bar: SingleBar): void {
  bars?.remove(bar);
  if (--active > 0) return;
  bars?.stop();
  bars = null;
}

/** Takes away the bars of work that ended early, because it failed. */
export function closeProgress(): void {
  bars?.stop();
  bars = null;
  active = 0;
}

/** A bar on a terminal, and a line that stays when it ends. */
function terminalBar(name: string, total: number): ProgressBar {
  const started = performance.now();
  const label = oneLine(name).padEnd(34);
  let rows = 0;
  const payload = () => ({ name: label, rate: rate(rows, (performance.now() - started) / 1000) });
  const bar = openBars().create(total, 0, payload());
  return {
    done: (units = 1) => bar.increment(units, payload()),
    rows: (n) => {
      rows += n;
      bar.update(payload());
    },
    end: () => {
      bars?.log(`${oneLine(summary(name, total, total, rows, started))}\n`);
      bars?.update();
      closeBar(bar);
    },
  };
}

/** One line on a piece of work: done, rows and rate, seconds, and what is left. */
function summary(name: string, done: number, total: number, rows: number, started: number): string {
  const seconds = (performance.now() - started) / 1000;
  const left = done > 0 && done < total ? `, ${((seconds / done) * (total - done)).toFixed(0)} s left` : '';
  const counted = rows > 0 ? `, ${rows.toLocaleString('en-AU')} rows, ${rate(rows, seconds)}` : '';
  return `${name}: ${done}/${total}${counted}, ${seconds.toFixed(1)} s${left}`;
}

const line = (...of: Parameters<typeof summary>): void => {
  say(oneLine(summary(...of)));
};

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
    say(JSON.stringify({ event, name, done, total, rows, seconds }));
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
