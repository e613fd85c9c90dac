import type { TaskDone } from '../report/timeline.ts';
import type { Task } from './task_thread.ts';
import type { Workers } from './workers.ts';

/**
 * Result of a task: rows of its batch or part. `elsewhere` is the number of partitions that another process computed; 1 if it loaded the
 * part.
 */
export interface Done {
  rows: number;
  elsewhere: number;
}

/**
 * Executes the tasks of a run: computes batches and loads parts. A task may be executed twice, even concurrently: it is recorded once
 * (run_batch.ts, load_part.ts).
 */
export interface Executor {
  /** Executes a task. `onRows` receives row counts while a thread of this process loads a part. */
  run(task: Task, onRows?: (rows: number) => void): Promise<Done>;
}

/** Executor that also gives tasks to other machines. */
export interface Distributed extends Executor {
  /** Abandons all unfinished tasks. */
  drop(reason: Error): void;
  /** Called when the threads of the run are closed. */
  close(): Promise<void>;
}

/** Returns an executor that uses the threads of this process. */
export const inThreads = (workers: Workers): Executor => ({
  run: async (task, onRows) => ({
    rows: (await workers.run<{ rows: number }>(task, onRows)).rows,
    elsewhere: 0,
  }),
});

/** What a distributed executor receives from its run. */
export interface RunHere {
  workers: Workers;
  /** Ends the sessions of silent processes, which releases their claims. */
  endSilent: () => Promise<void>;
  /** Called when a thread of another machine finished a task. */
  onTask: (done: TaskDone) => void;
  /** Called when the queue failed; the run continues without it. */
  onQueueFailure: (error: Error) => void;
}
