import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { EtlError } from '../../schema/errors.ts';
import type { TaskDone } from '../report/timeline.ts';
import type { Reply, Task, WorkerSetup } from './task_thread.ts';
import { postTo, releaseThread, takeThread } from './threads.ts';

interface Job {
  id: number;
  task: Task;
  onRows: ((rows: number) => void) | undefined;
  onDone: ((done: TaskDone) => void) | undefined;
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
  /** Time when a thread took it, by `performance.now()`. */
  begun: number;
}

/** Returns the name that progress shows for a task. */
export const taskName = (task: Task): string =>
  task.kind === 'batch' ? `stage ${task.stage}` : `load ${task.release.dataset.id}`;

/** Threads started ahead of time: a run that loads one file can compute stages in another thread. */
const WARM_THREADS = 2;

/**
 * Worker threads that load parts and compute batches. Tasks wait in order until a thread is free. If a thread dies, its task fails and the
 * thread is replaced.
 */
export class Workers {
  readonly #threads: Worker[] = [];
  readonly #idle: Worker[] = [];
  readonly #queue: Job[] = [];
  readonly #running = new Map<Worker, Job>();
  #nextId = 1;
  #closing = false;

  /** Maximum number of threads. */
  readonly count: number;
  readonly #setup: WorkerSetup;
  readonly #onTask: (done: TaskDone) => void;
  readonly #numbers = new Map<Worker, number>();

  /**
   * `count` 0: one thread for each core. Threads start when a task finds none idle, so a run with nothing to do has none. `onTask` is
   * called after every task.
   */
  constructor(count: number, setup: WorkerSetup, onTask: (done: TaskDone) => void = () => undefined) {
    this.#onTask = onTask;
    this.count = count > 0 ? count : availableParallelism();
    this.#setup = setup;
  }

  /** Starts threads ahead of the first tasks, so that these do not wait for them. */
  warm(): void {
    while (this.#threads.length < WARM_THREADS) {
      const thread = this.#start();
      if (!thread) return;
      this.#idle.push(thread);
    }
  }

  /** Starts a thread; undefined: the maximum is reached. */
  #start(): Worker | undefined {
    if (this.#threads.length >= this.count) return undefined;
    const thread = takeThread(this.#setup);
    thread.on('message', (reply: Reply) => this.#onReply(thread, reply));
    thread.on('error', (error) => this.#onCrash(thread, error));
    // If a thread ends during a task, its caller must not wait forever.
    thread.once('exit', (code) => {
      if (!this.#closing) this.#onCrash(thread, new Error(`it ended with code ${code}`));
    });
    this.#threads.push(thread);
    this.#numbers.set(thread, this.#numbers.size + 1);
    return thread;
  }

  /**
   * Runs a task on the next free thread. `onRows` receives row counts during a load. `onDone` receives the thread's record before the
   * result is returned.
   */
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

  /** Rejects the tasks that no thread has begun. */
  drop(reason: Error): void {
    for (const job of this.#queue.splice(0)) job.reject(reason);
  }

  /** Waits for idle threads to close their connections, and terminates threads that are running a task. */
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
      postTo(thread, { id: job.id, task: job.task });
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
    const done = { thread: number, name: taskName(job.task), from: job.begun, to };
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

  /** Fails the running task and starts another thread for the next one. */
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
