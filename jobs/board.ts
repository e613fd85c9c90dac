import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import type { FastifyInstance } from 'fastify';
import type { Backend, RefreshQueue } from './backend.ts';

/** Adds the page of the queues under a path, for looking only: jobs are asked for and removed by commands. */
export async function addBoard(app: FastifyInstance, backend: Backend, path: string): Promise<void> {
  const queues = [backend.queue, backend.batches()];
  const adapter = new FastifyAdapter().setBasePath(path);
  createBullBoard({
    queues: queues.map((queue) => new BullMQAdapter(queue as never, { readOnlyMode: true })),
    serverAdapter: adapter,
    options: {
      uiConfig: {
        boardTitle: 'Property data pipeline',
        miscLinks: [{ text: 'Back to the console', url: '/' }],
      },
    },
  });
  await app.register(adapter.registerPlugin() as never, { prefix: path });
}

/** Jobs of the queue by state. */
export async function queueCounts(queue: RefreshQueue): Promise<Record<string, number>> {
  return queue.getJobCounts('waiting', 'active', 'delayed', 'completed', 'failed');
}
