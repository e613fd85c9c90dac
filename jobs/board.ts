import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import type { FastifyInstance } from 'fastify';
import type { Backend, RefreshQueue } from './backend.ts';

/** The style sheet of fonts that the page names; what is drawn without it is the font of the system. */
const FONTS = /<link[^>]*fonts\.googleapis\.com[^>]*>/;

/** Adds a read-only board of the queues under a path: commands add and remove jobs. It loads nothing from other hosts. */
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

/** Jobs of the queue by state. */
export async function queueCounts(queue: RefreshQueue): Promise<Record<string, number>> {
  return queue.getJobCounts('waiting', 'active', 'delayed', 'completed', 'failed');
}
