import { randomUUID } from 'node:crypto';
import { type JobsOptions, UnrecoverableError } from 'bullmq';
import type { Progress } from '../pipelines/progress.ts';
import { refresh } from '../pipelines/refresh.ts';
import type { RunReport } from '../pipelines/report.ts';
import type { Config } from '../schema/config.ts';
import { EtlError } from '../schema/errors.ts';
import type { RefreshOutcome, RefreshQueue, RefreshRequest } from './backend.ts';

/** Finished jobs that stay visible; the books of the runs are in control.run. */
const KEPT = 100;
/** Codes of our own after which trying again can help. */
const TRANSIENT_CODES: ReadonlySet<string> = new Set([
  'locked',
  'file_changed',
  'database_lost',
  'queue_unavailable',
  'embedded_start_failed',
]);
/** Connection lost or refused, server going down or short of something, deadlock: of PostgreSQL or of the system. */
const TRANSIENT_SYSTEM_CODE =
  /^(postgres_or_system_)?(08...|53...|57P0[1-4]|40001|40P01|55P03|EPIPE|ETIMEDOUT|EHOSTUNREACH|EAI_AGAIN|ECONN\w+)$/;
/** What the PostgreSQL client says, without a code, of a connection that broke. */
const BROKEN_CONNECTION = /^(Connection terminated|Client has encountered a connection error)/;

/** Whatever a failure carries of itself. */
type Failure = { code?: unknown; message: string };

const isTransient = ({ code, message }: Failure): boolean =>
  (typeof code === 'string' && (TRANSIENT_CODES.has(code) || TRANSIENT_SYSTEM_CODE.test(code))) ||
  BROKEN_CONNECTION.test(message);

/** How refreshes are tried and kept, whoever asks for them. */
export function jobOptions(queue: Config['queue']): JobsOptions {
  return {
    attempts: queue.attempts,
    backoff: { type: 'exponential', delay: queue.backoff_s * 1000 },
    removeOnComplete: { count: KEPT },
    removeOnFail: { count: KEPT },
  };
}

/**
 * Asks for a refresh. A request made while an equal one waits or is about to be retried joins it; one made while one runs is done
 * after it, because the run may have passed what the request is about.
 * @returns id of the job that answers the request, and whether it was there before
 */
export async function enqueueRefresh(
  queue: RefreshQueue,
  request: RefreshRequest,
  config: Config['queue'],
): Promise<{ job_id: string; joined: boolean }> {
  const jobId = `refresh-${randomUUID()}`;
  const job = await queue.add('refresh', request, {
    ...jobOptions(config),
    jobId,
    // A request with other flags asks for something else, so it does not join.
    deduplication: { id: request.rehash ? 'refresh-rehash' : 'refresh', keepLastIfActive: true },
  });
  return { job_id: job.id!, joined: job.id !== jobId };
}

/** A failure as the queue has to take it: one that is tried again, or one that fails at once with its reason. */
function queueError(failure: Failure): Error {
  const reason = `${typeof failure.code === 'string' ? failure.code : 'internal'}: ${failure.message}`;
  return isTransient(failure) ? new Error(reason) : new UnrecoverableError(reason);
}

/** What a run's report means to the queue. Throws where the run failed or the audit refused to publish. */
export function outcomeOf(report: RunReport): RefreshOutcome {
  if (report.state === 'failed') {
    throw queueError(report.error ?? { message: `Run ${report.run_id} failed.` });
  }
  if (report.state === 'refused') {
    const failed = report.audit.filter((check) => check.status === 'fail').map((check) => check.check);
    throw new UnrecoverableError(`audit_refused: run ${report.run_id}: ${failed.join(', ')}`);
  }
  return { run_id: report.run_id, state: report.state, publication: report.publication };
}

/** What a job needs of its worker. */
export interface RefreshSetting {
  url: string;
  config: Config;
  /** Folder that relative dataset paths start from. */
  base: string;
  progress: Progress;
}

/** Runs one refresh for the queue. Stores nothing itself: what was done is in control.run. */
export async function runRefreshJob(
  request: RefreshRequest,
  setting: RefreshSetting,
): Promise<RefreshOutcome> {
  let report: RunReport;
  try {
    report = await refresh({ ...setting, command: 'worker', rehash: request.rehash ?? false });
  } catch (error) {
    if (error instanceof EtlError && error.kind === 'transient')
      throw new Error(`${error.code}: ${error.message}`);
    throw queueError(error as Error & { code?: unknown });
  }
  return outcomeOf(report);
}
