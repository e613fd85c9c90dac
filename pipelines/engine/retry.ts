import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../schema/config.ts';
import { EtlError } from '../../schema/errors.ts';
import { diskFull } from '../../store/system/disk_error.ts';

/** Error codes that end the run: the database or the run itself is gone, or every task would fail the same way. */
const ENDS_RUN: ReadonlySet<string> = new Set([
  'database_lost',
  'database_unreachable',
  'database_damaged',
  'database_needs_restart',
  'database_denied',
  'database_read_only',
  'disk_full',
  'run_superseded',
]);

const codeOf = (error: unknown): string => (error instanceof EtlError ? error.code : 'internal');

/** Returns whether the run must end with this failure once retries are exhausted. */
export const endsRun = (error: unknown): boolean => ENDS_RUN.has(codeOf(error)) || diskFull(error) !== null;

/** Returns whether a retry can help. A changed file stays changed until the next run reads it. */
export const isTransient = (error: unknown): boolean =>
  error instanceof EtlError &&
  error.kind === 'transient' &&
  error.code !== 'file_changed' &&
  diskFull(error) === null;

/** Returns whether a single partition is worth a retry: its failure is not known to be permanent. */
export const isUnexplained = (error: unknown): boolean =>
  diskFull(error) === null &&
  (isTransient(error) || /^(worker_crashed|internal|postgres_or_system_.*)$/.test(codeOf(error)));

/** A failed attempt that will be retried. */
export interface FailedAttempt {
  attempt: number;
  wait_ms: number;
  code: string;
  message: string;
}

/** Retries `work` until it succeeds, within the configured attempts and while `again` accepts the error; waits double. */
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
