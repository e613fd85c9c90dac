import { availableParallelism } from 'node:os';
import type { Job, Worker } from 'bullmq';
import { checkConfigured } from '../pipelines/ingest/configured.ts';
import { type Progress, silent } from '../pipelines/report/progress.ts';
import { setUp } from '../pipelines/run/set_up.ts';
import { keepThreads } from '../pipelines/tasks/threads.ts';
import type { Config } from '../schema/config.ts';
import { checkSessions, openPool, withClient } from '../store/database.ts';
import { within } from '../store/system/within.ts';
import { type Backend, openBackend, QUEUES, type RefreshOutcome, type RefreshRequest } from './backend.ts';
import { type RefreshSetting, runRefreshJob } from './refresh_job.ts';
import { readSchedules, type Schedule, type Scheduled } from './schedule.ts';
import { keepSchedules, type RestoredSchedule } from './schedule_keeper.ts';
import { type TaskEvent, type TaskTaking, takeTasks } from './task_worker.ts';
import { TIMING, type WorkerTiming } from './timing.ts';
import { notifyWatches, type WatchEvent } from './watch_messages.ts';

export type WorkerEvent =
  | { event: 'ready'; backend: 'postgres' | 'redis'; schedules: Schedule[] }
  | { event: 'started'; job_id: string; requested_by: string; attempt: number }
  | ({ event: 'finished'; job_id: string; seconds: number } & RefreshOutcome)
  | { event: 'retrying'; job_id: string; reason: string; attempt: number; attempts: number }
  | { event: 'failed'; job_id: string; reason: string; attempt: number }
  | { event: 'stalled'; job_id: string }
  | ({ event: 'schedule_restored' } & RestoredSchedule)
  | TaskEvent
  | WatchEvent
  | { event: 'error'; message: string }
  | { event: 'stopped'; drained: boolean };

export interface WorkerSetting {
  url: string;
  config: Config;
  /** Folder that relative dataset paths start from. */
  base: string;
  onEvent: (event: WorkerEvent) => void;
  progress?: Progress;
  listen?: RefreshSetting['listen'];
  timing?: WorkerTiming;
  /** Request of the configured schedule. Default: a refresh of all tables. */
  scheduled?: Scheduled;
  /** True: takes only tasks of other runs. Refreshes would need the files of all datasets. */
  tasksOnly?: boolean;
}

export interface RunningWorker {
  /**
   * Takes no more jobs and waits up to `limitMs` for running ones, then returns them to the queue. The caller must end the process, because
   * it still works on them. @returns true if all jobs finished
   */
  stop(limitMs: number): Promise<boolean>;
}

/** Interval in which the schedules are compared with the queue, milliseconds. */
const SCHEDULES_MS = 60_000;
/** Maximum time to return a job to the queue, milliseconds. */
const HAND_BACK_MS = 2000;

type RefreshJob = Job<RefreshRequest, RefreshOutcome, string>;

/** Event of a failed attempt. */
function afterFailure(job: RefreshJob, error: Error): WorkerEvent {
  const attempts = job.opts.attempts ?? 1;
  const failure = { job_id: job.id!, reason: error.message, attempt: job.attemptsMade };
  const last = error.name === 'UnrecoverableError' || job.attemptsMade >= attempts;
  return last ? { event: 'failed', ...failure } : { event: 'retrying', ...failure, attempts };
}

/** What a worker does beside its jobs, until it is closed. */
interface Closing {
  close(): Promise<void>;
}

/** Sets the schedules, and restores every minute what the queue lost of them, until it is closed. */
async function restoreSchedules(backend: Backend, setting: WorkerSetting): Promise<Closing> {
  const { url, config, scheduled, onEvent, timing = TIMING } = setting;
  const pool = openPool(url, 1);
  const keep = (isStart: boolean): Promise<void> =>
    withClient(pool, async (client) => {
      const options = { scheduled, isStart };
      for (const each of await keepSchedules(client, backend.queue, config.queue, options))
        onEvent({ event: 'schedule_restored', ...each });
    });
  try {
    await withClient(pool, (client) => setUp(client, config));
    await keep(true);
  } catch (error) {
    await pool.end();
    throw error;
  }
  let keeping: Promise<void> | null = null;
  let failure = '';
  const look = async (): Promise<void> => {
    try {
      await keep(false);
      // A restarted Redis has also lost the limit of one refresh at a time.
      await backend.queue.setGlobalConcurrency(1);
      failure = '';
    } catch (error) {
      const { message } = error as Error;
      if (message !== failure) onEvent({ event: 'error', message: `schedules: ${message}` });
      failure = message;
    }
  };
  const timer = setInterval(() => {
    keeping ??= look().finally(() => {
      keeping = null;
    });
  }, timing.schedulesMs ?? SCHEDULES_MS).unref();
  return {
    async close() {
      clearInterval(timer);
      // A queue that is away would be waited for.
      await within(HAND_BACK_MS, keeping ?? Promise.resolve());
      await within(HAND_BACK_MS, pool.end());
    },
  };
}

/** A worker and its running refresh. */
interface WorkerState {
  worker: Worker<RefreshRequest, RefreshOutcome, string>;
  inHand: RefreshJob | null;
  /** True: errors of closed connections are ignored. */
  closed: boolean;
}

/** Takes refreshes one at a time. While one runs, its threads use the machine, and tasks of other runs are not taken. */
function takeRefreshes(backend: Backend, setting: WorkerSetting, tasks: TaskTaking): WorkerState {
  const { url, config, base, onEvent, progress = silent, listen, timing = TIMING } = setting;
  const worker = backend.work<RefreshRequest, RefreshOutcome>(
    QUEUES.refreshes,
    async (job) => {
      const { requested_by } = job.data;
      onEvent({ event: 'started', job_id: job.id!, requested_by, attempt: job.attemptsMade + 1 });
      const started = performance.now();
      taking.inHand = job;
      tasks.rest();
      try {
        const hooks = listen ? { listen } : {};
        const outcome = await runRefreshJob(job.data, { url, config, base, progress, ...hooks });
        const seconds = Math.round(performance.now() - started) / 1000;
        onEvent({ event: 'finished', job_id: job.id!, seconds, ...outcome });
        return outcome;
      } finally {
        taking.inHand = null;
        tasks.resume();
      }
    },
    {
      autorun: false,
      concurrency: 1,
      lockDuration: timing.lockMs,
      stalledInterval: timing.stalledCheckMs,
      // A run that ends its process every time is given up after as many attempts as one that fails.
      maxStalledCount: config.queue.attempts,
    },
  );
  worker.on('failed', (job, error) => {
    if (job) onEvent(afterFailure(job, error));
  });
  worker.on('stalled', (job_id) => onEvent({ event: 'stalled', job_id }));
  worker.on('error', ({ message }) => {
    if (!taking.closed) onEvent({ event: 'error', message });
  });
  const taking: WorkerState = { worker, inHand: null, closed: false };
  return taking;
}

interface WorkerParts {
  /** Null: the worker takes tasks only. */
  taking: WorkerState | null;
  tasks: TaskTaking;
  others: readonly Closing[];
  backend: Backend;
  onEvent: WorkerSetting['onEvent'];
}

async function stopWorker(
  { taking, tasks, others, backend, onEvent }: WorkerParts,
  limitMs: number,
): Promise<boolean> {
  const drained = await within(
    limitMs,
    Promise.all([taking?.worker.close(), tasks.close(), ...others.map((each) => each.close())]),
  );
  if (taking) taking.closed = drained;
  if (drained) await backend.close();
  else {
    // A returned job need not wait for its lock to expire. If the return fails, it does.
    const refresh = Promise.resolve(taking?.inHand?.moveToWait(taking.inHand.token)).catch(() => null);
    await within(HAND_BACK_MS, Promise.all([refresh, tasks.giveBack()]));
  }
  onEvent({ event: 'stopped', drained });
  return drained;
}

/**
 * Takes refreshes from the queue one at a time, and tasks of other runs, and notifies watches, until it is stopped. Keeps the configured
 * schedules in the queue. The locks of the jobs are renewed while they run, because the heavy work is in threads.
 */
export async function startWorker(setting: WorkerSetting): Promise<RunningWorker> {
  const { url, config, base, onEvent, tasksOnly = false } = setting;
  if (!tasksOnly) checkConfigured(config);
  await checkSessions(url);
  keepThreads(availableParallelism());
  const backend = await openBackend(url, config.queue);
  let tasks: TaskTaking | undefined;
  let taking: WorkerState | null = null;
  const others: Closing[] = [];
  try {
    if (!tasksOnly) {
      // One run at a time: further ones wait in the queue, not for the run lock.
      await backend.queue.setGlobalConcurrency(1);
      others.push(await restoreSchedules(backend, setting));
    }
    const schedules = tasksOnly ? [] : await readSchedules(backend.queue);
    const takingTasks = await takeTasks(backend, { url, config, base, onEvent });
    tasks = takingTasks;
    const refreshes = tasksOnly ? null : takeRefreshes(backend, setting, takingTasks);
    taking = refreshes;
    if (!tasksOnly) others.push(await notifyWatches({ url, config, onEvent }));
    await refreshes?.worker.waitUntilReady();
    onEvent({ event: 'ready', backend: backend.kind, schedules });
    refreshes?.worker.run().catch((error) => refreshes.worker.emit('error', error));
    return {
      stop: (limitMs) =>
        stopWorker({ taking: refreshes, tasks: takingTasks, others, backend, onEvent }, limitMs),
    };
  } catch (error) {
    await taking?.worker.close(true);
    await tasks?.close();
    for (const each of others) await each.close();
    await backend.close();
    throw error;
  }
}
