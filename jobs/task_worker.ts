import { availableParallelism, hostname } from 'node:os';
import { type Job, UnrecoverableError } from 'bullmq';
import type { Task } from '../pipelines/engine/worker.ts';
import { Workers } from '../pipelines/engine/workers.ts';
import { PartsHere } from '../pipelines/ingest/parts_here.ts';
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

function eventOf({ id, data }: TaskJob, outcome: { rows: number; partitions?: number } | Failed): TaskEvent {
  const { kind, run_id } = data;
  const what = data.kind === 'batch' ? { stage: data.stage } : { dataset: data.dataset, part: data.part };
  const how = 'rows' in outcome ? '' : REFUSALS.has(outcome.code) ? '_refused' : '_failed';
  return { event: `${kind}${how}`, job_id: id!, run_id, ...what, ...outcome } as TaskEvent;
}

/**
 * Does tasks of other processes' runs in this process's threads, one task a thread, so that the main thread can renew the locks of its
 * jobs. A failed task is not retried here: its run does that.
 */
export async function takeTasks(backend: Backend, setting: TaskSetting): Promise<TaskTaking> {
  const { url, config, base, onEvent } = setting;
  const ownProgram = await programOf(url, config);
  const presence = await Presence.show(url);
  const { session } = presence;
  const parts = new PartsHere(url, session, config, base);
  let workers: Workers | null = null;
  let idle: NodeJS.Timeout | undefined;
  const endThreads = async (): Promise<void> => {
    const ending = workers;
    workers = null;
    await ending?.close();
  };
  const inHand = new Set<TaskJob>();
  const resting = new Set<string>();
  let closed = false;

  const pause = (why: string): void => {
    resting.add(why);
    void worker.pause(true);
  };
  const resume = (why: string): void => {
    resting.delete(why);
    if (resting.size === 0 && !closed) worker.resume();
  };
  /** A worker that refuses task after task would take them from workers that can do them. */
  const restFromRefusing = (code: string): void => {
    pause(code);
    setTimeout(() => resume(code), code === 'part_not_here' ? NOT_HERE_REST_MS : REFUSED_REST_MS).unref();
  };

  /** Datasets refused in a run, so that each is reported once. */
  const refused = new Set<string>();
  const isNews = (data: TaskData): boolean => {
    const dataset = `${data.run_id} ${'dataset' in data && data.dataset}`;
    const isNew = !refused.has(dataset);
    refused.add(dataset);
    return isNew;
  };

  const taskOf = async (data: TaskData): Promise<Task> => {
    checkProgram(ownProgram, data.program);
    const { run_id: runId } = data;
    if (data.kind === 'batch') return { ...data, runId };
    return { kind: 'part', ...(await parts.find({ ...data, runId, loadId: data.load_id })) };
  };

  const perform = async (job: TaskJob): Promise<TaskOutcome> => {
    const task = await taskOf(job.data);
    workers ??= new Workers(config.workers, { url, config, session });
    let by: TaskOutcome['by'];
    const done = await workers.run<{ rows: number; cells?: number[] }>(
      task,
      undefined,
      ({ thread, from, to }) => {
        by = { machine: MACHINE, thread, took_s: (to - from) / 1000 };
      },
    );
    const partitions = done.cells === undefined ? {} : { partitions: done.cells.length };
    return { ...partitions, rows: done.rows, by: by! };
  };

  const worker = backend.work<TaskData, TaskOutcome>(
    QUEUES.tasks,
    async (job) => {
      inHand.add(job);
      clearTimeout(idle);
      try {
        const outcome = await perform(job);
        const { by: _by, ...done } = outcome;
        // Others had computed the whole batch.
        if (done.partitions !== 0) onEvent(eventOf(job, done));
        return outcome;
      } catch (error) {
        const code = error instanceof EtlError ? error.code : 'internal';
        const reason = (error as Error).message;
        if (code === 'worker_differs' || code === 'part_not_here') restFromRefusing(code);
        if (code !== 'part_not_here' || isNews(job.data)) onEvent(eventOf(job, { code, reason }));
        // The queue gives a part without files here to another worker; the run learns of all other failures.
        if (code === 'part_not_here') throw error;
        throw new UnrecoverableError(`${code}: ${reason}`);
      } finally {
        inHand.delete(job);
        if (inHand.size === 0) idle = setTimeout(() => void endThreads(), IDLE_MS).unref();
      }
    },
    {
      concurrency: config.workers > 0 ? config.workers : availableParallelism(),
      lockDuration: TASK_TIMING.lockMs,
      stalledInterval: TASK_TIMING.stalledCheckMs,
    },
  );
  worker.on('error', ({ message }) => {
    if (!closed) onEvent({ event: 'error', message });
  });
  try {
    await worker.waitUntilReady();
  } catch (error) {
    await presence.close();
    throw error;
  }
  return {
    rest: () => pause('busy'),
    resume: () => resume('busy'),
    close: async () => {
      await worker.close();
      closed = true;
      clearTimeout(idle);
      await endThreads();
      await presence.close();
    },
    giveBack: async () => {
      await Promise.allSettled([...inHand].map((job) => job.moveToWait(job.token)));
    },
  };
}
