import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { EtlError } from '../../schema/errors.ts';
import { releaseThread, takeThread, tell } from './threads.ts';
import type { Reply, Task, WorkerSetup } from './worker.ts';

interface Job {
  id: number;
  task: Task;
  onRows: ((rows: number) => void) | undefined;
  onDone: ((done: TaskDone) => void) | undefined;
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
  /** When a thread took it, by `performance.now()`. */
  begun: number;
}

/** A finished task of a thread; times by `performance.now()`. */
export interface TaskDone {
  /** Which process of which machine; absent: this one. */
  machine?: string;
  thread: number;
  name: string;
  from: number;
  to: number;
}

/** What the task is a part of, as progress names it. */
export const nameOf = (task: Task): string =>
  task.kind === 'batch' ? `stage ${task.stage}` : `load ${task.release.dataset.id}`;

/** Threads that start ahead: a run that loads one file has stages to compute for another thread. */
const WARM_THREADS = 2;

/**
 * Worker threads that load parts and compute batches; tasks wait in order until a thread is free. If a thread
 * dies, its task fails and it is replaced.
 */
export class Workers {
  readonly #threads: Worker[] = [];
  readonly #idle: Worker[] = [];
  readonly #queue: Job[] = [];
  readonly #running = new Map<Worker, Job>();
  #nextId = 1;
  #closing = false;

  /** Threads that there may be at the same time. */
  readonly count: number;
  readonly #setup: WorkerSetup;
  readonly #onTask: (done: TaskDone) => void;
  readonly #numbers = new Map<Worker, number>();

  /**
   * `count` 0 means one thread for each core. Threads start as tasks find none free, so a run with nothing to do has none. `onTask` hears
   * of every task that ended.
   */
  constructor(count: number, setup: WorkerSetup, onTask: (done: TaskDone) => void = () => undefined) {
    this.#onTask = onTask;
    this.count = count > 0 ? count : availableParallelism();
    this.#setup = setup;
  }

  /** Starts threads ahead of the first tasks, which then need not wait for them. */
  warm(): void {
    while (this.#threads.length < WARM_THREADS) {
      const thread = this.#start();
      if (!thread) return;
      this.#idle.push(thread);
    }
  }

  /** One more thread, or undefined where there are as many as there may be. */
  #start(): Worker | undefined {
    if (this.#threads.length >= this.count) return undefined;
    const thread = takeThread(this.#setup);
    thread.on('message', (reply: Reply) => this.#onReply(thread, reply));
    thread.on('error', (error) => this.#onCrash(thread, error));
    // A thread that ends in the middle of a task must not leave its caller waiting.
    thread.once('exit', (code) => {
      if (!this.#closing) this.#onCrash(thread, new Error(`it ended with code ${code}`));
    });
    this.#threads.push(thread);
    this.#numbers.set(thread, this.#numbers.size + 1);
    return thread;
  }

  /** Runs a task on the next free thread. `onRows` hears of rows as a load proceeds, `onDone` which thread did it, before its result is there. */
  run<T>(task: Task, onRows?: (rows: number) => void, onDone?: (done: TaskDone) => void): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({
        id: this.#nextId++,
        task,
        onRows,
        onDone,
        resolve: resolve as (r: unknown) => void,
        reject,
        begun: 0,
      });
      this.#dispatch();
    });
  }

  /** Gives up the tasks that no thread has begun. */
  drop(reason: Error): void {
    for (const job of this.#queue.splice(0)) job.reject(reason);
  }

  /** Waits for the threads to close their connections, and ends those that have a task in hand. */
  async close(): Promise<void> {
    this.#closing = true;
    await Promise.all(
      this.#threads.map((thread) => (this.#running.has(thread) ? thread.terminate() : releaseThread(thread))),
    );
  }

  #dispatch(): void {
    for (let job = this.#queue[0]; job !== undefined; job = this.#queue[0]) {
      const thread = this.#idle.pop() ?? this.#start();
      if (!thread) return;
      this.#queue.shift();
      this.#running.set(thread, job);
      job.begun = performance.now();
      tell(thread, { id: job.id, task: job.task });
    }
  }

  #onReply(thread: Worker, reply: Reply): void {
    const job = this.#running.get(thread);
    if (reply.kind === 'ended' || !job || job.id !== reply.id) return;
    if (reply.kind === 'progress') {
      job.onRows?.(reply.rows);
      return;
    }
    this.#running.delete(thread);
    this.#idle.push(thread);
    const [number, to] = [this.#numbers.get(thread)!, performance.now()];
    const done = { thread: number, name: nameOf(job.task), from: job.begun, to };
    this.#onTask(done);
    job.onDone?.(done);
    if (reply.kind === 'done') job.resolve(reply.result);
    else {
      const error = new EtlError(reply.code, reply.message, {
        kind: reply.errorKind,
        details: reply.details as Record<string, unknown>,
      });
      error.stack = reply.stack;
      job.reject(error);
    }
    this.#dispatch();
  }

  /** The task in hand fails; the next one gets another thread. */
  #onCrash(thread: Worker, error: Error): void {
    const at = this.#threads.indexOf(thread);
    if (at < 0) return;
    this.#threads.splice(at, 1);
    const idle = this.#idle.indexOf(thread);
    if (idle >= 0) this.#idle.splice(idle, 1);
    const failure = new EtlError('worker_crashed', `A worker thread ended: ${error.message}`, {
      cause: error,
    });
    this.#running.get(thread)?.reject(failure);
    this.#running.delete(thread);
    if (!this.#closing) this.#dispatch();
  }
}
