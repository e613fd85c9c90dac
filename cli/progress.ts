import { MultiBar, type SingleBar } from 'cli-progress';
import type { Progress, ProgressBar } from '../pipelines/report/progress.ts';
import { oneLine, say } from './print.ts';

/** Seconds between two lines of a log. */
const LINE_EVERY_S = 5;

/** Pieces of work that leave a line when they end: all of them, or those that took longer than that between two lines of a log. */
export type LoggedPhases = 'all' | 'long';

type Units = 'even' | 'phase';

/** A piece of work under way. */
interface ActivePhase {
  name: string;
  total: number;
  units: Units;
  kept: LoggedPhases;
  /** By the clock of the process, milliseconds. */
  started: number;
}

const rate = (rows: number, seconds: number): string =>
  rows === 0 ? '' : `${Math.round(rows / Math.max(seconds, 0.001)).toLocaleString('en-AU')} rows/s`;

const secondsOf = ({ started }: ActivePhase): number => (performance.now() - started) / 1000;
const isKept = (work: ActivePhase): boolean => work.kept === 'all' || secondsOf(work) >= LINE_EVERY_S;

/** Seconds left by those that the finished units took; empty where nothing says how long the others take. */
function left(work: ActivePhase, done: number): string {
  if (work.units === 'phase' || done === 0 || done >= work.total) return '';
  return `${((secondsOf(work) / done) * (work.total - done)).toFixed(0)} s left`;
}

/** One line on a piece of work: done, rows and rate, seconds, and what is left. */
function summary(work: ActivePhase, done: number, rows: number): string {
  const seconds = secondsOf(work);
  const counted = rows > 0 ? [`${rows.toLocaleString('en-AU')} rows`, rate(rows, seconds)] : [];
  const parts = [
    `${work.name}: ${done}/${work.total}`,
    ...counted,
    `${seconds.toFixed(1)} s`,
    left(work, done),
  ];
  return parts.filter(Boolean).join(', ');
}

/** The parts of a bar in a terminal. */
export interface BarParts {
  name: string;
  done: number;
  total: number;
  rate: string;
  left: string;
}

const BAR = 20;

/** A bar on one line of a terminal that is `width` columns wide: what there is no room for is left out, the least important first. */
export function barLine({ name, done, total, rate, left }: BarParts, width: number): string {
  const filled = total > 0 ? Math.round((BAR * Math.min(done, total)) / total) : 0;
  const bar = '█'.repeat(filled) + '░'.repeat(BAR - filled);
  const count = `${done}/${total}`;
  const room = Math.max(10, width - 1);
  const forms = [
    [name.padEnd(34), bar, count, rate, left],
    [name, bar, count, left],
    [name, count, left],
    [name, count],
  ].map((parts) => parts.filter((part) => part !== '').join(' '));
  const last = forms.at(-1)!;
  return forms.find((form) => form.length <= room) ?? clipped(last, count, room);
}

/** A line cut to its room from the left of what must stay at its end. */
const clipped = (line: string, end: string, room: number): string =>
  `${line.slice(0, Math.max(0, room - end.length - 2))}… ${end}`;

/** Bars of the work under way, below one another; there while any of it is. */
let bars: MultiBar | null = null;
let active = 0;

function openBars(): MultiBar {
  active++;
  bars ??= new MultiBar({
    format: (_options, { value, total }, { name, work, rows }) =>
      barLine(
        { name, done: value, total, rate: rate(rows, secondsOf(work)), left: left(work, value) },
        process.stderr.columns ?? 80,
      ),
    stream: process.stderr,
    clearOnComplete: true,
    hideCursor: true,
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

/** Plain lines, one every few seconds and one at the end. */
function logLines(work: ActivePhase): ProgressBar {
  let last = work.started;
  let done = 0;
  let rows = 0;
  const line = (): void => say(oneLine(summary(work, done, rows)));
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

/** One JSON object a line, for machines. */
function jsonLines({ name, total, started }: ActivePhase): ProgressBar {
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
export function progressFor(json: boolean, kept: LoggedPhases = 'all'): Progress {
  const open = json ? jsonLines : process.stderr.isTTY ? terminalBar : logLines;
  return {
    start: (name, total, units = 'even') => open({ name, total, units, kept, started: performance.now() }),
  };
}
