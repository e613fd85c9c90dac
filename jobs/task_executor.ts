import { setInterval as every } from 'node:timers/promises';
import { UnrecoverableError } from 'bullmq';
import pLimit from 'p-limit';
import type { BatchSummary } from '../pipelines/engine/run_batch.ts';
import type { Distributed, Done, RunHere } from '../pipelines/tasks/executor.ts';
import type { Task } from '../pipelines/tasks/task_thread.ts';
import { taskName } from '../pipelines/tasks/workers.ts';
import type { Config } from '../schema/config.ts';
import { within } from '../store/system/within.ts';
import { withQueueTimeout } from './answered.ts';
import { type Backend, openBackend, QUEUES, type TaskData, type TaskOutcome } from './backend.ts';
import { type Program, programOf } from './program.ts';
import { TASK_TIMING } from './timing.ts';

/** Maximum wait for the queue before the run goes on without it, milliseconds. */
const PATIENCE_MS = 10_000;
/** Pause after a failure of the queue, milliseconds. */
const FAILED_REST_MS = 30_000;
/** Interval of the check for silent workers and lost tasks. */
const LOOK_MS = 1000;
/** Time before a queued task is looked up, and between lookups, milliseconds. */
const ASKED_MS = 3000;
/** Maximum tasks in the queue at a time: enough for any number of machines, and little memory. */
const ASKED_AT_ONCE = 256;
/** Retention of finished tasks, whose outcome is looked up if its event was lost. */
const KEPT = { age: 600, count: 100 };
/** Maximum times that workers without a part's files return it to the queue. The run's own threads take it as soon as one is free. */
const PART_ATTEMPTS = 1000;

const inTime = <T>(work: Promise<T>): Promise<T> => withQueueTimeout(PATIENCE_MS, work);

interface PendingTask {
  task: Task;
  onRows: ((rows: number) => void) | undefined;
  /** Time of the last request to the queue. */
  at: number;
  /** True: a thread of this run does it. */
  isHere: boolean;
  resolve: (done: Done) => void;
  reject: (error: unknown) => void;
}

/** Builds the queue's data of a task. */
function dataOf(task: Task, program: Program): TaskData {
  const shared = { run_id: task.runId, program };
  if (task.kind === 'batch') {
    const { kind, stage, partitions } = task;
    return { ...shared, kind, stage, partitions };
  }
  const { kind, loadId: load_id, release, part, fingerprint } = task;
  return { ...shared, kind, load_id, dataset: release.dataset.id, part: part.id, fingerprint };
}

/** Distributes the tasks of a run to workers through the queue. The run's own threads take part. */
class TaskExecutor implements Distributed {
  readonly #backend: Backend;
  readonly #runHere: RunHere;
  readonly #program: Program;
  readonly #pending = new Map<string, PendingTask>();
  readonly #limit = pLimit(ASKED_AT_ONCE);
  readonly #closing = new AbortController();
  readonly #hangUp: () => Promise<unknown>;
  #count = 0;
  /** End of the pause after a queue failure. */
  #restUntil = 0;
  /** Reason why no more tasks are done. */
  #dropped: Error | undefined;

  constructor(backend: Backend, runHere: RunHere, program: Program) {
    this.#backend = backend;
    this.#runHere = runHere;
    this.#program = program;
    const events = backend.taskEvents();
    events.on('error', () => undefined);
    events.on('completed', ({ jobId, returnvalue }) =>
      this.#doneElsewhere(jobId, returnvalue as unknown as TaskOutcome),
    );
    events.on('failed', ({ jobId }) => this.#doHere(jobId));
    const taking = backend.work<TaskData, TaskOutcome>(QUEUES.tasks, (job) => this.#process(job.id!), {
      concurrency: runHere.workers.count,
      lockDuration: TASK_TIMING.lockMs,
      stalledInterval: TASK_TIMING.stalledCheckMs,
    });
    taking.on('error', () => undefined);
    this.#hangUp = () => Promise.all([taking.close(true), events.close()]).then(() => backend.close());
    void this.#watch();
  }

  run(task: Task, onRows?: (rows: number) => void): Promise<Done> {
    return this.#limit(() => {
      if (this.#dropped) throw this.#dropped;
      return this.#run(task, onRows);
    });
  }

  drop(reason: Error): void {
    this.#dropped ??= reason;
    for (const [id, { isHere }] of [...this.#pending]) if (!isHere) this.#take(id)?.reject(reason);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await within(PATIENCE_MS, empty(this.#backend)).catch(() => undefined);
    await within(PATIENCE_MS, this.#hangUp()).catch(() => undefined);
  }

  #run(task: Task, onRows: PendingTask['onRows']): Promise<Done> {
    if (performance.now() < this.#restUntil) return this.#inThreads({ task, onRows });
    const id = `${task.runId}.${task.kind}.${++this.#count}`;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { task, onRows, at: performance.now(), isHere: false, resolve, reject });
      this.#queueTask(id).catch((error) => this.#goOnAlone(error));
    });
  }

  /** Queues a task. No effect if the queue has it already. */
  async #queueTask(id: string): Promise<void> {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    const { kind } = pending.task;
    const attempts = kind === 'part' ? PART_ATTEMPTS : 1;
    const options = { jobId: id, attempts, removeOnComplete: KEPT, removeOnFail: KEPT };
    await inTime(this.#backend.tasks().add(kind, dataOf(pending.task, this.#program), options));
  }

  #take(id: string): PendingTask | undefined {
    const pendingTask = this.#pending.get(id);
    this.#pending.delete(id);
    return pendingTask;
  }

  /** Does a task in the run's threads. Partitions that were recorded earlier were also computed by a worker. */
  async #inThreads({ task, onRows }: Pick<PendingTask, 'task' | 'onRows'>): Promise<Done> {
    const { workers } = this.#runHere;
    if (task.kind === 'part')
      return { rows: (await workers.run<{ rows: number }>(task, onRows)).rows, elsewhere: 0 };
    const { cells, rows } = await workers.run<BatchSummary>(task);
    return { rows, elsewhere: task.partitions.length - cells.length };
  }

  /** Handles the end of a task at a worker. If a thread of this run does the same task, that thread reports it. */
  #doneElsewhere(id: string, { rows, by }: TaskOutcome): void {
    if (this.#pending.get(id)?.isHere) return;
    const pendingTask = this.#take(id);
    if (pendingTask === undefined) return;
    const { task } = pendingTask;
    if (by) this.#report(task, by);
    pendingTask.resolve({ rows, elsewhere: task.kind === 'part' ? 1 : task.partitions.length });
  }

  /**
   * Reports which thread did a task. Clocks of machines differ, so the task ends when its event arrives and begins its duration earlier.
   */
  #report(task: Task, { machine, thread, took_s }: NonNullable<TaskOutcome['by']>): void {
    const to = performance.now();
    this.#runHere.onTask({ machine, thread, name: taskName(task), from: to - 1000 * took_s, to });
  }

  /** Does a task that this process took from the queue. */
  async #process(id: string): Promise<TaskOutcome> {
    const pendingTask = this.#pending.get(id);
    // The task belongs to a finished run, or another worker did it and could not report.
    if (pendingTask === undefined) return { rows: 0 };
    pendingTask.isHere = true;
    try {
      const done = await this.#inThreads(pendingTask);
      this.#take(id)?.resolve(done);
      return { rows: done.rows };
    } catch (error) {
      this.#take(id)?.reject(error);
      throw new UnrecoverableError((error as Error).message);
    }
  }

  /** Does a queued task in the run's threads. */
  #doHere(id: string): void {
    const pendingTask = this.#take(id);
    if (pendingTask) this.#inThreads(pendingTask).then(pendingTask.resolve, pendingTask.reject);
  }

  #goOnAlone(error: Error): void {
    this.#runHere.onQueueFailure(error);
    this.#restUntil = performance.now() + FAILED_REST_MS;
    for (const [id, { isHere }] of [...this.#pending]) if (!isHere) this.#doHere(id);
  }

  /** Looks up a task that nobody reported, and queues it again if the queue lost it. */
  async #lookFor(id: string, pendingTask: PendingTask): Promise<void> {
    const state = await inTime(this.#backend.tasks().getJobState(id));
    pendingTask.at = performance.now();
    if (state === 'unknown') await this.#queueTask(id);
    else if (state === 'failed') this.#doHere(id);
    else if (state === 'completed') {
      const job = await inTime(this.#backend.tasks().getJob(id));
      if (job?.returnvalue) this.#doneElsewhere(id, job.returnvalue);
    }
  }

  async #lookForAll(): Promise<void> {
    const until = performance.now() - ASKED_MS;
    const long = [...this.#pending].filter(([, { at, isHere }]) => at < until && !isHere);
    await Promise.all(long.map(([id, asked]) => this.#lookFor(id, asked)));
  }

  async #watch(): Promise<void> {
    try {
      for await (const _ of every(LOOK_MS, undefined, { signal: this.#closing.signal, ref: false })) {
        // If the server is gone, every worker notices.
        await this.#runHere.endSilent().catch(() => undefined);
        await this.#lookForAll().catch((error) => this.#goOnAlone(error));
      }
    } catch {
      // The run is over.
    }
  }
}

/** Empties the task queue. Only the holder of the run lock may do that: other tasks there belong to ended runs. */
const empty = (backend: Backend): Promise<void> => backend.tasks().drain(true);

/** Opens the distribution to workers of other machines for one run. */
export async function openTaskExecutor(url: string, config: Config, runHere: RunHere): Promise<Distributed> {
  const program = await programOf(url, config);
  const backend = await openBackend(url, config.queue);
  try {
    await inTime(empty(backend));
    return new TaskExecutor(backend, runHere, program);
  } catch (error) {
    await within(PATIENCE_MS, backend.close()).catch(() => undefined);
    throw error;
  }
}
