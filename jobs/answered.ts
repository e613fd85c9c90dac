import { EtlError } from '../schema/errors.ts';
import { within } from '../store/system/within.ts';

/** What a queue answers. @throws EtlError queue_unavailable where it does not in time */
export async function answered<T>(limitMs: number, work: Promise<T>): Promise<T> {
  if (await within(limitMs, work)) return work;
  // What comes of it later is no news.
  work.catch(() => undefined);
  throw new EtlError('queue_unavailable', `The queue did not answer for ${limitMs / 1000} s.`, {
    kind: 'transient',
  });
}
