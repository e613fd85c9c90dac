import type { Batch, BatchSummary } from './run_batch.ts';
import type { TaskDone, Workers } from './workers.ts';

/** What a batch came to: the rows of all its partitions, and how many of them another process computed. */
export interface BatchDone {
  rows: number;
  elsewhere: number;
}

/**
 * Where the batches of a run are computed. A batch may be computed twice, at the same time or one after the other, since it is
 * recorded once (run_batch.ts).
 */
export interface Executor {
  compute(batch: Batch): Promise<BatchDone>;
}

/** An executor that hands batches to other machines too. */
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

/** What such an executor has of the run that opens it. */
export interface RunHere {
  workers: Workers;
  /** Ends the sessions of processes that are silent, so that what they had in hand is free. */
  endSilent: () => Promise<void>;
  /** Hears what a thread of another machine did. */
  onTask: (done: TaskDone) => void;
  /** Hears that the queue failed; the run goes on without it. */
  onQueueFailure: (error: Error) => void;
}
