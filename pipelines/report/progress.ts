/** Progress of a piece of work. */
export interface ProgressBar {
  /** Counts finished units. */
  done(units?: number): void;
  /** Counts processed rows. */
  rows(rows: number): void;
  end(): void;
}

/** Receives the progress of a run. */
export interface Progress {
  /**
   * Starts `total` units of work under a name that says what they are. `units` `even`: each takes about as long, so the remaining time can
   * be estimated. `phase`: the units are pieces of a run, and the last may take longest.
   */
  start(name: string, total: number, units?: 'even' | 'phase'): ProgressBar;
}

export const silent: Progress = {
  start: () => ({ done: () => undefined, rows: () => undefined, end: () => undefined }),
};
