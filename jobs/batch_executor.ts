import { setInterval as every } from 'node:timers/promises';
import { UnrecoverableError } from 'bullmq';
import pLimit from 'p-limit';
import type { BatchDone, Distributed, RunHere } from '../pipelines/engine/executor.ts';
import type { Batch, BatchSummary } from '../pipelines/engine/run_batch.ts';
import type { Config } from '../schema/config.ts';
import { within } from '../store/system/within.ts';
import { answered } from './answered.ts';
import { type Backend, type BatchData, type BatchOutcome, openBackend, QUEUES } from './backend.ts';
import { type Program, programOf } from './program.ts';
import { BATCH_TIMING } from './timing.ts';

/** How long the queue may take to answer before the run goes on without the answer. */
const PATIENCE_MS = 10_000;
/** How long a run leaves a queue alone that failed. */
const FAILED_REST_MS = 30_000;
/** How often it is looked for silent workers, and for batches of which no word came. */
const LOOK_MS = 1000;
/** How long a batch may be in the queue until it is looked for there, and again. */
const ASKED_MS = 3000;
/** Batches that are in the queue at a time: enough for any number of machines, and little for its memory. */
const ASKED_AT_ONCE = 256;
/** Finished batches that stay visible, and tell how they ended where word of it was lost. */
const KEPT = { age: 600, count: 100 };

const inTime = <T>(work: Promise<T>): Promise<T> => answered(PATIENCE_MS, work);

/** A batch that the queue was asked for. */
interface Asked {
  batch: Batch;
  /** When the queue was last asked of it. */
  at: number;
  /** Whether a thread of the run computes it. */
  isHere: boolean;
  resolve: (done: BatchDone) => void;
  reject: (error: unknown) => void;
}

/** Computes the batches of a run wherever there is a worker, by way of the queue; the threads of the run take part. */
class BatchExecutor implements Distributed {
  readonly #backend: Backend;
  readonly #here: RunHere;
  readonly #program: Program;
  readonly #asked = new Map<string, Asked>();
  readonly #room = pLimit(ASKED_AT_ONCE);
  readonly #closing = new AbortController();
  readonly #hangUp: () => Promise<unknown>;
  #count = 0;
  /** Until when the queue is left alone. */
  #restUntil = 0;
  /** Why nothing more is computed. */
  #dropped: Error | undefined;

  constructor(backend: Backend, here: RunHere, program: Program) {
    this.#backend = backend;
    this.#here = here;
    this.#program = program;
    const events = backend.batchEvents();
    events.on('error', () => undefined);
    events.on('completed', ({ jobId, returnvalue }) =>
      this.#doneElsewhere(jobId, returnvalue as unknown as BatchOutcome),
    );
    events.on('failed', ({ jobId }) => this.#computeHere(jobId));
    const taking = backend.work<BatchData, BatchOutcome>(QUEUES.batches, (job) => this.#process(job.id!), {
      concurrency: here.workers.count,
      lockDuration: BATCH_TIMING.lockMs,
      stalledInterval: BATCH_TIMING.stalledCheckMs,
    });
    taking.on('error', () => undefined);
    this.#hangUp = () => Promise.all([taking.close(true), events.close()]).then(() => backend.close());
    void this.#watch();
  }

  compute(batch: Batch): Promise<BatchDone> {
    return this.#room(() => {
      if (this.#dropped) throw this.#dropped;
      return this.#compute(batch);
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

  #compute(batch: Batch): Promise<BatchDone> {
    if (performance.now() < this.#restUntil) return this.#inThreads(batch);
    const id = `${batch.runId}.${batch.stage}.${++this.#count}`;
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { batch, at: performance.now(), isHere: false, resolve, reject });
      this.#ask(id).catch((error) => this.#goOnAlone(error));
    });
  }

  /** Asks the queue for a batch; where it has it already, nothing comes of it. */
  async #ask(id: string): Promise<void> {
    const asked = this.#asked.get(id);
    if (asked === undefined) return;
    const { runId, ...rest } = asked.batch;
    const data = { run_id: runId, ...rest, program: this.#program };
    const keep = { attempts: 1, removeOnComplete: KEPT, removeOnFail: KEPT };
    await inTime(this.#backend.batches().add('batch', data, { jobId: id, ...keep }));
  }

  #take(id: string): Asked | undefined {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    return asked;
  }

  /** Computes in the threads of the run; what it had recorded of the batch before, a worker was given too, and computed. */
  async #inThreads(batch: Batch): Promise<BatchDone> {
    const { cells, rows } = await this.#here.workers.run<BatchSummary>({ kind: 'batch', ...batch });
    return { rows, elsewhere: batch.partitions.length - cells.length };
  }

  /** Hears from a worker that a batch is done. What a thread of the run has in hand too, that thread answers for. */
  #doneElsewhere(id: string, { rows, by }: BatchOutcome): void {
    if (this.#asked.get(id)?.isHere) return;
    const asked = this.#take(id);
    if (asked === undefined) return;
    if (by) this.#tell(asked.batch.stage, by);
    asked.resolve({ rows, elsewhere: asked.batch.partitions.length });
  }

  /** Says which thread did a batch. Clocks of machines differ: it ended when word of it came, and began as long before as it took. */
  #tell(stage: string, { machine, thread, took_s }: NonNullable<BatchOutcome['by']>): void {
    const to = performance.now();
    this.#here.onTask({ machine, thread, name: `stage ${stage}`, from: to - 1000 * took_s, to });
  }

  /** A batch that came back to this process by way of the queue. */
  async #process(id: string): Promise<BatchOutcome> {
    const asked = this.#asked.get(id);
    // Of a run that is over, or done by another one, who could not say so.
    if (asked === undefined) return { partitions: 0, rows: 0 };
    asked.isHere = true;
    try {
      const done = await this.#inThreads(asked.batch);
      this.#take(id)?.resolve(done);
      return { partitions: asked.batch.partitions.length - done.elsewhere, rows: done.rows };
    } catch (error) {
      this.#take(id)?.reject(error);
      throw new UnrecoverableError((error as Error).message);
    }
  }

  /** Computes in the threads of the run what the queue was asked for. */
  #computeHere(id: string): void {
    const asked = this.#take(id);
    if (asked) this.#inThreads(asked.batch).then(asked.resolve, asked.reject);
  }

  #goOnAlone(error: Error): void {
    this.#here.onQueueFailure(error);
    this.#restUntil = performance.now() + FAILED_REST_MS;
    for (const [id, { isHere }] of [...this.#asked]) if (!isHere) this.#computeHere(id);
  }

  /** Looks for a batch of which no word came, and asks again where the queue lost it. */
  async #lookFor(id: string, asked: Asked): Promise<void> {
    const state = await inTime(this.#backend.batches().getJobState(id));
    asked.at = performance.now();
    if (state === 'unknown') await this.#ask(id);
    else if (state === 'failed') this.#computeHere(id);
    else if (state === 'completed') {
      const job = await inTime(this.#backend.batches().getJob(id));
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
        // Where the server is gone, whoever computes hears of it.
        await this.#here.endSilent().catch(() => undefined);
        await this.#lookForAll().catch((error) => this.#goOnAlone(error));
      }
    } catch {
      // The run is over.
    }
  }
}

/** Empties the queue of batches: whoever holds the lock of the runs may, since what is there belongs to runs that are over. */
const empty = (backend: Backend): Promise<void> => backend.batches().drain(true);

/** Opens the way to the workers of other machines for one run. */
export async function openBatchExecutor(url: string, config: Config, here: RunHere): Promise<Distributed> {
  const program = await programOf(url, config);
  const backend = await openBackend(url, config.queue);
  try {
    await inTime(empty(backend));
    return new BatchExecutor(backend, here, program);
  } catch (error) {
    await within(PATIENCE_MS, backend.close()).catch(() => undefined);
    throw error;
  }
}
