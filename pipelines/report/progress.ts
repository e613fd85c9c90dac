/** One piece of work under way. */
export interface ProgressBar {
  /** Some of its units are finished. */
  done(units?: number): void;
  /** Rows went through it. */
  rows(rows: number): void;
  end(): void;
}

/** Hears of the work of a run as it happens. */
export interface Progress {
  /** `total` units of work begin; the name says what they are. */
  start(name: string, total: number): ProgressBar;
}

/** Progress that nobody watches. */
export const silent: Progress = {
  start: () => ({ done: () => undefined, rows: () => undefined, end: () => undefined }),
};
