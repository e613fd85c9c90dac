import { EtlError } from '../schema/errors.ts';
import { within } from '../store/system/within.ts';

/** Waits for an answer of the queue. @throws EtlError queue_unavailable if it does not answer in time */
export async function withQueueTimeout<T>(limitMs: number, work: Promise<T>): Promise<T> {
  if (await within(limitMs, work)) return work;
  // Later results are ignored.
  work.catch(() => undefined);
  throw new EtlError('queue_unavailable', `The queue did not answer for ${limitMs / 1000} s.`, {
    kind: 'transient',
  });
}
