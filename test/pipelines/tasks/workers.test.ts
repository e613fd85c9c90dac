import { describe, expect, it } from 'vitest';
import type { WorkerSetup } from '../../../pipelines/tasks/task_thread.ts';
import { Workers } from '../../../pipelines/tasks/workers.ts';

describe('worker threads', () => {
  it('fail the tasks whose thread ends, each with a thread of its own, and leave nobody waiting', async () => {
    // A thread without a configuration ends as it starts.
    const workers = new Workers(1, { url: 'postgresql://nowhere' } as WorkerSetup);
    const tasks = ['one', 'two'].map((stage) =>
      workers.run({ kind: 'batch', stage, partitions: [], runId: 1 }).catch((error) => error),
    );
    for (const error of await Promise.all(tasks))
      expect(error).toMatchObject({
        code: 'worker_crashed',
        message: expect.stringContaining('A worker thread ended'),
      });
    await workers.close();
  });
});
