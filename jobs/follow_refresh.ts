import { setTimeout as sleep } from 'node:timers/promises';
import { EtlError } from '../schema/errors.ts';
import type { RefreshQueue } from './backend.ts';
import type { QueuedRefresh } from './refresh_job.ts';

/** Interval of the looks at a request, milliseconds. */
const EVERY_MS = 500;

/** How a followed request goes on and ends. */
export type FollowEvent =
  | { event: 'started'; job_id: string; requested_by: string; attempt: number }
  | { event: 'retrying'; job_id: string; reason: string; attempt: number; attempts: number }
  | { event: 'failed'; job_id: string; reason: string; attempt: number }
  | {
      event: 'finished';
      job_id: string;
      seconds: number;
      run_id: number;
      state: 'published' | 'unchanged' | 'held';
      publication: number | null;
    };

/**
 * Follows a request until its run has ended, and reports each step. A request that joined a running one is followed to the end of that run
 * and of the run after it. @throws EtlError queue_unavailable if the queue has lost the request
 */
export async function followRefresh(
  queue: RefreshQueue,
  { job_id, joined }: QueuedRefresh,
  onEvent: (event: FollowEvent) => void,
): Promise<FollowEvent> {
  let reported = '';
  const isRunning = joined && (await queue.getJob(job_id).then((job) => job?.isActive())) === true;
  const deduplication = isRunning ? (await queue.getJob(job_id))?.deduplicationId : undefined;
  for (; ; await sleep(EVERY_MS)) {
    const job = await queue.getJob(job_id);
    if (job === undefined)
      throw new EtlError('queue_unavailable', `The queue has lost the request ${job_id}. Request it again.`, {
        kind: 'transient',
      });
    const state = await job.getState();
    const reason = job.failedReason ?? '';
    const attempts = job.attemptsMade;
    const step = `${state} ${attempts}`;
    if (step !== reported) {
      reported = step;
      if (state === 'active')
        onEvent({ event: 'started', job_id, requested_by: job.data.requested_by, attempt: attempts + 1 });
      if (state === 'delayed' && attempts > 0)
        onEvent({ event: 'retrying', job_id, reason, attempt: attempts, attempts: job.opts.attempts ?? 1 });
    }
    if (state !== 'completed' && state !== 'failed') continue;
    const end: FollowEvent =
      state === 'failed'
        ? { event: 'failed', job_id, reason, attempt: attempts }
        : {
            event: 'finished',
            job_id,
            seconds: ((job.finishedOn ?? 0) - (job.processedOn ?? 0)) / 1000,
            ...job.returnvalue,
          };
    onEvent(end);
    const next = deduplication === undefined ? null : await queue.getDeduplicationJobId(deduplication);
    return next == null || next === job_id
      ? end
      : followRefresh(queue, { job_id: next, joined: false }, onEvent);
  }
}
