import { availableParallelism } from 'node:os';
import pLimit, { type LimitFunction } from 'p-limit';
import type pg from 'pg';
import type { Config } from '../../schema/config.ts';
import { RECORD_TABLES } from '../../schema/records/index.ts';
import { freeConnections } from '../../store/database.ts';
import { pruneKeyChanges } from '../../store/increments/key_changes.ts';
import { dropCandidate } from '../../store/journal/candidate.ts';
import { forgetOthers } from '../../store/loads/files.ts';
import { dropUnfinished } from '../../store/loads/loads.ts';
import { countForced, forceRecorded } from '../../store/state/forced.ts';
import { endSilent, whilePresent } from '../../store/state/presence.ts';
import { vacuumDead } from '../../store/vacuum.ts';
import { RecordedState } from '../engine/recorded_state.ts';
import { graph } from '../graph.ts';
import { checkConfigured } from '../ingest/configured.ts';
import { ingest } from '../ingest/ingest.ts';
import { loadedDatasets } from '../ingest/loaded_datasets.ts';
import { type DatasetPlan, planDatasets } from '../ingest/plan_datasets.ts';
import { readablePlans } from '../ingest/readable.ts';
import { checkModels } from '../models/check_models.ts';
import type { Progress } from '../report/progress.ts';
import { readRejectCounts } from '../report/rejects.ts';
import type { RunReport } from '../report/report.ts';
import { now, type OnRunEvent } from '../report/run_event.ts';
import { Timeline } from '../report/timeline.ts';
import { type Distributed, inThreads, type RunHere } from '../tasks/executor.ts';
import { Workers } from '../tasks/workers.ts';
import { changedSettings } from '../views/changed_settings.ts';
import { type BackfillSelection, checkSelection, forceSelection } from './backfill.ts';
import { takeEvidence } from './given_evidence.ts';
import { publishRun } from './publish_run.ts';
import { runNotes } from './run_notes.ts';
import { finishRun, noteFailure, noteSize, recordProgress, startRun, takeRunLock } from './run_records.ts';
import type { StageContext } from './run_stage.ts';
import { runStages } from './run_stages.ts';
import { isRead } from './selected_tables.ts';
import { type Selection, type Selectors, select } from './selection.ts';
import { setUp } from './set_up.ts';

export { setUp };

export interface RefreshOptions extends Selectors {
  url: string;
  config: Config;
  /** Base folder of relative dataset paths. */
  base: string;
  progress: Progress;
  /** Name of the command, for the run's record. */
  command: string;
  /** Hash every file again, even if size, time and inode are unchanged. */
  rehash?: boolean;
  /** Holds the result as the candidate instead of publishing it. */
  hold?: boolean;
  /** Train the models on today's sales instead of waiting for the next month. */
  retrain?: boolean;
  /** File of training sales that another database wrote. */
  evidence?: string;
  /** Recompute these partitions from what is loaded, without looking at the datasets. */
  backfill?: BackfillSelection;
  onEvent?: OnRunEvent;
  /** Opens the executor for workers on other machines; used if the configuration distributes. */
  openExecutor?: (runHere: RunHere) => Promise<Distributed>;
}

/** Returns the number of threads: each needs a connection, and half of the server's free connections are for reading parts. */
async function threadsFor(client: pg.ClientBase, config: Config): Promise<number> {
  const wantedWorkers = config.workers > 0 ? config.workers : availableParallelism();
  return Math.max(1, Math.min(wantedWorkers, Math.floor((await freeConnections(client)) / 2)));
}

/** Opens the executor for several machines, if the run distributes. If the queue fails, this machine does the work, and a note says so. */
async function openDistributed(
  client: pg.ClientBase,
  { config, openExecutor }: RefreshOptions,
  { notes }: RunReport,
  report: Pick<RunHere, 'workers' | 'onTask'>,
  exclusively: LimitFunction,
): Promise<Distributed | null> {
  if (!config.queue.distribute || openExecutor === undefined) return null;
  const { lease_s } = config.queue;
  const onQueueFailure = ({ message }: Error): void => {
    const note = `The queue failed; this process did the remaining work: ${message}`;
    if (!notes.some((each) => each.startsWith('The queue failed'))) notes.push(note);
  };
  const note = `A worker was silent for ${lease_s} s; other workers took its work over.`;
  const endSilentOnes = async (): Promise<void> => {
    const ended = await exclusively(() => endSilent(client, lease_s));
    if (ended > 0 && !notes.includes(note)) notes.push(note);
  };
  try {
    return await openExecutor({ ...report, endSilent: endSilentOnes, onQueueFailure });
  } catch (error) {
    onQueueFailure(error as Error);
    return null;
  }
}

/** A recorded run: its options, its report, and what its phases share. */
interface Run {
  client: pg.ClientBase;
  options: RefreshOptions;
  selection: Selection;
  report: RunReport;
  /** Session name of the process. */
  session: string;
  timeline: Timeline;
}

/** Plans every dataset. If all could be read, hashes of files that no dataset uses are deleted. */
async function planAll(client: pg.ClientBase, options: RefreshOptions): Promise<DatasetPlan[]> {
  const plans = await planDatasets(client, options.config, options.base, options.rehash ?? false);
  const areRead = plans.every(({ action }) => action !== 'kept');
  if (areRead)
    await forgetOthers(
      client,
      plans.flatMap(({ files }) => files),
    );
  return plans;
}

/** Plans the datasets that the run looks at. Null: a backfill looks at none. */
async function planSelected({ client, options, selection }: Run): Promise<DatasetPlan[] | null> {
  if (options.backfill) return null;
  const { part, datasets, withNew } = selection;
  const isSelected = (plan: DatasetPlan): boolean =>
    (datasets === null || datasets.has(plan.dataset) || (withNew && !plan.isLoaded)) &&
    (part === null || isRead(part, plan));
  return readablePlans((await planAll(client, options)).filter(isSelected));
}

/** Records what the options force to be computed again. */
async function forceComputation({ client, options, report }: Run): Promise<void> {
  const { config, backfill, retrain, evidence } = options;
  await checkModels(client, config);
  if (backfill) report.notes.push(await forceSelection(client, config, backfill));
  if (retrain || evidence !== undefined) await forceRecorded(client, 'model_evidence');
  await takeEvidence(client, evidence ?? null);
}

/** Loads changed datasets and computes what depends on them. */
async function loadAndCompute(run: Run): Promise<void> {
  const { client, options, selection, report, session, timeline } = run;
  const { config, onEvent = () => undefined } = options;
  const { progress, onTask } = timeline;
  const { run_id: runId } = report;
  await forceComputation(run);
  const plans = await planSelected(run);
  const workers = new Workers(
    await threadsFor(client, config),
    { url: options.url, config, session },
    onTask,
  );
  if (plans?.some(({ action }) => action === 'load')) workers.warm();
  const exclusively = pLimit(1);
  let distributed: Distributed | null = null;
  try {
    distributed = await openDistributed(client, options, report, { workers, onTask }, exclusively);
    const executor = distributed ?? inThreads(workers);
    report.datasets =
      plans === null
        ? await loadedDatasets(client)
        : await ingest(client, plans, {
            executor,
            runId,
            progress,
            retry: config.retry,
            onEvent,
            exclusively,
          });
    const stages = selection.part?.stages ?? graph(config);
    const context: StageContext = {
      client,
      recordedState: await RecordedState.read(client, stages),
      settings: await changedSettings(client, config),
      workers,
      config,
      runId,
      progress,
      onEvent,
      failed: report.set_aside,
      batchSlots: pLimit(workers.count),
      exclusively,
      stop: { reason: undefined },
      distributed,
    };
    await runStages(stages, context, report.stages);
    await pruneKeyChanges(client, runId);
  } finally {
    await workers.close();
    await distributed?.close();
  }
}

/** Audits and publishes what is computed. */
async function publishComputed({ client, options, selection, report, timeline }: Run): Promise<void> {
  const bar = timeline.progress.start('audit and publish', 1);
  await publishRun(client, options, report, {
    kind: options.backfill ? 'backfill' : 'refresh',
    accepted: { gates: [], reason: '' },
    tables: selection.part?.tables ?? null,
    hold: options.hold ?? false,
  });
  bar.done();
  bar.end();
  if (selection.note !== null) report.notes.push(selection.note);
}

/** Runs all phases. A failure goes into the report. */
async function perform(run: Run): Promise<void> {
  const { client, report } = run;
  try {
    await loadAndCompute(run);
    report.notes.push(...(await runNotes({ client, config: run.options.config, report })));
    await publishComputed(run);
    report.rejects = await readRejectCounts(client);
    const forced = Object.entries(await countForced(client)).map(([stage, n]) => `${stage} ${n}`);
    if (forced.length > 0) report.notes.push(`Backfill partitions still waiting: ${forced.join(', ')}.`);
  } catch (error) {
    noteFailure(report, error);
    await dropUnfinished(client, RECORD_TABLES).catch(() => undefined);
  }
}

/**
 * The main job: loads changes, computes what depends on them, audits and publishes. A failed run does not throw: its report has the
 * failure, and the last publication stays. Throws if the run could not start.
 */
export async function refresh(options: RefreshOptions): Promise<RunReport> {
  const { url, config, command, onEvent = () => undefined } = options;
  const started = performance.now();
  checkConfigured(config);
  const selection = select(config, options);
  return whilePresent(url, async (client, session, presence) => {
    await setUp(client, config);
    await takeRunLock(client, config.queue.lease_s);
    // The run changes the staged rows that the candidate shows.
    await dropCandidate(client);
    await setUp(client, config, true);
    if (options.backfill) await checkSelection(client, config, options.backfill);
    const report = await startRun(client, command, config);
    onEvent({ event: 'run_started', run_id: report.run_id, command, at: now() });
    const timeline = new Timeline(options.progress);
    await presence.say(recordProgress(report.run_id, timeline));
    await perform({ client, options, selection, report, session, timeline });
    // If the connection is gone, the report already has that failure.
    report.vacuum = await vacuumDead(client).catch(() => null);
    report.timeline = timeline.whole();
    await noteSize(client, report);
    await presence.say(null);
    await finishRun(client, report, started);
    onEvent({ event: 'run_done', run_id: report.run_id, report, at: now() });
    return report;
  });
}
