import type { Task } from './worker.ts';
import type { TaskDone, Workers } from './workers.ts';

/** Result of a task: the rows of its batch or part, and how many partitions of the batch, or 1 for the part, another process did. */
export interface Done {
  rows: number;
  elsewhere: number;
}

/**
 * Does the tasks of a run: computes batches and loads parts. A task may be done twice, concurrently or in sequence, since it is recorded
 * once (run_batch.ts, load_part.ts).
 */
export interface Executor {
  /** `onRows` hears of rows while a thread of this process loads a part. */
  run(task: Task, onRows?: (rows: number) => void): Promise<Done>;
}

/** An executor that also gives tasks to other machines. */
export interface Distributed extends Executor {
  /** Gives up all that is not done. */
  drop(reason: Error): void;
  /** Called when the threads of the run are closed. */
  close(): Promise<void>;
}

/** Works in the threads of this process. */
export const inThreads = (workers: Workers): Executor => ({
  run: async (task, onRows) => ({
    rows: (await workers.run<{ rows: number }>(task, onRows)).rows,
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
