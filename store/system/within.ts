import { setTimeout as sleep } from 'node:timers/promises';

/** Returns whether `work` settles in time; throws its error if it fails in time. */
export async function within(limitMs: number, work: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController();
  const limit = sleep(limitMs, false, { signal: timer.signal }).catch(() => false);
  return Promise.race([work.then(() => true), limit]).finally(() => timer.abort());
}
