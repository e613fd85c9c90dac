import type { Batch, BatchSummary } from './run_batch.ts';
import type { TaskDone, Workers } from './workers.ts';

/** Result of a batch: the rows of all its partitions, and how many of these another process computed. */
export interface BatchDone {
  rows: number;
  elsewhere: number;
}

/**
 * Computes the batches of a run. A batch may be computed twice, concurrently or in sequence, since it is recorded once (run_batch.ts).
 */
export interface Executor {
  compute(batch: Batch): Promise<BatchDone>;
}

/** An executor that also gives batches to other machines. */
export interface Distributed extends Executor {
  /** Gives up all that is not done. */
  drop(reason: Error): void;
  /** Called when the threads of the run are closed. */
  close(): Promise<void>;
}

/** Computes in the threads of this process. */
export const inThreads = (workers: Workers): Executor => ({
  compute: async (batch) => ({
    rows: (await workers.run<BatchSummary>({ kind: 'batch', ...batch })).rows,
    elsewhere: 0,
  }),
});

/** What such an executor receives from its run. */
export interface RunHere {
  workers: Workers;
  /** Ends the sessions of processes that are silent, so that what they had in hand is free. */
  endSilent: () => Promise<void>;
  /** Hears what a thread of another machine did. */
  onTask: (done: TaskDone) => void;
  /** Hears that the queue failed; the run goes on without it. */
  onQueueFailure: (error: Error) => void;
}
