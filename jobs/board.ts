import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import type { FastifyInstance } from 'fastify';
import type { Backend, RefreshQueue } from './backend.ts';

/** Link to a web font in the board's page. Without it the page uses a system font. */
const FONTS = /<link[^>]*fonts\.googleapis\.com[^>]*>/;

/** Adds a read-only board of the queues at a path. Jobs are added and removed by commands. It loads nothing from other hosts. */
export async function addBoard(app: FastifyInstance, backend: Backend, path: string): Promise<void> {
  const queues = [backend.queue, backend.tasks()];
  const adapter = new FastifyAdapter().setBasePath(path);
  createBullBoard({
    queues: queues.map((queue) => new BullMQAdapter(queue as never, { readOnlyMode: true })),
    serverAdapter: adapter,
    options: {
      uiConfig: {
        boardTitle: 'Property data pipeline',
      },
    },
  });
  await app.register(async (board) => {
    board.addHook('onSend', async (_request, _reply, payload) =>
      typeof payload === 'string' ? payload.replace(FONTS, '') : payload,
    );
    await board.register(adapter.registerPlugin() as never, { prefix: path });
  });
}

/** Number of jobs in the queue by state. */
export async function queueCounts(queue: RefreshQueue): Promise<Record<string, number>> {
  return queue.getJobCounts('waiting', 'active', 'delayed', 'completed', 'failed');
}
