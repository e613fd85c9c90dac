import { setInterval as every } from 'node:timers/promises';
import { UnrecoverableError } from 'bullmq';
import pLimit from 'p-limit';
import type { Distributed, Done, RunHere } from '../pipelines/engine/executor.ts';
import type { BatchSummary } from '../pipelines/engine/run_batch.ts';
import type { Task } from '../pipelines/engine/worker.ts';
import { nameOf } from '../pipelines/engine/workers.ts';
import type { Config } from '../schema/config.ts';
import { within } from '../store/system/within.ts';
import { withQueueTimeout } from './answered.ts';
import { type Backend, openBackend, QUEUES, type TaskData, type TaskOutcome } from './backend.ts';
import { type Program, programOf } from './program.ts';
import { TASK_TIMING } from './timing.ts';

/** How long the queue may take to answer before the run goes on without the answer. */
const PATIENCE_MS = 10_000;
/** How long a run leaves a queue alone that failed. */
const FAILED_REST_MS = 30_000;
/** Interval of the check for silent workers and lost tasks. */
const LOOK_MS = 1000;
/** How long a task may be in the queue until it is looked for there, and again. */
const ASKED_MS = 3000;
/** Tasks that are in the queue at a time: enough for any number of machines, and little for its memory. */
const ASKED_AT_ONCE = 256;
/** Finished tasks that stay visible, and tell how they ended where word of it was lost. */
const KEPT = { age: 600, count: 100 };
/** How often workers without its files may give a part back to the queue, where the threads of the run take it as soon as one is free. */
const PART_ATTEMPTS = 1000;

const inTime = <T>(work: Promise<T>): Promise<T> => withQueueTimeout(PATIENCE_MS, work);

/** A task that the queue was asked for. */
interface PendingTask {
  task: Task;
  onRows: ((rows: number) => void) | undefined;
  /** When the queue was last asked of it. */
  at: number;
  /** Whether a thread of the run does it. */
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

/** Does the tasks of a run wherever there is a worker, by way of the queue; the threads of the run take part. */
class TaskExecutor implements Distributed {
  readonly #backend: Backend;
  readonly #here: RunHere;
  readonly #program: Program;
  readonly #asked = new Map<string, PendingTask>();
  readonly #room = pLimit(ASKED_AT_ONCE);
  readonly #closing = new AbortController();
  readonly #hangUp: () => Promise<unknown>;
  #count = 0;
  /** Until when the queue is left alone. */
  #restUntil = 0;
  /** Why nothing more is done. */
  #dropped: Error | undefined;

  constructor(backend: Backend, here: RunHere, program: Program) {
    this.#backend = backend;
    this.#here = here;
    this.#program = program;
    const events = backend.taskEvents();
    events.on('error', () => undefined);
    events.on('completed', ({ jobId, returnvalue }) =>
      this.#doneElsewhere(jobId, returnvalue as unknown as TaskOutcome),
    );
    events.on('failed', ({ jobId }) => this.#doHere(jobId));
    const taking = backend.work<TaskData, TaskOutcome>(QUEUES.tasks, (job) => this.#process(job.id!), {
      concurrency: here.workers.count,
      lockDuration: TASK_TIMING.lockMs,
      stalledInterval: TASK_TIMING.stalledCheckMs,
    });
    taking.on('error', () => undefined);
    this.#hangUp = () => Promise.all([taking.close(true), events.close()]).then(() => backend.close());
    void this.#watch();
  }

  run(task: Task, onRows?: (rows: number) => void): Promise<Done> {
    return this.#room(() => {
      if (this.#dropped) throw this.#dropped;
      return this.#run(task, onRows);
    });
  }

  drop(reason: Error): void {
    this.#dropped ??= reason;
    for (const [id, { isHere }] of [...this.#asked]) if (!isHere) this.#take(id)?.reject(reason);
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
      this.#asked.set(id, { task, onRows, at: performance.now(), isHere: false, resolve, reject });
      this.#ask(id).catch((error) => this.#goOnAlone(error));
    });
  }

  /** Asks the queue for a task; where it has it already, nothing comes of it. */
  async #ask(id: string): Promise<void> {
    const asked = this.#asked.get(id);
    if (asked === undefined) return;
    const { kind } = asked.task;
    const attempts = kind === 'part' ? PART_ATTEMPTS : 1;
    const options = { jobId: id, attempts, removeOnComplete: KEPT, removeOnFail: KEPT };
    await inTime(this.#backend.tasks().add(kind, dataOf(asked.task, this.#program), options));
  }

  #take(id: string): PendingTask | undefined {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    return asked;
  }

  /** Works in the threads of the run; what it had recorded of a batch before, a worker was given too, and computed. */
  async #inThreads({ task, onRows }: Pick<PendingTask, 'task' | 'onRows'>): Promise<Done> {
    const { workers } = this.#here;
    if (task.kind === 'part')
      return { rows: (await workers.run<{ rows: number }>(task, onRows)).rows, elsewhere: 0 };
    const { cells, rows } = await workers.run<BatchSummary>(task);
    return { rows, elsewhere: task.partitions.length - cells.length };
  }

  /** Hears from a worker that a task is done. What a thread of the run has in hand too, that thread answers for. */
  #doneElsewhere(id: string, { rows, by }: TaskOutcome): void {
    if (this.#asked.get(id)?.isHere) return;
    const asked = this.#take(id);
    if (asked === undefined) return;
    const { task } = asked;
    if (by) this.#tell(task, by);
    asked.resolve({ rows, elsewhere: task.kind === 'part' ? 1 : task.partitions.length });
  }

  /** Says which thread did a task. Clocks of machines differ: it ended when word of it came, and began as long before as it took. */
  #tell(task: Task, { machine, thread, took_s }: NonNullable<TaskOutcome['by']>): void {
    const to = performance.now();
    this.#here.onTask({ machine, thread, name: nameOf(task), from: to - 1000 * took_s, to });
  }

  /** A task that came back to this process by way of the queue. */
  async #process(id: string): Promise<TaskOutcome> {
    const asked = this.#asked.get(id);
    // The task belongs to a finished run, or another worker did it and could not report.
    if (asked === undefined) return { rows: 0 };
    asked.isHere = true;
    try {
      const done = await this.#inThreads(asked);
      this.#take(id)?.resolve(done);
      return { rows: done.rows };
    } catch (error) {
      this.#take(id)?.reject(error);
      throw new UnrecoverableError((error as Error).message);
    }
  }

  /** Does in the threads of the run what the queue was asked for. */
  #doHere(id: string): void {
    const asked = this.#take(id);
    if (asked) this.#inThreads(asked).then(asked.resolve, asked.reject);
  }

  #goOnAlone(error: Error): void {
    this.#here.onQueueFailure(error);
    this.#restUntil = performance.now() + FAILED_REST_MS;
    for (const [id, { isHere }] of [...this.#asked]) if (!isHere) this.#doHere(id);
  }

  /** Looks up a task that nobody reported, and queues it again if the queue lost it. */
  async #lookFor(id: string, asked: PendingTask): Promise<void> {
    const state = await inTime(this.#backend.tasks().getJobState(id));
    asked.at = performance.now();
    if (state === 'unknown') await this.#ask(id);
    else if (state === 'failed') this.#doHere(id);
    else if (state === 'completed') {
      const job = await inTime(this.#backend.tasks().getJob(id));
      if (job?.returnvalue) this.#doneElsewhere(id, job.returnvalue);
    }
  }

  async #lookForAll(): Promise<void> {
    const until = performance.now() - ASKED_MS;
    const long = [...this.#asked].filter(([, { at, isHere }]) => at < until && !isHere);
    await Promise.all(long.map(([id, asked]) => this.#lookFor(id, asked)));
  }

  async #watch(): Promise<void> {
    try {
      for await (const _ of every(LOOK_MS, undefined, { signal: this.#closing.signal, ref: false })) {
        // If the server is gone, every worker notices.
        await this.#here.endSilent().catch(() => undefined);
        await this.#lookForAll().catch((error) => this.#goOnAlone(error));
      }
    } catch {
      // The run is over.
    }
  }
}

/** Empties the queue of tasks: whoever holds the lock of the runs may, since what is there belongs to runs that are over. */
const empty = (backend: Backend): Promise<void> => backend.tasks().drain(true);

/** Opens the way to the workers of other machines for one run. */
export async function openTaskExecutor(url: string, config: Config, here: RunHere): Promise<Distributed> {
  const program = await programOf(url, config);
  const backend = await openBackend(url, config.queue);
  try {
    await inTime(empty(backend));
    return new TaskExecutor(backend, here, program);
  } catch (error) {
    await within(PATIENCE_MS, backend.close()).catch(() => undefined);
    throw error;
  }
}
