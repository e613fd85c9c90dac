import type { Progress } from './progress.ts';

/** A finished task of a thread. Times by `performance.now()`. */
export interface TaskDone {
  /** Process and machine; absent: this process. */
  machine?: string;
  thread: number;
  name: string;
  from: number;
  to: number;
}

/**
 * A piece of work of a run: a dataset, a stage, the publication, or a phase that counts such pieces. Times in seconds since the run began.
 */
export interface TimelineSpan {
  name: string;
  isPhase: boolean;
  from_s: number;
  /** Null: in progress, or the run ended first. */
  to_s: number | null;
  done: number;
  total: number;
  rows: number;
}

/** Work of a thread; consecutive tasks of the same piece are merged. Times in seconds since the run began. */
export interface ThreadSpan {
  /** Process and machine; absent: the process of the run. */
  machine?: string;
  /** From 1, in the order in which the process started its threads. */
  thread: number;
  name: string;
  from_s: number;
  to_s: number;
}

export interface RunTimeline {
  pieces: TimelineSpan[];
  threads: ThreadSpan[];
}

/** Pauses shorter than this, seconds, are merged; maximum spans that a run keeps, the longest. */
const PAUSE_S = 0.1;
const SPANS = 1500;

/** Records the work of one run, and forwards its progress. */
export class Timeline {
  readonly #begun = performance.now();
  readonly #pieces: TimelineSpan[] = [];
  /** By machine and thread. */
  readonly #threads = new Map<string, ThreadSpan[]>();
  readonly #inner: Progress;
  #changes = 0;

  constructor(inner: Progress) {
    this.#inner = inner;
  }

  #seconds(at: number): number {
    return Math.round(at - this.#begun) / 1000;
  }

  /** Progress for the run to report to. */
  readonly progress: Progress = {
    start: (name, total, units) => {
      const bar = this.#inner.start(name, total, units);
      const from_s = this.#seconds(performance.now());
      const piece: TimelineSpan = {
        name,
        isPhase: units === 'phase',
        from_s,
        to_s: null,
        done: 0,
        total,
        rows: 0,
      };
      this.#pieces.push(piece);
      this.#changes++;
      return {
        done: (units = 1) => {
          piece.done += units;
          this.#changes++;
          bar.done(units);
        },
        rows: (n) => {
          piece.rows += n;
          this.#changes++;
          bar.rows(n);
        },
        end: () => {
          piece.to_s = this.#seconds(performance.now());
          this.#changes++;
          bar.end();
        },
      };
    },
  };

  /** Records a finished task of the run's threads or of workers on other machines. */
  readonly onTask = ({ machine, thread, name, from, to }: TaskDone): void => {
    const whose = `${machine ?? ''} ${thread}`;
    const spans = this.#threads.get(whose) ?? [];
    this.#threads.set(whose, spans);
    const [from_s, to_s] = [this.#seconds(from), this.#seconds(to)];
    const last = spans.at(-1);
    if (last?.name === name && from_s - last.to_s < PAUSE_S) last.to_s = to_s;
    else spans.push({ ...(machine === undefined ? {} : { machine }), thread, name, from_s, to_s });
  };

  /** Counter that increases with every change. */
  get changes(): number {
    return this.#changes;
  }

  /** Pieces in the order in which they began. */
  get pieces(): readonly TimelineSpan[] {
    return this.#pieces;
  }

  whole(): RunTimeline {
    const all = [...this.#threads.values()].flat();
    const longest = [...all].sort((a, b) => b.to_s - b.from_s - (a.to_s - a.from_s)).slice(0, SPANS);
    const machineOf = ({ machine = '' }: ThreadSpan): string => machine;
    const threads = longest.sort((a, b) =>
      machineOf(a) < machineOf(b)
        ? -1
        : machineOf(a) > machineOf(b)
          ? 1
          : a.thread - b.thread || a.from_s - b.from_s,
    );
    return { pieces: this.#pieces, threads };
  }
}
