import type pg from 'pg';
import { isAcceptable } from '../../pipelines/publish/acceptable.ts';
import type { AuditCheck, RunReport } from '../../pipelines/report/report.ts';
import { diffCandidate } from '../../pipelines/views/candidate_diff.ts';
import { readDatasets } from '../../pipelines/views/dataset_view.ts';
import type { KeyedChange } from '../../pipelines/views/journal_view.ts';
import { readRun } from '../../pipelines/views/run_reports.ts';
import { runLines } from '../../pipelines/views/status.ts';
import type { Config } from '../../schema/config.ts';
import { servingTables } from '../../schema/model.ts';
import type { Table } from '../../schema/table.ts';
import { heldCandidate } from '../../store/journal/candidate.ts';
import { listPublications, type Publication } from '../../store/journal/journal.ts';
import { type Action, listActions } from '../../store/state/operator_actions.ts';
import { withQueueTimeout } from '../answered.ts';
import type { RefreshQueue } from '../backend.ts';

/** Maximum wait for the queue, milliseconds. */
const QUEUE_MS = 4000;
/** Maximum actions to list, and publications to roll back to. */
const LISTED = 50;

/** A run that was refused or held, and what can be decided about it. */
export interface UndecidedRun {
  run_id: number;
  state: 'refused' | 'held';
  /** Gates that failed. Empty: it passed the audit. */
  gates: { check: AuditCheck; canAccept: boolean }[];
  /** Datasets that it loaded. */
  loaded: string[];
  /** True if its result is the candidate, which can still be published. */
  isCandidate: boolean;
  /** Examples of what it would change, the largest first. Empty: not read, or it is no longer the candidate. */
  examples: KeyedChange[];
}

/** Maximum tables that examples are read from, and examples of each. */
const TABLES = 3;
const EXAMPLES = 10;
/** Maximum time for the examples of one table, seconds; the page is shown without the rest. */
const EXAMPLES_S = 5;
/** SQLSTATE of a statement that exceeded its time. */
const QUERY_CANCELED = '57014';

/** Reads the largest changes of the held candidate: of tables whose gates failed, else of those that changed most. */
async function largestChanges(
  client: pg.ClientBase,
  { audit, tables }: RunReport,
  declared: readonly Table[],
): Promise<KeyedChange[]> {
  const changed = tables
    .filter(({ base, inserted, updated, deleted }) => !base && inserted + updated + deleted > 0)
    .sort((a, b) => b.inserted + b.updated + b.deleted - (a.inserted + a.updated + a.deleted));
  const failed = new Set(audit.filter(({ status }) => status === 'fail').map(({ table }) => table));
  const ofGates = changed.filter(({ table }) => failed.has(table));
  const lists: KeyedChange[][] = [];
  await client.query(`SET statement_timeout = '${EXAMPLES_S}s'`);
  try {
    for (const { table } of (ofGates.length > 0 ? ofGates : changed).slice(0, TABLES))
      lists.push((await diffCandidate(client, table, EXAMPLES, declared)).changes);
  } catch (error) {
    if ((error as { code?: string }).code !== QUERY_CANCELED) throw error;
  } finally {
    await client.query('RESET statement_timeout');
  }
  // In turn, so that each table has some.
  return [...Array(EXAMPLES).keys()]
    .flatMap((i) => lists.flatMap((list) => list.slice(i, i + 1)))
    .slice(0, EXAMPLES);
}

/** Reads a run that was refused or held; `run` null: the last one, without examples. Null: it was neither. */
export async function undecidedRun(
  client: pg.ClientBase,
  config: Config,
  run: number | null,
): Promise<UndecidedRun | null> {
  const [line] = await runLines(client, 1, run);
  if (line?.state !== 'refused' && line?.state !== 'held') return null;
  const { report } = await readRun(client, line.run_id);
  const isCandidate = (await heldCandidate(client))?.run_id === line.run_id;
  return {
    run_id: line.run_id,
    state: line.state,
    gates: report.audit
      .filter(({ status }) => status === 'fail')
      .map((check) => ({ check, canAccept: isAcceptable(check.check, config) })),
    loaded: report.datasets.filter(({ action }) => action === 'loaded').map(({ dataset }) => dataset),
    isCandidate,
    examples: isCandidate && run !== null ? await largestChanges(client, report, servingTables(config)) : [],
  };
}

/** State that an operator may need to act on. */
export interface OperateView {
  /** The last run if it waits for a decision. Null: it does not. */
  undecided: UndecidedRun | null;
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
  const { datasets, not_loaded } = await readDatasets(client, config);
  const publications = await listPublications(client, LISTED);
  const actions = await listActions(client, LISTED);
  const describe = async (each: Action): Promise<OperateView['actions'][number]> => {
    const job = queue && each.job_id ? await queue.getJob(each.job_id) : undefined;
    const state = job ? await job.getState() : null;
    return { ...each, state, run_id: job?.returnvalue?.run_id ?? null, why: job?.failedReason ?? null };
  };
  return {
    undecided: await undecidedRun(client, config, null),
    failed: [
      ...datasets.flatMap(({ dataset, error }) => (error === null ? [] : [{ dataset, error }])),
      ...not_loaded.flatMap(({ dataset, failed }) => (failed ? [{ dataset, error: failed.error }] : [])),
    ],
    earlier: publications.slice(1).filter(({ readable }) => readable),
    actions: await withQueueTimeout(QUEUE_MS, Promise.all(actions.map(describe))),
    workers: queue && (await withQueueTimeout(QUEUE_MS, queue.getWorkersCount())),
  };
}
