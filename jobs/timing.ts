/** Takeover time for a dead worker's job: at most `lockMs` plus twice `stalledCheckMs`. */
export interface WorkerTiming {
  /** How long a job stays a worker's without word from it; it says so every half of that. */
  lockMs: number;
  stalledCheckMs: number;
}

export const TIMING: WorkerTiming = { lockMs: 60_000, stalledCheckMs: 30_000 };

/** The same for tasks: one taken over by mistake is recorded once. */
export const TASK_TIMING: WorkerTiming = { lockMs: 10_000, stalledCheckMs: 5000 };
