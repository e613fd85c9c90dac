import { availableParallelism, hostname } from 'node:os';
import { type Job, UnrecoverableError, type Worker } from 'bullmq';
import { PartsHere } from '../pipelines/ingest/parts_here.ts';
import type { Task } from '../pipelines/tasks/task_thread.ts';
import { Workers } from '../pipelines/tasks/workers.ts';
import type { Config } from '../schema/config.ts';
import { EtlError } from '../schema/errors.ts';
import { Presence } from '../store/state/presence.ts';
import { type Backend, QUEUES, type TaskData, type TaskOutcome } from './backend.ts';
import { checkProgram, programOf } from './program.ts';
import { TASK_TIMING } from './timing.ts';

/** Fields of events about batches, then about parts. */
type BatchNamed = { job_id: string; run_id: number; stage: string };
type PartNamed = { job_id: string; run_id: number; dataset: string; part: string };
type Failed = { code: string; reason: string };

/** Events of a worker about tasks. */
export type TaskEvent =
  | ({ event: 'batch'; partitions: number; rows: number } & BatchNamed)
  | ({ event: 'batch_refused' | 'batch_failed' } & BatchNamed & Failed)
  | ({ event: 'part'; rows: number } & PartNamed)
  | ({ event: 'part_refused' | 'part_failed' } & PartNamed & Failed);

export interface TaskSetting {
  url: string;
  config: Config;
  /** Folder that relative dataset paths start from. */
  base: string;
  onEvent: (event: TaskEvent | { event: 'error'; message: string }) => void;
}

/** A worker that takes tasks until it is closed. */
export interface TaskTaking {
  /** Takes no tasks while something else needs the machine; running ones are finished. */
  rest(): void;
  resume(): void;
  /** Takes no more tasks and waits for running ones. */
  close(): Promise<void>;
  /** Returns running tasks to the queue. The process must end, because its threads still work on them. */
  giveBack(): Promise<void>;
}

/** Pause of a worker that cannot serve a run, milliseconds. */
const REFUSED_REST_MS = 30_000;
/** Pause of a worker without a part's files, milliseconds: batches may follow. */
const NOT_HERE_REST_MS = 1000;

/** Codes of tasks that a worker must not do, as opposed to could not do. */
const REFUSALS: ReadonlySet<string> = new Set(['worker_differs', 'run_superseded', 'part_not_here']);

/** Time that idle threads keep their indexes and models, milliseconds. */
const IDLE_MS = 60_000;

/** Name of this process in reports. The process id distinguishes several on one machine. */
const MACHINE = `${hostname()} ${process.pid}`;

type TaskJob = Job<TaskData, TaskOutcome, string>;
type QueueWorker = Worker<TaskData, TaskOutcome, string>;

function eventOf({ id, data }: TaskJob, outcome: { rows: number; partitions?: number } | Failed): TaskEvent {
  const { kind, run_id } = data;
  const what = data.kind === 'batch' ? { stage: data.stage } : { dataset: data.dataset, part: data.part };
  const how = 'rows' in outcome ? '' : REFUSALS.has(outcome.code) ? '_refused' : '_failed';
  return { event: `${kind}${how}`, job_id: id!, run_id, ...what, ...outcome } as TaskEvent;
}

/** Why a worker takes no tasks: something else needs the machine, or it refused one with this code. */
type PauseReason = 'busy' | 'worker_differs' | 'part_not_here';
/** Refusals after which the next task would probably be refused too. */
const isPauseReason = (code: string): code is PauseReason =>
  code === 'worker_differs' || code === 'part_not_here';

/**
 * Does tasks of other processes' runs in this process's threads, one task a thread, so that the main thread can renew the locks of its
 * jobs. A failed task is not retried here: its run does that.
 */
class TaskWorker implements TaskTaking {
  readonly #setting: TaskSetting;
  readonly #program: Awaited<ReturnType<typeof programOf>>;
  readonly #presence: Presence;
  readonly #parts: PartsHere;
  readonly #worker: QueueWorker;
  /** Threads; null: none are running. */
  #threads: Workers | null = null;
  #idle: NodeJS.Timeout | undefined;
  readonly #running = new Set<TaskJob>();
  readonly #pauseReasons = new Set<PauseReason>();
  /** Datasets refused in a run, so that each is reported once. */
  readonly #refusedDatasets = new Set<string>();
  #isClosed = false;

  constructor(
    backend: Backend,
    setting: TaskSetting,
    program: Awaited<ReturnType<typeof programOf>>,
    presence: Presence,
  ) {
    const { url, config, base, onEvent } = setting;
    this.#setting = setting;
    this.#program = program;
    this.#presence = presence;
    this.#parts = new PartsHere(url, presence.session, config, base);
    this.#worker = backend.work<TaskData, TaskOutcome>(QUEUES.tasks, (job) => this.#take(job), {
      concurrency: config.workers > 0 ? config.workers : availableParallelism(),
      lockDuration: TASK_TIMING.lockMs,
      stalledInterval: TASK_TIMING.stalledCheckMs,
    });
    this.#worker.on('error', ({ message }) => {
      if (!this.#isClosed) onEvent({ event: 'error', message });
    });
  }

  async waitUntilReady(): Promise<void> {
    try {
      await this.#worker.waitUntilReady();
    } catch (error) {
      await this.#presence.close();
      throw error;
    }
  }

  rest(): void {
    this.#pause('busy');
  }

  resume(): void {
    this.#unpause('busy');
  }

  async close(): Promise<void> {
    await this.#worker.close();
    this.#isClosed = true;
    clearTimeout(this.#idle);
    await this.#endThreads();
    await this.#presence.close();
  }

  async giveBack(): Promise<void> {
    await Promise.allSettled([...this.#running].map((job) => job.moveToWait(job.token)));
  }

  #pause(reason: PauseReason): void {
    this.#pauseReasons.add(reason);
    void this.#worker.pause(true);
  }

  #unpause(reason: PauseReason): void {
    this.#pauseReasons.delete(reason);
    if (this.#pauseReasons.size === 0 && !this.#isClosed) this.#worker.resume();
  }

  /** A worker that refuses task after task would take them from workers that can do them. */
  #pauseAfterRefusal(code: PauseReason): void {
    this.#pause(code);
    const ms = code === 'part_not_here' ? NOT_HERE_REST_MS : REFUSED_REST_MS;
    setTimeout(() => this.#unpause(code), ms).unref();
  }

  async #endThreads(): Promise<void> {
    const ending = this.#threads;
    this.#threads = null;
    await ending?.close();
  }

  /** True the first time that a dataset is refused in a run. */
  #isFirstRefusal(data: TaskData): boolean {
    const dataset = `${data.run_id} ${'dataset' in data && data.dataset}`;
    const isFirst = !this.#refusedDatasets.has(dataset);
    this.#refusedDatasets.add(dataset);
    return isFirst;
  }

  async #taskOf(data: TaskData): Promise<Task> {
    checkProgram(this.#program, data.program);
    const { run_id: runId } = data;
    if (data.kind === 'batch') return { ...data, runId };
    return { kind: 'part', ...(await this.#parts.find({ ...data, runId, loadId: data.load_id })) };
  }

  async #perform(job: TaskJob): Promise<TaskOutcome> {
    const task = await this.#taskOf(job.data);
    const { url, config } = this.#setting;
    this.#threads ??= new Workers(config.workers, { url, config, session: this.#presence.session });
    let by: TaskOutcome['by'];
    const done = await this.#threads.run<{ rows: number; cells?: number[] }>(
      task,
      undefined,
      ({ thread, from, to }) => {
        by = { machine: MACHINE, thread, took_s: (to - from) / 1000 };
      },
    );
    const partitions = done.cells === undefined ? {} : { partitions: done.cells.length };
    return { ...partitions, rows: done.rows, by: by! };
  }

  /** Does the task of a job and reports it. */
  async #take(job: TaskJob): Promise<TaskOutcome> {
    this.#running.add(job);
    clearTimeout(this.#idle);
    try {
      const outcome = await this.#perform(job);
      const { by: _by, ...done } = outcome;
      // Others had computed the whole batch.
      if (done.partitions !== 0) this.#setting.onEvent(eventOf(job, done));
      return outcome;
    } catch (error) {
      throw this.#refuse(job, error);
    } finally {
      this.#running.delete(job);
      if (this.#running.size === 0) this.#idle = setTimeout(() => void this.#endThreads(), IDLE_MS).unref();
    }
  }

  /** Reports a task that was not done, and returns the error for the queue. */
  #refuse(job: TaskJob, error: unknown): unknown {
    const code = error instanceof EtlError ? error.code : 'internal';
    const reason = (error as Error).message;
    if (isPauseReason(code)) this.#pauseAfterRefusal(code);
    if (code !== 'part_not_here' || this.#isFirstRefusal(job.data))
      this.#setting.onEvent(eventOf(job, { code, reason }));
    // The queue gives a part without files here to another worker; the run learns of all other failures.
    return code === 'part_not_here' ? error : new UnrecoverableError(`${code}: ${reason}`);
  }
}

/** Takes tasks until it is closed. */
export async function takeTasks(backend: Backend, setting: TaskSetting): Promise<TaskTaking> {
  const program = await programOf(setting.url, setting.config);
  const worker = new TaskWorker(backend, setting, program, await Presence.show(setting.url));
  await worker.waitUntilReady();
  return worker;
}
