import { availableParallelism } from 'node:os';
import pLimit, { type LimitFunction } from 'p-limit';
import type pg from 'pg';
import type { Config } from '../../schema/config.ts';
import { EtlError } from '../../schema/errors.ts';
import { RECORD_TABLES } from '../../schema/records/index.ts';
import { freeConnections } from '../../store/database.ts';
import { forgetOthers } from '../../store/loads/files.ts';
import { dropUnfinished } from '../../store/loads/loads.ts';
import { countForced, forceRecorded } from '../../store/state/forced.ts';
import { pruneKeyChanges } from '../../store/state/key_changes.ts';
import { endSilent, whilePresent } from '../../store/state/presence.ts';
import { vacuumDead } from '../../store/vacuum.ts';
import { coverageNotes } from '../checks/coverage_notes.ts';
import { datumNotes, distortionNotes } from '../checks/datum_notes.ts';
import { legalIdNotes } from '../checks/legal_id_notes.ts';
import { meshBlockNotes, unplacedNotes } from '../checks/mesh_block_notes.ts';
import { modelNotes } from '../checks/model_notes.ts';
import { offsetNotes } from '../checks/offset_notes.ts';
import { postgisNotes } from '../checks/postgis_notes.ts';
import { Blocked } from '../engine/blocked.ts';
import { type Distributed, inThreads, type RunHere } from '../engine/executor.ts';
import { RecordedState } from '../engine/recorded_state.ts';
import { Workers } from '../engine/workers.ts';
import { graph } from '../graph.ts';
import { checkConfigured } from '../ingest/configured.ts';
import { ingest } from '../ingest/ingest.ts';
import { loadedDatasets } from '../ingest/loaded_datasets.ts';
import { type DatasetPlan, planDatasets } from '../ingest/plan_datasets.ts';
import { readablePlans } from '../ingest/readable.ts';
import { checkModels } from '../models/check.ts';
import type { Acceptance } from '../publish/gates.ts';
import { publish } from '../publish/publish.ts';
import { gnafNotes } from '../recognise/roles.ts';
import type { Progress } from '../report/progress.ts';
import { readRejectCounts } from '../report/rejects.ts';
import type { RunReport } from '../report/report.ts';
import { now, type OnRunEvent } from '../report/run_event.ts';
import { Timeline } from '../report/timeline.ts';
import { changedSettings } from '../views/changed_settings.ts';
import { type BackfillSelection, checkSelection, forceSelection } from './backfill.ts';
import { givenEvidenceNotes, takeEvidence } from './given_evidence.ts';
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
  accepted?: Acceptance;
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
  alone: LimitFunction,
): Promise<Distributed | null> {
  if (!config.queue.distribute || openExecutor === undefined) return null;
  const { lease_s } = config.queue;
  const onQueueFailure = ({ message }: Error): void => {
    const note = `The queue failed; this process did the remaining work: ${message}`;
    if (!notes.some((each) => each.startsWith('The queue failed'))) notes.push(note);
  };
  const note = `A worker was silent for ${lease_s} s; other workers took its work over.`;
  const endSilentOnes = async (): Promise<void> => {
    const ended = await alone(() => endSilent(client, lease_s));
    if (ended > 0 && !notes.includes(note)) notes.push(note);
  };
  try {
    return await openExecutor({ ...report, endSilent: endSilentOnes, onQueueFailure });
  } catch (error) {
    onQueueFailure(error as Error);
    return null;
  }
}

/** Fails the run if partitions were set aside, naming them: nothing is published then. */
function refuseSetAside({ set_aside }: RunReport): void {
  if (set_aside.length === 0) return;
  const [first] = set_aside;
  const names = set_aside.map(({ stage, partition }) => `${stage} ${partition}`).join(', ');
  throw new EtlError(
    'partition_failed',
    `${set_aside.length === 1 ? '1 partition' : `${set_aside.length} partitions`} could not be computed and ${set_aside.length === 1 ? 'was' : 'were'} set aside: ${names}. Everything that does not depend on them was computed; nothing was published. The first one was tried ${first!.attempts} times and failed with ${first!.code}: ${first!.message}`,
    { details: { set_aside } },
  );
}

/** A recorded run with its options, its report and the session name of its process. */
interface StartedRun {
  options: RefreshOptions;
  report: RunReport;
  session: string;
  timeline: Timeline;
}

/** Plans every dataset. If all could be read, hashes of files that no dataset uses are deleted. */
async function planned(client: pg.ClientBase, options: RefreshOptions): Promise<DatasetPlan[]> {
  const plans = await planDatasets(client, options.config, options.base, options.rehash ?? false);
  const areRead = plans.every(({ action }) => action !== 'kept');
  if (areRead)
    await forgetOthers(
      client,
      plans.flatMap(({ files }) => files),
    );
  return plans;
}

/** Loads and computes, adding to the report. */
async function compute(
  client: pg.ClientBase,
  started: StartedRun,
  { part, datasets, withNew }: Selection,
): Promise<void> {
  const { options, report, session, timeline } = started;
  const { progress } = timeline;
  const { config, onEvent = () => undefined } = options;
  const { run_id: runId } = report;
  const stages = part?.stages ?? graph(config);
  await checkModels(client, config);
  if (options.backfill) report.notes.push(await forceSelection(client, config, options.backfill));
  if (options.retrain || options.evidence !== undefined) await forceRecorded(client, 'model_evidence');
  await takeEvidence(client, options.evidence ?? null);
  const plans = options.backfill
    ? null
    : await readablePlans(
        (await planned(client, options)).filter(
          (plan) =>
            (datasets === null || datasets.has(plan.dataset) || (withNew && !plan.isLoaded)) &&
            (part === null || isRead(part, plan)),
        ),
      );
  const threads = await threadsFor(client, config);
  const { onTask } = timeline;
  const workers = new Workers(threads, { url: options.url, config, session }, onTask);
  if (plans?.some(({ action }) => action === 'load')) workers.warm();
  const exclusively = pLimit(1);
  let distributed: Distributed | null = null;
  try {
    distributed = await openDistributed(client, options, report, { workers, onTask }, exclusively);
    const executor = distributed ?? inThreads(workers);
    const { retry } = config;
    report.datasets =
      plans === null
        ? await loadedDatasets(client)
        : await ingest(client, plans, { executor, runId, progress, retry, onEvent, alone: exclusively });
    const recordedState = await RecordedState.read(client, stages);
    const settings = await changedSettings(client, config);
    const blocked = new Blocked();
    const { set_aside: setAside } = report;
    const context: StageContext = {
      client,
      books: recordedState,
      settings,
      workers,
      config,
      runId,
      progress,
      onEvent,
      blocked,
      setAside,
      alone: exclusively,
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

/** Adapters for parcels and for layers whose edges follow them. */
const OUTLINES: ReadonlySet<string> = new Set(['cadastre', 'zoning', 'overlays']);

/** Performs the run, from taking the lock to its final record. */
async function perform(client: pg.ClientBase, started: StartedRun): Promise<void> {
  const { options, report } = started;
  const { config } = options;
  const selected = select(config, options);
  await compute(client, started, selected);
  refuseSetAside(report);
  report.notes.push(...gnafNotes(config.datasets));
  report.notes.push(...(await modelNotes(client)), ...(await givenEvidenceNotes(client)));
  const loaded = report.datasets.filter(({ action }) => action === 'loaded');
  if (loaded.length > 0)
    report.notes.push(
      ...(await coverageNotes(client)),
      ...(await datumNotes(client)),
      ...(await distortionNotes(client, config)),
      ...(await postgisNotes(client, report.run_id)),
    );
  if (loaded.some(({ dataset }) => OUTLINES.has(config.datasets[dataset]?.adapter ?? '')))
    report.notes.push(...(await offsetNotes(client)));
  if (report.stages.some(({ stage, partitions_run }) => stage === 'address_home' && partitions_run > 0))
    report.notes.push(
      ...(await meshBlockNotes(client)),
      ...(await unplacedNotes(client)),
      ...(await legalIdNotes(client, report.run_id)),
    );
  const publishing = started.timeline.progress.start('audit and publish', 1);
  const result = await publish(client, graph(config), config, {
    runId: report.run_id,
    kind: options.backfill ? 'backfill' : 'refresh',
    accepted: options.accepted ?? { gates: [], reason: '' },
    tables: selected.part?.tables ?? null,
  });
  publishing.done();
  publishing.end();
  if (selected.note !== null) report.notes.push(selected.note);
  report.notes.push(...result.notes);
  report.audit = result.audit;
  report.tables = result.tables;
  report.publication = result.publication;
  report.state = result.refused ? 'refused' : result.publication === null ? 'unchanged' : 'published';
}

/** Performs the run and writes its report in any case. */
async function performAndReport(client: pg.ClientBase, started: StartedRun): Promise<void> {
  const { report } = started;
  try {
    await perform(client, started);
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
  select(config, options);
  return whilePresent(url, async (client, session, presence) => {
    await setUp(client, config);
    await takeRunLock(client, config.queue.lease_s);
    await setUp(client, config, true);
    if (options.backfill) await checkSelection(client, config, options.backfill);
    const report = await startRun(client, command, config);
    onEvent({ event: 'run_started', run_id: report.run_id, command, at: now() });
    const timeline = new Timeline(options.progress);
    await presence.say(recordProgress(report.run_id, timeline));
    await performAndReport(client, { options, report, session, timeline });
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
