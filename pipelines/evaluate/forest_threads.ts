import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { EtlError } from '../../schema/errors.ts';
import type { Boosted } from '../../transforms/avm/gbt/boost.ts';
import { type ForestTask, type Growing, growForest } from '../../transforms/avm/gbt/growing.ts';

/** Maximum useful threads: training grows twelve forests at first, later at least two. */
const MOST_THREADS = 12;

interface PendingForest {
  task: ForestTask;
  resolve: (grown: Boosted) => void;
  reject: (error: Error) => void;
}

/**
 * Threads that grow the forests of a training in parallel. Each task (bins and targets, about 35 bytes a sale) is copied to its thread; the
 * feature matrix is shared. Results do not depend on the number of threads.
 */
export class ForestThreads {
  /** Maximum number of threads. With 1, forests grow in the calling thread. */
  readonly count: number;
  readonly #idle: Worker[] = [];
  readonly #all = new Set<Worker>();
  readonly #queue: PendingForest[] = [];

  /** `count` 0: one thread for each core. Threads start when tasks find none idle. */
  constructor(count = 0) {
    this.count = Math.min(MOST_THREADS, count > 0 ? count : availableParallelism());
  }

  /** Runs a training to its end. @throws EtlError `worker_crashed` if a thread ends */
  async run<T>(growing: Growing<T>): Promise<T> {
    let step = growing.next();
    while (!step.done) step = growing.next(await this.#grow(step.value));
    return step.value;
  }

  /** Terminates the threads. */
  async close(): Promise<void> {
    await Promise.all([...this.#all].map((thread) => thread.terminate()));
  }

  async #grow(tasks: readonly ForestTask[]): Promise<Boosted[]> {
    if (this.count === 1) return tasks.map(growForest);
    return Promise.all(
      tasks.map(
        (task) =>
          new Promise<Boosted>((resolve, reject) => {
            this.#queue.push({ task, resolve, reject });
            this.#dispatch();
          }),
      ),
    );
  }

  #dispatch(): void {
    while (this.#queue.length > 0) {
      const thread = this.#idle.pop() ?? this.#start();
      if (!thread) return;
      this.#give(thread, this.#queue.shift()!);
    }
  }

  #give(thread: Worker, { task, resolve, reject }: PendingForest): void {
    const failed = (reason: string): void => {
      this.#all.delete(thread);
      reject(new EtlError('worker_crashed', `A thread that grows forests ended: ${reason}`));
    };
    const onError = (error: Error): void => failed(error.message);
    const onExit = (code: number): void => failed(`code ${code}`);
    thread.once('error', onError).once('exit', onExit);
    thread.once('message', (grown: Boosted) => {
      thread.off('error', onError).off('exit', onExit);
      this.#idle.push(thread);
      resolve(grown);
      this.#dispatch();
    });
    thread.postMessage(task);
  }

  #start(): Worker | undefined {
    if (this.#all.size >= this.count) return undefined;
    const thread = new Worker(new URL('./forest_entry.mjs', import.meta.url), { execArgv: [] });
    this.#all.add(thread);
    return thread;
  }
}

/** Runs work with threads and terminates them afterwards. */
export async function withForestThreads<T>(
  count: number | undefined,
  work: (threads: ForestThreads) => Promise<T>,
): Promise<T> {
  const threads = new ForestThreads(count);
  try {
    return await work(threads);
  } finally {
    await threads.close();
  }
}
