/** Takeover time for a dead worker's job: at most `lockMs` plus twice `stalledCheckMs`. */
export interface WorkerTiming {
  /** Time that a job stays with its worker without a renewal, milliseconds; the worker renews it at half of that. */
  lockMs: number;
  stalledCheckMs: number;
  /** Interval in which the schedules are compared with the queue. Absent: a minute. */
  schedulesMs?: number;
}

export const TIMING: WorkerTiming = { lockMs: 60_000, stalledCheckMs: 30_000 };

/** The same for tasks. A task taken over by mistake is recorded once. */
export const TASK_TIMING: WorkerTiming = { lockMs: 10_000, stalledCheckMs: 5000 };
