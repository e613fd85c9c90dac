import { MultiBar, type SingleBar } from 'cli-progress';
import type { Progress, ProgressBar } from '../pipelines/report/progress.ts';
import { oneLine, printStatus } from './print.ts';

/** Seconds between two progress lines in a log. */
const LINE_EVERY_S = 5;

/** Phases that log a line at their end: all, or those longer than the interval of progress lines. */
export type LoggedPhases = 'all' | 'long';

type Units = 'even' | 'phase';

interface ActivePhase {
  name: string;
  total: number;
  units: Units;
  kept: LoggedPhases;
  /** Time by the process clock, milliseconds. */
  started: number;
}

const rate = (rows: number, seconds: number): string =>
  rows === 0 ? '' : `${Math.round(rows / Math.max(seconds, 0.001)).toLocaleString('en-AU')} rows/s`;

const secondsOf = ({ started }: ActivePhase): number => (performance.now() - started) / 1000;
const isKept = (work: ActivePhase): boolean => work.kept === 'all' || secondsOf(work) >= LINE_EVERY_S;

/** Estimates the remaining seconds from the finished units. Empty: unknown. */
function timeLeft(work: ActivePhase, done: number): string {
  if (work.units === 'phase' || done === 0 || done >= work.total) return '';
  return `${((secondsOf(work) / done) * (work.total - done)).toFixed(0)} s left`;
}

/** Summarises a phase in one line: units, rows and rate, seconds, remaining time. */
function summary(work: ActivePhase, done: number, rows: number): string {
  const seconds = secondsOf(work);
  const counts = rows > 0 ? [`${rows.toLocaleString('en-AU')} rows`, rate(rows, seconds)] : [];
  const parts = [
    `${work.name}: ${done}/${work.total}`,
    ...counts,
    `${seconds.toFixed(1)} s`,
    timeLeft(work, done),
  ];
  return parts.filter(Boolean).join(', ');
}

export interface BarParts {
  name: string;
  done: number;
  total: number;
  rate: string;
  remaining: string;
}

const BAR = 20;
/** Widths of the parts of a bar, so that it stays in its place while they grow. */
const [NAME, RATE, LEFT] = [32, 16, 12];

/** Builds a bar that fits a terminal of `width` columns. Less important parts are left out first. */
export function barLine({ name, done, total, rate, remaining }: BarParts, width: number): string {
  const filled = total > 0 ? Math.round((BAR * Math.min(done, total)) / total) : 0;
  const bar = '█'.repeat(filled) + '░'.repeat(BAR - filled);
  const count = `${done}/${total}`;
  const columns = Math.max(10, width - 1);
  const [named, counted] = [name.padEnd(NAME), count.padStart(2 * String(total).length + 1)];
  const forms = [
    [named, bar, counted, rate.padStart(RATE), remaining.padStart(LEFT)],
    [named, bar, counted, remaining.padStart(LEFT)],
    [name, counted, remaining.padStart(LEFT)],
    [name, count],
  ].map((parts) => parts.join(' '));
  const fitting = forms.find((form) => form.length <= columns) ?? clipped(forms.at(-1)!, count, columns);
  return fitting.trimEnd();
}

/** Cuts a line from the left so that its end fits. */
const clipped = (line: string, end: string, columns: number): string =>
  `${line.slice(0, Math.max(0, columns - end.length - 2))}… ${end}`;

/** Bars of all phases in progress; null: none. */
let bars: MultiBar | null = null;
let active = 0;

function openBars(): MultiBar {
  active++;
  bars ??= new MultiBar({
    format: (_options, { value, total }, { name, work, rows }) =>
      barLine(
        { name, done: value, total, rate: rate(rows, secondsOf(work)), remaining: timeLeft(work, value) },
        process.stderr.columns ?? 80,
      ),
    stream: process.stderr,
    clearOnComplete: true,
    hideCursor: true,
  });
  return bars;
}

/** Ends one bar. The last one ends the display and its timer, which would keep the process alive. */
function closeBar(bar: SingleBar): void {
  bars?.remove(bar);
  if (--active > 0) return;
  bars?.stop();
  bars = null;
}

/** Removes the bars of failed phases. */
export function closeProgress(): void {
  bars?.stop();
  bars = null;
  active = 0;
}

/** Shows a bar on a terminal; a line remains when it ends. */
function terminalBar(work: ActivePhase): ProgressBar {
  let rows = 0;
  const payload = () => ({ name: oneLine(work.name), work, rows });
  const bar = openBars().create(work.total, 0, payload());
  return {
    done: (units = 1) => bar.increment(units, payload()),
    rows: (n) => {
      rows += n;
      bar.update(payload());
    },
    end: () => {
      if (isKept(work)) {
        const width = Math.max(10, (process.stderr.columns ?? 80) - 1);
        bars?.log(`${oneLine(summary(work, work.total, rows)).slice(0, width)}\n`);
        bars?.update();
      }
      closeBar(bar);
    },
  };
}

/** Writes plain lines: one every few seconds and one at the end. */
function logLines(work: ActivePhase): ProgressBar {
  let last = work.started;
  let done = 0;
  let rows = 0;
  const line = (): void => printStatus(oneLine(summary(work, done, rows)));
  const tick = (): void => {
    if (performance.now() - last < LINE_EVERY_S * 1000 || done >= work.total) return;
    last = performance.now();
    line();
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
    end: () => {
      if (isKept(work)) line();
    },
  };
}

/** Writes one JSON object a line. */
function jsonLines({ name, total, started }: ActivePhase): ProgressBar {
  let done = 0;
  let rows = 0;
  let last = 0;
  const write = (event: string): void => {
    const seconds = Math.round(performance.now() - started) / 1000;
    printStatus(JSON.stringify({ event, name, done, total, rows, seconds }));
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

/** Builds progress on standard error: a bar on a terminal, lines in a log, NDJSON with --json. */
export function progressFor(json: boolean, loggedPhases: LoggedPhases = 'all'): Progress {
  const open = json ? jsonLines : process.stderr.isTTY ? terminalBar : logLines;
  return {
    start: (name, total, units = 'even') =>
      open({ name, total, units, kept: loggedPhases, started: performance.now() }),
  };
}
