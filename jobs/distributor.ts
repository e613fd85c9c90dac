import type { FlowJob } from 'bullmq';
import type { Distributor, HandedBatch, StageRequest } from '../pipelines/distribute/distributor.ts';
import type { Config } from '../schema/config.ts';
import { EtlError } from '../schema/errors.ts';
import { type Backend, openBackend, QUEUES, type StageData } from './backend.ts';
import { within } from './within.ts';

/** How long the queue may take to answer before the run goes on without the answer. */
const PATIENCE_MS = 10_000;
/** Failed batches that stay visible; what failed is computed by the run itself. */
const FAILED_KEPT = 100;

/** A stage as a flow: its batches, which a worker may finish or fail, and the stage as their parent, which is over after them. */
function flowOf({ id, run_id, stage, program, batches }: StageRequest): FlowJob {
  return {
    name: 'stage',
    queueName: QUEUES.stages,
    data: { run_id, stage } satisfies StageData,
    opts: { jobId: id, removeOnComplete: true, removeOnFail: true },
    children: batches.map((batch) => ({
      name: 'batch',
      queueName: QUEUES.batches,
      data: { run_id, stage, cells: batch.cells, program },
      opts: {
        jobId: batch.id,
        attempts: 1,
        removeOnComplete: true,
        removeOnFail: { count: FAILED_KEPT },
        ignoreDependencyOnFailure: true,
      },
    })),
  };
}

async function answered<T>(work: Promise<T>): Promise<T> {
  if (await within(PATIENCE_MS, work)) return work;
  // What comes of it later is no news.
  work.catch(() => undefined);
  throw new EtlError('queue_unavailable', `The queue did not answer for ${PATIENCE_MS / 1000} s.`, {
    kind: 'transient',
  });
}

/** Empties the queues of batches: whoever holds the lock of the runs may, since what is there belongs to runs that are over. */
async function empty(backend: Backend): Promise<void> {
  await backend.batches().drain(true);
  await backend.stages().drain(true);
}

/** Hands the batches of one run to workers, as a flow for each stage. */
export async function openDistributor(url: string, queue: Config['queue']): Promise<Distributor> {
  const backend = await openBackend(url, queue);
  const flows = backend.flows();
  flows.on('error', () => undefined);
  const over = new Map<string, () => void>();
  const listening = backend.work<StageData, null>(
    QUEUES.stages,
    async (job) => {
      over.get(job.id!)?.();
      over.delete(job.id!);
      return null;
    },
    { concurrency: 8 },
  );
  listening.on('error', () => undefined);
  const close = async (): Promise<void> => {
    await within(PATIENCE_MS, empty(backend)).catch(() => undefined);
    const hangUp = Promise.all([listening.close(), flows.close()]).then(() => backend.close());
    await within(PATIENCE_MS, hangUp).catch(() => undefined);
  };
  try {
    await answered(empty(backend));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    ask: async (request) => {
      over.set(request.id, request.onOver);
      await answered(flows.add(flowOf(request)));
    },
    holds: async ({ id }) => {
      const state = await answered(backend.stages().getJobState(id));
      if (state === 'unknown') return false;
      if (state !== 'waiting-children') return true;
      // The parent of batches that are gone would wait for ever.
      const counts = await answered(backend.batches().getJobCounts('waiting', 'active', 'delayed'));
      return Object.values(counts).some((count) => count > 0);
    },
    takeBack: async ({ id }: HandedBatch) => {
      // One that a worker has just begun is locked, and stays.
      await answered(
        backend
          .batches()
          .remove(id)
          .catch(() => 0),
      );
    },
    close,
  };
}
