import pLimit, { type LimitFunction } from 'p-limit';
import type pg from 'pg';
import type { Config } from '../../schema/config.ts';
import { RECORD_TABLES } from '../../schema/records/index.ts';
import type { Table } from '../../schema/table.ts';
import type { InputAccount, Release } from '../../sources/adapter.ts';
import { adapterNamed } from '../../sources/index.ts';
import { freeConnections } from '../../store/database.ts';
import { checkUnchanged } from '../../store/loads/files.ts';
import { activate, dropLoads, keepFailedRejects } from '../../store/loads/loads.ts';
import { isTransient, retrying } from '../engine/retry.ts';
import type { Progress, ProgressBar } from '../report/progress.ts';
import type { DatasetReport } from '../report/report.ts';
import type { OnRunEvent } from '../report/run_event.ts';
import { failureText, isDeliveryFailure, withDatasetName } from './delivery_failure.ts';
import type { PartToLoad } from './load_part.ts';
import { completeLoads, startLoads, unchangedLoads } from './load_records.ts';
import { loadedReport } from './loaded_datasets.ts';
import { type DatasetPlan, fingerprintOf, partToLoad } from './plan_datasets.ts';
import { allRejected, exampleText, mostRejected } from './readable.ts';
import { isMostlyRejected, rejectShares } from './reject_shares.ts';
import { checkDatasets, type LoadToSettle, resolveKeys } from './resolve_keys.ts';

/** Loads parts of datasets, in this process or another. `onRows` receives row counts while it goes on. */
interface PartExecutor {
  run(task: { kind: 'part' } & PartToLoad, onRows: (rows: number) => void): Promise<{ rows: number }>;
}

/** What reading datasets needs from its run. */
export interface IngestSetting {
  executor: PartExecutor;
  runId: number;
  progress: Progress;
  retry: Config['retry'];
  onEvent: OnRunEvent;
  /** Serialises use of the client, because no other query may enter the transaction of an activation. */
  exclusively: LimitFunction;
}

/** What the loads of a run share. */
interface LoadContext extends IngestSetting {
  client: pg.ClientBase;
  /** Limits the parts read concurrently, on all machines, by the server's connections. */
  partsAtOnce: LimitFunction;
}

interface DatasetReadResult {
  release: Release;
  loaded: number[];
  keptLoadIds: number[];
  /** Kept loads first, then new ones, in part order. */
  loads: LoadToSettle[];
  accounts: InputAccount[];
  notes: string[];
  rows: number;
}

/** Loads one part in any worker and returns its row count. */
async function readPart(task: PartToLoad, { executor }: LoadContext, bar: ProgressBar): Promise<number> {
  let reportedRows = 0;
  const { rows } = await executor.run({ kind: 'part', ...task }, (more) => {
    reportedRows += more;
    bar.rows(more);
  });
  bar.rows(rows - reportedRows);
  bar.done();
  return rows;
}

/** Reads all parts of a dataset, concurrently if there are enough workers. Their loads are not active yet. */
async function readParts(plan: DatasetPlan, context: LoadContext): Promise<DatasetReadResult> {
  const { client, runId, progress, exclusively, partsAtOnce } = context;
  const adapter = adapterNamed(plan.adapter);
  const { release, parts } = await adapter.discover(plan.config!);
  const bar = progress.start(`load ${plan.dataset}`, parts.length);
  const all = parts.map((part) => ({
    part,
    fingerprint: fingerprintOf(adapter, plan.config!, part.files ?? null),
  }));
  const same = await exclusively(() => unchangedLoads(client, plan.dataset, all));
  const toRead = all.filter(({ part }) => !same.has(part.id));
  const keptLoads = all.flatMap(({ part }) => same.get(part.id) ?? []);
  if (keptLoads.length > 0) bar.done(keptLoads.length);
  const loadIds = await exclusively(() => startLoads(client, plan, release, toRead, runId));
  const rows = await allOrFirstError(
    toRead.map((one, i) => {
      const task = partToLoad(runId, loadIds[i]!, { ...plan, release }, one);
      return partsAtOnce(() => readPart(task, context, bar));
    }),
  ).catch(async (error) => {
    // The next attempt reads into its own tables. If dropping fails too, the next run drops them.
    await exclusively(() => dropLoads(client, RECORD_TABLES, loadIds)).catch(() => undefined);
    throw error;
  });
  bar.end();
  const loads = [...keptLoads, ...(await exclusively(() => completeLoads(client, loadIds)))];
  return {
    release,
    loaded: loadIds,
    keptLoadIds: keptLoads.map((load) => load.load_id),
    loads,
    accounts: loads.flatMap(({ accounts }) => accounts),
    notes: loads.flatMap(({ notes }) => notes),
    rows: rows.reduce((sum, n) => sum + n, 0),
  };
}

/** Reads a dataset, with retries if they can help. */
function readAgain(plan: DatasetPlan, context: LoadContext): Promise<DatasetReadResult> {
  const { retry, onEvent, runId: run_id } = context;
  return retrying(
    retry,
    isTransient,
    (failed) => onEvent({ event: 'retrying', run_id, subject: plan.dataset, cells: [], ...failed }),
    () => readParts(plan, context),
  );
}

/**
 * Rejects a delivery if every row is rejected, or most rows of one of its files: it is damaged, or not what the dataset is configured for.
 */
async function checkRejects(
  client: pg.ClientBase,
  { dataset, acceptsNothing }: DatasetPlan,
  { loads, ...read }: DatasetReadResult,
): Promise<void> {
  if (acceptsNothing) return;
  const accounts = read.accounts.filter(({ table }) => table !== null);
  const sum = (of: (account: (typeof accounts)[number]) => number): number =>
    accounts.reduce((total, account) => total + of(account), 0);
  const rejects = sum((account) => account.rejects);
  const isAll = rejects > 0 && sum((account) => account.records) === 0;
  const failed = isAll ? [] : rejectShares(read.accounts).filter(isMostlyRejected);
  if (!isAll && failed.length === 0) return;
  const loadIds = loads.map(({ load_id }) => load_id);
  const { rows } = await client.query<{ code: string; n: number; first: [string, string, string, string] }>(
    `SELECT code, count(*)::int AS n, (min(ARRAY[file, lpad(at, 40), at, message])) AS first
     FROM control.reject
     WHERE load_id = ANY ($1) AND (cardinality($2::text[]) = 0 OR file = ANY ($2)) GROUP BY code ORDER BY n DESC, code`,
    [loadIds, failed.flatMap(({ file }) => file ?? [])],
  );
  const counts = rows.map(({ code, n }) => [code, n] as const);
  const [file, , at, message] = rows[0]!.first;
  const example = exampleText({ file, at, message });
  await keepFailedRejects(client, dataset, loadIds);
  throw isAll
    ? allRejected(dataset, rejects, counts, example)
    : mostRejected(dataset, failed, counts, example);
}

/** Loads one dataset and activates all its parts together. */
async function loadDataset(plan: DatasetPlan, context: LoadContext): Promise<DatasetReport> {
  const started = performance.now();
  const readParts = await readAgain(plan, context).catch(async (error) => {
    // A file that is modified while being read can fail in many ways; this reports the real reason.
    await checkUnchanged(plan.stamps);
    throw error;
  });
  await checkUnchanged(plan.stamps);
  const { release, loaded, keptLoadIds, loads, accounts, notes, rows } = readParts;
  const { dataset, fingerprint } = plan;
  const { client, exclusively, runId } = context;
  let keyNotes: string[];
  try {
    await exclusively(() => checkRejects(client, plan, readParts));
    keyNotes = await exclusively(() => resolveKeys(client, adapterNamed(plan.adapter), plan.config!, loads));
  } catch (error) {
    // Rejected loads are dropped at once, because the earlier load may stay in service for long.
    await exclusively(() => dropLoads(client, RECORD_TABLES, loaded)).catch(() => undefined);
    throw error;
  }
  await exclusively(() =>
    activate(client, RECORD_TABLES, { dataset, fingerprint, loaded, keptLoads: keptLoadIds }, runId),
  );
  return {
    dataset: plan.dataset,
    adapter: plan.adapter,
    release: release.id,
    action: 'loaded',
    reason: plan.reason,
    crs: release.crs,
    accounts,
    notes: [...new Set([...release.notes, ...notes, ...keyNotes])],
    rows,
    seconds: (performance.now() - started) / 1000,
  };
}

/** Waits for all promises, even after one failed, so that no work continues after this returns; then throws the first error. */
async function allOrFirstError<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(promises);
  return results.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
}

/** Connections for reading one part: one for each record table that it writes, one for its claim and one for control tables. */
const CONNECTIONS_PER_PART = 11;

const bytesOf = ({ action, config }: DatasetPlan): number =>
  action === 'load' ? config!.files.reduce((sum, { bytes }) => sum + bytes, 0) : 0;

/** Maximum datasets read concurrently: enough to keep the workers busy while small ones are opened and closed. */
const DATASETS_AT_ONCE = 4;

/**
 * Updates the record tables by the plans. Datasets and parts are read in parallel, largest files first, so that no thread is left alone
 * with a large one at the end. After a failure no further dataset starts; those in progress finish and stay loaded. Reports are in plan
 * order.
 */
export async function ingest(
  client: pg.ClientBase,
  plans: readonly DatasetPlan[],
  setting: IngestSetting,
): Promise<DatasetReport[]> {
  const { runId, onEvent, progress, exclusively } = setting;
  const phase = progress.start('loading, datasets', plans.length, 'phase');
  const parts = Math.floor((await exclusively(() => freeConnections(client))) / 2 / CONNECTIONS_PER_PART);
  const partsAtOnce = pLimit(Math.max(1, parts));
  const context: LoadContext = { ...setting, client, partsAtOnce };
  let failure: unknown;
  const one = async (plan: DatasetPlan): Promise<DatasetReport> => {
    if (failure !== undefined) throw failure;
    if (plan.action === 'load')
      return loadDataset(plan, context).catch(async (error) => {
        if (!plan.isLoaded || !isDeliveryFailure(error)) throw withDatasetName(error, plan.dataset);
        const report = await exclusively(() => loadedReport(client, plan));
        return { ...report, action: 'kept', reason: failureText(error) };
      });
    const report = await exclusively(() => loadedReport(client, plan));
    if (plan.action === 'unchanged') return report;
    if (plan.action === 'kept') return { ...report, action: 'kept' };
    const { dataset, fingerprint } = plan;
    await exclusively(() =>
      activate(client, RECORD_TABLES, { dataset, fingerprint, loaded: [], keptLoads: [] }, runId),
    );
    return { ...report, action: 'removed', reason: plan.reason };
  };
  const atOnce = pLimit(DATASETS_AT_ONCE);
  const begin = (plan: DatasetPlan): Promise<DatasetReport> =>
    atOnce(() =>
      one(plan).then(
        (dataset) => {
          phase.done();
          onEvent({ event: 'dataset_done', run_id: runId, dataset });
          return dataset;
        },
        (error) => {
          failure ??= error;
          throw failure;
        },
      ),
    );
  const begun = new Map<DatasetPlan, Promise<DatasetReport>>();
  for (const plan of [...plans].sort((a, b) => bytesOf(b) - bytesOf(a))) begun.set(plan, begin(plan));
  const reports = await allOrFirstError(plans.map((plan) => begun.get(plan)!));
  phase.end();
  await exclusively(async () => checkDatasets(client, await tablesToCheck(client, plans, runId)));
  return reports;
}

/**
 * Returns the record tables that this run loaded into. If the previous run did not end well: all tables, because its loads may have caused
 * that.
 */
async function tablesToCheck(
  client: pg.ClientBase,
  plans: readonly DatasetPlan[],
  runId: number,
): Promise<readonly Table[]> {
  const { rows } = await client.query<{ state: string }>(
    'SELECT state FROM control.run WHERE run_id < $1 ORDER BY run_id DESC LIMIT 1',
    [runId],
  );
  if (rows[0] !== undefined && ['running', 'failed'].includes(rows[0].state)) return RECORD_TABLES;
  const loaded = plans.filter(({ action }) => action === 'load').map(({ adapter }) => adapterNamed(adapter));
  return RECORD_TABLES.filter((table) => loaded.some(({ tables }) => tables.includes(table)));
}
