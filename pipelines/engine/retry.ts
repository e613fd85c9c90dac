import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../schema/config.ts';
import { EtlError } from '../../schema/errors.ts';
import { diskFull } from '../../store/system/disk_error.ts';

/** Codes after which nothing in the run can go on: the database or the run itself is gone, or every task would meet the same. */
const ENDS_RUN: ReadonlySet<string> = new Set([
  'database_lost',
  'database_unreachable',
  'database_damaged',
  'database_denied',
  'database_read_only',
  'disk_full',
  'run_superseded',
]);

const codeOf = (error: unknown): string => (error instanceof EtlError ? error.code : 'internal');

/** Whether the run has to end with this failure, once it is not tried again. */
export const endsRun = (error: unknown): boolean => ENDS_RUN.has(codeOf(error)) || diskFull(error) !== null;

/** Whether trying again can help. A file that changed stays changed until the next run looks at it anew. */
export const isTransient = (error: unknown): boolean =>
  error instanceof EtlError &&
  error.kind === 'transient' &&
  error.code !== 'file_changed' &&
  diskFull(error) === null;

/** Whether a single partition is worth another try: nobody has said that its failure is for good. */
export const isUnexplained = (error: unknown): boolean =>
  diskFull(error) === null &&
  (isTransient(error) || /^(worker_crashed|internal|postgres_or_system_.*)$/.test(codeOf(error)));

/** One failed attempt that is followed by another. */
export interface FailedAttempt {
  attempt: number;
  wait_ms: number;
  code: string;
  message: string;
}

/**
 * Does `work` until it succeeds, as often as the configuration allows and `again` says that it can help, with waits that double.
 */
export async function retrying<T>(
  policy: Config['retry'],
  again: (error: unknown) => boolean,
  onRetry: (failed: FailedAttempt) => void,
  work: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= policy.attempts || !again(error)) throw error;
      const wait_ms = policy.backoff_ms * 2 ** (attempt - 1);
      onRetry({ attempt, wait_ms, code: codeOf(error), message: (error as Error).message });
      await sleep(wait_ms);
    }
  }
}
