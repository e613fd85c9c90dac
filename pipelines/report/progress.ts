/** One piece of work under way. */
export interface ProgressBar {
  /** Some of its units are finished. */
  done(units?: number): void;
  /** Rows went through it. */
  rows(rows: number): void;
  end(): void;
}

/** Receives the progress of a run. */
export interface Progress {
  /**
   * `total` units of work begin; the name says what they are. `units`: even ones take about as long each, so that the time left can be told
   * from those done; a phase counts the pieces of a run, of which the last may be the longest.
   */
  start(name: string, total: number, units?: 'even' | 'phase'): ProgressBar;
}

/** Progress that nobody watches. */
export const silent: Progress = {
  start: () => ({ done: () => undefined, rows: () => undefined, end: () => undefined }),
};
