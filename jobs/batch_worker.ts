import { availableParallelism, hostname } from 'node:os';
import { type Job, UnrecoverableError } from 'bullmq';
import type { BatchSummary } from '../pipelines/engine/run_batch.ts';
import { Workers } from '../pipelines/engine/workers.ts';
import type { Config } from '../schema/config.ts';
import { EtlError } from '../schema/errors.ts';
import { Presence } from '../store/books/presence.ts';
import { type Backend, type BatchData, type BatchOutcome, QUEUES } from './backend.ts';
import { checkProgram, programOf } from './program.ts';
import { BATCH_TIMING } from './timing.ts';

/** Events of a worker about batches. */
export type BatchEvent =
  | { event: 'batch'; job_id: string; run_id: number; stage: string; partitions: number; rows: number }
  | ({ event: 'batch_refused' | 'batch_failed'; job_id: string; run_id: number; stage: string } & {
      code: string;
      reason: string;
    });

export interface BatchSetting {
  url: string;
  config: Config;
  onEvent: (event: BatchEvent | { event: 'error'; message: string }) => void;
}

/** Takes batches until it is closed. */
export interface BatchTaking {
  /** Takes no batches while something else needs the machine; those in hand are finished. */
  rest(): void;
  resume(): void;
  /** Takes no more and waits for those in hand. */
  close(): Promise<void>;
  /** Gives those in hand back to the queue; the process has to end, since its threads still work on them. */
  giveBack(): Promise<void>;
}

/** How long a worker that is of no use to a run leaves its batches to others. */
const REFUSED_REST_MS = 30_000;

/** Codes with which a batch is not computed because it must not be, as opposed to could not be. */
const REFUSALS: ReadonlySet<string> = new Set(['worker_differs', 'run_superseded']);

/** How long threads are kept without work, with the indexes and models that they hold. */
const IDLE_MS = 60_000;

/** How reports name this process: several of one machine are told apart. */
const MACHINE = `${hostname()} ${process.pid}`;

type BatchJob = Job<BatchData, BatchOutcome, string>;

/**
 * Computes batches of other processes' runs in threads of this one, as many at a time as there are threads, so that the process stays
 * free to renew the locks of its jobs. A failed batch is not retried here: the run does that.
 */
export async function takeBatches(backend: Backend, setting: BatchSetting): Promise<BatchTaking> {
  const { url, config, onEvent } = setting;
  const own = await programOf(url, config);
  const presence = await Presence.show(url);
  const { session } = presence;
  let workers: Workers | null = null;
  let idle: NodeJS.Timeout | undefined;
  const endThreads = async (): Promise<void> => {
    const ending = workers;
    workers = null;
    await ending?.close();
  };
  const inHand = new Set<BatchJob>();
  const resting = new Set<string>();
  let closed = false;

  const rest = (why: string): void => {
    resting.add(why);
    void worker.pause(true);
  };
  const resume = (why: string): void => {
    resting.delete(why);
    if (resting.size === 0 && !closed) worker.resume();
  };
  /** A worker that differs would fail batch after batch, which others could compute. */
  const restFromRefusing = (): void => {
    rest('differs');
    setTimeout(() => resume('differs'), REFUSED_REST_MS).unref();
  };

  const compute = async (job: BatchJob): Promise<BatchOutcome> => {
    const { run_id: runId, stage, partitions, program } = job.data;
    checkProgram(own, program);
    workers ??= new Workers(config.workers, { url, config, session });
    let by: BatchOutcome['by'];
    const batch = { kind: 'batch', stage, partitions, runId } as const;
    const done = await workers.run<BatchSummary>(batch, undefined, ({ thread, from, to }) => {
      by = { machine: MACHINE, thread, took_s: (to - from) / 1000 };
    });
    return { partitions: done.cells.length, rows: done.rows, by: by! };
  };

  const worker = backend.work<BatchData, BatchOutcome>(
    QUEUES.batches,
    async (job) => {
      const { run_id, stage } = job.data;
      const which = { job_id: job.id!, run_id, stage };
      inHand.add(job);
      clearTimeout(idle);
      try {
        const outcome = await compute(job);
        // Nothing was left of a batch that others had computed.
        const { partitions, rows } = outcome;
        if (partitions > 0) onEvent({ event: 'batch', ...which, partitions, rows });
        return outcome;
      } catch (error) {
        const code = error instanceof EtlError ? error.code : 'internal';
        const reason = (error as Error).message;
        const event = REFUSALS.has(code) ? 'batch_refused' : 'batch_failed';
        if (code === 'worker_differs') restFromRefusing();
        onEvent({ event, ...which, code, reason });
        throw new UnrecoverableError(`${code}: ${reason}`);
      } finally {
        inHand.delete(job);
        if (inHand.size === 0) idle = setTimeout(() => void endThreads(), IDLE_MS).unref();
      }
    },
    {
      concurrency: config.workers > 0 ? config.workers : availableParallelism(),
      lockDuration: BATCH_TIMING.lockMs,
      stalledInterval: BATCH_TIMING.stalledCheckMs,
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
    rest: () => rest('busy'),
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
