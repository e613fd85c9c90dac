import { setTimeout as sleep } from 'node:timers/promises';
import { EtlError } from '../schema/errors.ts';

/** Whether `work` settles in time; throws what it throws in time. */
export async function within(limitMs: number, work: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController();
  const limit = sleep(limitMs, false, { signal: timer.signal }).catch(() => false);
  return Promise.race([work.then(() => true), limit]).finally(() => timer.abort());
}

/** What a queue answers. @throws EtlError queue_unavailable where it does not in time */
export async function answered<T>(limitMs: number, work: Promise<T>): Promise<T> {
  if (await within(limitMs, work)) return work;
  // What comes of it later is no news.
  work.catch(() => undefined);
  throw new EtlError('queue_unavailable', `The queue did not answer for ${limitMs / 1000} s.`, {
    kind: 'transient',
  });
}
