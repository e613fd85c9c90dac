import { randomUUID } from 'node:crypto';
import { type JobsOptions, UnrecoverableError } from 'bullmq';
import { noticeOfFailure } from '../pipelines/notify/notice.ts';
import { sendNotice } from '../pipelines/notify/webhook.ts';
import type { Progress } from '../pipelines/report/progress.ts';
import type { RunReport } from '../pipelines/report/report.ts';
import type { OnRunEvent } from '../pipelines/report/run_event.ts';
import { publishCandidate } from '../pipelines/run/publish_candidate.ts';
import { refresh } from '../pipelines/run/refresh.ts';
import { rollback } from '../pipelines/run/rollback.ts';
import type { Config } from '../schema/config.ts';
import { EtlError } from '../schema/errors.ts';
import { connectionError, operatorError } from '../store/system/connection_error.ts';
import type { RefreshOutcome, RefreshQueue, RefreshRequest } from './backend.ts';
import { openTaskExecutor } from './task_executor.ts';

/** Number of finished jobs that stay visible. The runs are in control.run. */
const KEPT = 100;

/** Retry and retention options of refresh jobs. */
export function jobOptions(queue: Config['queue']): JobsOptions {
  return {
    attempts: queue.attempts,
    backoff: { type: 'exponential', delay: queue.backoff_s * 1000 },
    removeOnComplete: { count: KEPT },
    removeOnFail: { count: KEPT },
  };
}

/** Scope of a refresh: a named job, tables by name, or all. */
export const requestSubject = ({ job, tables }: Pick<RefreshRequest, 'job' | 'tables'>): string =>
  ['refresh', ...(job === undefined ? new Set([...(tables ?? [])].sort()) : [job])].join('-');

export interface QueuedRefresh {
  job_id: string;
  /** True: an equal request was queued or running already. */
  joined: boolean;
}

/**
 * Requests a refresh. It joins an equal request that waits or is about to be retried. If an equal one is running, it runs afterwards,
 * because that run may have passed the relevant stage.
 */
export async function enqueueRefresh(
  queue: RefreshQueue,
  request: RefreshRequest,
  config: Config['queue'],
): Promise<QueuedRefresh> {
  const jobId = `refresh-${randomUUID()}`;
  const { only = [], publish, rollback: back } = request;
  const flags = [
    ...(['rehash', 'distribute'] as const).filter((flag) => request[flag]),
    ...only.map((dataset) => `only:${dataset}`),
    ...(publish ? ['publish', ...publish.gates.map((gate) => `accept:${gate}`)] : []),
    ...(back ? [`rollback:${back.to}`] : []),
  ];
  const job = await queue.add('refresh', request, {
    ...jobOptions(config),
    jobId,
    // A request with other flags differs, so it does not join.
    deduplication: { id: [requestSubject(request), ...flags].join('-'), keepLastIfActive: true },
  });
  return { job_id: job.id!, joined: job.id !== jobId };
}

/** Converts a failure for the queue: a transient one is retried, any other fails at once with its reason. */
function queueError(transient: boolean, code: string, message: string): Error {
  const reason = `${code}: ${message}`;
  return transient ? new Error(reason) : new UnrecoverableError(reason);
}

/** Converts a run's report to the result of its job. Throws if the run failed or the audit refused to publish. */
export function outcomeOf(report: RunReport): RefreshOutcome {
  if (report.state === 'failed') {
    const message = `Run ${report.run_id} failed.`;
    const error = report.error ?? { code: 'internal', message, kind: 'permanent' };
    throw queueError(error.kind === 'transient', error.code, error.message);
  }
  if (report.state === 'refused') {
    const failed = report.audit.filter((check) => check.status === 'fail').map((check) => check.check);
    throw queueError(false, 'audit_refused', `run ${report.run_id}: ${failed.join(', ')}`);
  }
  return { run_id: report.run_id, state: report.state, publication: report.publication };
}

/** Settings that a job needs from its worker. */
export interface RefreshSetting {
  url: string;
  config: Config;
  /** Folder that relative dataset paths start from. */
  base: string;
  progress: Progress;
  /** Opens listeners for one run; they are closed when the run has ended. */
  listen?: () => { onEvent: OnRunEvent; close(): Promise<void> };
}

/** Runs one refresh, rollback or publication of the candidate for the queue. The result is stored in control.run. */
export async function runRefreshJob(
  request: RefreshRequest,
  setting: RefreshSetting,
): Promise<RefreshOutcome> {
  const { listen, ...rest } = setting;
  const { job, tables, only, publish, rollback: back, rehash = false, distribute = false } = request;
  const { queue } = rest.config;
  const config = { ...rest.config, queue: { ...queue, distribute: distribute || queue.distribute } };
  const listener = listen?.();
  const hooks = listener ? { onEvent: listener.onEvent } : {};
  let report: RunReport;
  try {
    if (back) report = await rollback({ url: setting.url, config, ...back });
    else if (publish) report = await publishCandidate({ ...rest, ...hooks, config, accepted: publish });
    else
      report = await refresh({
        ...rest,
        ...hooks,
        eventsOnly: job !== undefined,
        ...(tables === undefined ? {} : { tables }),
        ...(only === undefined ? {} : { only }),
        config,
        command: 'worker',
        rehash,
        openExecutor: (here) => openTaskExecutor(setting.url, config, here),
      });
  } catch (cause) {
    const error = connectionError(cause) ?? operatorError(cause) ?? (cause as Error);
    const knownError = error instanceof EtlError ? error : null;
    // The queue retries what a retry can help. An overdue run is notified separately.
    if (knownError?.kind !== 'transient')
      await sendNotice(config, noticeOfFailure(knownError?.code ?? 'internal', error.message));
    throw queueError(knownError?.kind === 'transient', knownError?.code ?? 'internal', error.message);
  } finally {
    await listener?.close();
  }
  return outcomeOf(report);
}
