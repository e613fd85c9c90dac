import type pg from 'pg';
import { isAcceptable } from '../../pipelines/publish/acceptable.ts';
import type { AuditCheck } from '../../pipelines/report/report.ts';
import { readDatasets } from '../../pipelines/views/dataset_view.ts';
import { readRun } from '../../pipelines/views/run_reports.ts';
import { listRuns } from '../../pipelines/views/status.ts';
import type { Config } from '../../schema/config.ts';
import { listPublications, type Publication } from '../../store/journal/journal.ts';
import { type Action, listActions } from '../../store/state/actions.ts';
import { withQueueTimeout } from '../answered.ts';
import type { RefreshQueue } from '../backend.ts';

/** Maximum wait for the queue, milliseconds. */
const QUEUE_MS = 4000;
/** Maximum actions to list, and publications to roll back to. */
const LISTED = 50;

/** State that an operator may need to act on. */
export interface OperateView {
  /** The last run if it was refused, with the gates that refused it. Null: it was not. */
  refused: { run_id: number; gates: { check: AuditCheck; canAccept: boolean }[] } | null;
  /** Datasets that could not be read, with the reason. */
  failed: { dataset: string; error: string }[];
  /** Publications to roll back to, newest first. */
  earlier: Publication[];
  /** Actions, newest first, with the state of their request and its run, as far as the queue keeps them. */
  actions: (Action & { state: string | null; run_id: number | null; why: string | null })[];
  /** Number of workers for requests. Null: not known. */
  workers: number | null;
}

/** Reads the view. `queue` null: no queue is configured. */
export async function readView(
  client: pg.ClientBase,
  queue: RefreshQueue | null,
  config: Config,
): Promise<OperateView> {
  const [last] = await listRuns(client, 1);
  const report = last?.state === 'refused' ? (await readRun(client, last.run_id)).report : null;
  const { datasets, not_loaded } = await readDatasets(client, config);
  const publications = await listPublications(client, LISTED);
  const actions = await listActions(client, LISTED);
  const describe = async (each: Action): Promise<OperateView['actions'][number]> => {
    const job = queue && each.job_id ? await queue.getJob(each.job_id) : undefined;
    const state = job ? await job.getState() : null;
    return { ...each, state, run_id: job?.returnvalue?.run_id ?? null, why: job?.failedReason ?? null };
  };
  return {
    refused: report && {
      run_id: report.run_id,
      gates: report.audit
        .filter(({ status }) => status === 'fail')
        .map((check) => ({ check, canAccept: isAcceptable(check.check, config) })),
    },
    failed: [
      ...datasets.flatMap(({ dataset, error }) => (error === null ? [] : [{ dataset, error }])),
      ...not_loaded.flatMap(({ dataset, failed }) => (failed ? [{ dataset, error: failed.error }] : [])),
    ],
    earlier: publications.slice(1).filter(({ readable }) => readable),
    actions: await withQueueTimeout(QUEUE_MS, Promise.all(actions.map(describe))),
    workers: queue && (await withQueueTimeout(QUEUE_MS, queue.getWorkersCount())),
  };
}
