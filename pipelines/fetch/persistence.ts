import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../schema/config.ts';
import { EtlError } from '../../schema/errors.ts';

/** Maximum wait between attempts that the server did not request, seconds. */
const MAX_BACKOFF_S = 120;
/** Minimum new bytes for an attempt to count as progress, so that a long download survives many interruptions. */
const GAIN_BYTES = 1024 * 1024;

/** A failed attempt that will be retried. */
export interface FetchRetry {
  dataset: string;
  attempt: number;
  wait_s: number;
  /** Bytes of the file received so far. */
  bytes: number;
  message: string;
}

/** Retry policy of a source. */
export interface Persistence {
  dataset: string;
  policy: Config['downloads'];
  signal?: AbortSignal;
  /** Bytes of the file received so far. */
  bytes(): number;
  onRetry(failed: FetchRetry): void;
}

/** Retries `work` after transient failures, up to the policy's number of attempts without progress. @throws its last error */
export async function persistently<T>(how: Persistence, work: () => Promise<T>): Promise<T> {
  const { policy, dataset, signal } = how;
  let failed = 0;
  let best = how.bytes();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof EtlError) || error.kind !== 'transient') throw error;
      const bytes = how.bytes();
      failed = bytes >= best + GAIN_BYTES ? 1 : failed + 1;
      best = Math.max(best, bytes);
      const asked_s = (error.details.retry_after_s as number | null | undefined) ?? 0;
      const isTooLong = asked_s > policy.retry_after_max_s;
      if (failed >= policy.attempts || isTooLong) throw givenUp(error, failed, isTooLong ? asked_s : null);
      const wait_s = Math.max(asked_s, Math.min(MAX_BACKOFF_S, policy.backoff_s * 2 ** (failed - 1)));
      how.onRetry({ dataset, attempt: failed, wait_s, bytes, message: error.message });
      await sleep(wait_s * 1000, undefined, { signal });
    }
  }
}

/** Returns the last failure with what was tried. `asked_s`: a requested wait that is too long; null: no attempts are left. */
function givenUp(error: EtlError, attempts: number, asked_s: number | null): EtlError {
  const text =
    asked_s === null
      ? `Given up after ${attempts} attempt${attempts === 1 ? '' : 's'} without progress.`
      : `It asks to wait ${asked_s} s, longer than downloads.retry_after_max_s.`;
  const options = { kind: 'transient', details: { ...error.details }, cause: error } as const;
  const message = `${error.message} ${text} Fetch again later.`;
  return error.code === 'download_damaged'
    ? new EtlError('download_damaged', message, options)
    : new EtlError('source_unavailable', message, options);
}
