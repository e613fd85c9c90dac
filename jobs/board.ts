import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import type { FastifyInstance } from 'fastify';
import type { RefreshQueue } from './backend.ts';

/** Adds the page of the queue under a path, for looking only: jobs are asked for and removed by commands. */
export async function addBoard(app: FastifyInstance, queue: RefreshQueue, path: string): Promise<void> {
  const adapter = new FastifyAdapter().setBasePath(path);
  createBullBoard({
    queues: [new BullMQAdapter(queue as never, { readOnlyMode: true })],
    serverAdapter: adapter,
    options: { uiConfig: { boardTitle: 'Property data pipeline' } },
  });
  await app.register(adapter.registerPlugin() as never, { prefix: path });
}

/** Jobs of the queue by state. */
export async function queueCounts(queue: RefreshQueue): Promise<Record<string, number>> {
  return queue.getJobCounts('waiting', 'active', 'delayed', 'completed', 'failed');
}
