import { setTimeout as sleep } from 'node:timers/promises';
import type { Job } from 'bullmq';
import { type Progress, silent } from '../pipelines/progress.ts';
import type { Config } from '../schema/config.ts';
import type { Backend, RefreshOutcome, RefreshRequest, RefreshWorker } from './backend.ts';
import { openBackend } from './backend.ts';
import { type RefreshSetting, runRefreshJob } from './refresh_job.ts';
import { ensureSchedule, type Schedule } from './schedule.ts';

/** What a worker says of itself. */
export type WorkerEvent =
  | { event: 'ready'; backend: 'postgres' | 'redis'; schedule: Schedule | null }
  | { event: 'started'; job_id: string; requested_by: string; attempt: number }
  | ({ event: 'finished'; job_id: string; seconds: number } & RefreshOutcome)
  | { event: 'retrying'; job_id: string; reason: string; attempt: number; attempts: number }
  | { event: 'failed'; job_id: string; reason: string; attempt: number }
  | { event: 'stalled'; job_id: string }
  | { event: 'error'; message: string }
  | { event: 'stopped'; drained: boolean };

/** How soon a job of a worker that died is taken over: after at most `lockMs` and twice `stalledCheckMs`. */
export interface WorkerTiming {
  /** How long a job stays a worker's without word from it; it says so every half of that. */
  lockMs: number;
  stalledCheckMs: number;
}

export interface WorkerSetting {
  url: string;
  config: Config;
  /** Folder that relative dataset paths start from. */
  base: string;
  onEvent: (event: WorkerEvent) => void;
  progress?: Progress;
  listen?: RefreshSetting['listen'];
  timing?: WorkerTiming;
}

export interface RunningWorker {
  /**
   * Takes no more jobs and waits for the one in hand, at most `limitMs`; then hands it back to the queue, and the caller
   * has to end the process, which still works on it.
   * @returns whether the job was finished
   */
  stop(limitMs: number): Promise<boolean>;
}

/** How long handing a job back may take. */
const HAND_BACK_MS = 2000;

const TIMING: WorkerTiming = { lockMs: 60_000, stalledCheckMs: 30_000 };

type RefreshJob = Job<RefreshRequest, RefreshOutcome, 'refresh'>;

/** How a failed attempt goes on. */
function afterFailure(job: RefreshJob, error: Error): WorkerEvent {
  const attempts = job.opts.attempts ?? 1;
  const seen = { job_id: job.id!, reason: error.message, attempt: job.attemptsMade };
  const last = error.name === 'UnrecoverableError' || job.attemptsMade >= attempts;
  return last ? { event: 'failed', ...seen } : { event: 'retrying', ...seen, attempts };
}

/** A worker and the job it is doing. */
interface Taking {
  worker: RefreshWorker;
  inHand: RefreshJob | null;
  /** Closed connections may still report how they ended, which is no news. */
  closed: boolean;
}

function takeJobs(backend: Backend, setting: WorkerSetting): Taking {
  const { url, config, base, onEvent, progress = silent, listen, timing = TIMING } = setting;
  const worker = backend.work(
    async (job) => {
      const { requested_by } = job.data;
      onEvent({ event: 'started', job_id: job.id!, requested_by, attempt: job.attemptsMade + 1 });
      const started = performance.now();
      taking.inHand = job;
      try {
        const outcome = await runRefreshJob(job.data, {
          url,
          config,
          base,
          progress,
          ...(listen ? { listen } : {}),
        });
        const seconds = Math.round(performance.now() - started) / 1000;
        onEvent({ event: 'finished', job_id: job.id!, seconds, ...outcome });
        return outcome;
      } finally {
        taking.inHand = null;
      }
    },
    {
      concurrency: 1,
      lockDuration: timing.lockMs,
      stalledInterval: timing.stalledCheckMs,
      // A run that ends its process each time is given up like one that fails each time.
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
  const taking: Taking = { worker, inHand: null, closed: false };
  return taking;
}

/** Whether `work` settles in time. */
async function within(limitMs: number, work: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController();
  const limit = sleep(limitMs, false, { signal: timer.signal }).catch(() => false);
  const inTime = await Promise.race([work.then(() => true), limit]);
  timer.abort();
  return inTime;
}

async function stopWorker(
  taking: Taking,
  backend: Backend,
  onEvent: WorkerSetting['onEvent'],
  limitMs: number,
): Promise<boolean> {
  const drained = await within(limitMs, taking.worker.close());
  taking.closed = drained;
  if (drained) await backend.close();
  // Handed back, the job need not wait for its lock to lapse; where that fails, it does.
  else
    await within(
      HAND_BACK_MS,
      Promise.resolve(taking.inHand?.moveToWait(taking.inHand.token)).catch(() => null),
    );
  onEvent({ event: 'stopped', drained });
  return drained;
}

/**
 * Takes refreshes from the queue, one at a time, until it is stopped. Starts the configured schedule where there is none.
 * The job's lock is renewed while it runs: the heavy work of a refresh is in threads.
 */
export async function startWorker(setting: WorkerSetting): Promise<RunningWorker> {
  const backend = await openBackend(setting.url, setting.config.queue);
  let taking: Taking | undefined;
  try {
    const schedule = await ensureSchedule(backend.queue, setting.config.queue);
    const running = takeJobs(backend, setting);
    taking = running;
    await running.worker.waitUntilReady();
    setting.onEvent({ event: 'ready', backend: backend.kind, schedule });
    return { stop: (limitMs) => stopWorker(running, backend, setting.onEvent, limitMs) };
  } catch (error) {
    await taking?.worker.close(true);
    await backend.close();
    throw error;
  }
}
