import type { RefreshQueue, TaskQueue } from '../backend.ts';
import { requestSubject } from '../refresh_job.ts';

/** States of a job, in the order of the pages. */
export const JOB_STATES = ['active', 'waiting', 'delayed', 'completed', 'failed'] as const;
/** Maximum jobs of a state to read. */
const MOST = 200;

const iso = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString());

export interface JobRequestRow {
  /** Scope: a named job, or the tables of a refresh. */
  subject: string;
  state: (typeof JOB_STATES)[number];
  requested_by: string;
  /** Times of the request and of its end, ISO 8601. Null: not yet. */
  at: string;
  ended_at: string | null;
  /** Run of the request. Null: not known yet. */
  run_id: number | null;
  /** Reason of its failure. Null: it did not fail. */
  reason: string | null;
}

/** Reads the latest requests, newest first. */
export async function readRequests(queue: RefreshQueue): Promise<JobRequestRow[]> {
  const requestRows: JobRequestRow[] = [];
  for (const state of JOB_STATES)
    for (const each of await queue.getJobs([state], 0, MOST))
      if (each)
        requestRows.push({
          subject: requestSubject(each.data),
          state,
          requested_by: each.data.requested_by,
          at: iso(each.timestamp)!,
          ended_at: iso(each.finishedOn),
          run_id: each.returnvalue?.run_id ?? null,
          reason: each.failedReason ?? null,
        });
  return requestRows.sort((a, b) => (a.at < b.at ? 1 : -1));
}

/** Tasks that a run gave to its workers. */
interface TaskRow {
  run_id: number;
  /** Stage, or dataset and part. */
  what: string;
  state: (typeof JOB_STATES)[number];
  /** Machine and thread that did the task. Empty: none yet. */
  by: string;
  took_s: number | null;
  reason: string | null;
}

/** Number of tasks by state, and the latest of them. */
export interface TasksShown {
  counts: Readonly<Record<string, number>>;
  latest: readonly TaskRow[];
}

/** Reads the tasks of runs that distribute their work. */
export async function readQueue(queue: TaskQueue): Promise<TasksShown> {
  const counts = await queue.getJobCounts(...JOB_STATES);
  const latest: TaskRow[] = [];
  for (const state of ['active', 'failed', 'completed'] as const)
    for (const each of await queue.getJobs([state], 0, MOST / 4))
      if (each) {
        const { data, returnvalue } = each;
        latest.push({
          run_id: data.run_id,
          what: data.kind === 'batch' ? data.stage : `${data.dataset} ${data.part}`,
          state,
          by: returnvalue?.by ? `${returnvalue.by.machine}, thread ${returnvalue.by.thread}` : '',
          took_s: returnvalue?.by?.took_s ?? null,
          reason: each.failedReason ?? null,
        });
      }
  return { counts, latest };
}
