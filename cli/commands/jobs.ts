import type pg from 'pg';
import { withQueueTimeout } from '../../jobs/answered.ts';
import { type Backend, openBackend } from '../../jobs/backend.ts';
import { followRefresh } from '../../jobs/follow_refresh.ts';
import { requestOfJob } from '../../jobs/named_job.ts';
import { cronOf, namedJob } from '../../jobs/named_jobs.ts';
import { countWorkers, type QueueState } from '../../jobs/queue_state.ts';
import { enqueueRefresh, type QueuedRefresh, requestSubject } from '../../jobs/refresh_job.ts';
import { removeSchedule, type Schedule, type Scheduled, setSchedule } from '../../jobs/schedule.ts';
import {
  noteRemovedSchedule,
  noteSetSchedule,
  readScheduleStates,
  type ScheduleState,
} from '../../jobs/schedule_keeper.ts';
import { startWorker, type WorkerEvent } from '../../jobs/worker.ts';
import { graph } from '../../pipelines/graph.ts';
import { watchOverdueRuns } from '../../pipelines/notify/overdue.ts';
import { selectTables } from '../../pipelines/run/selected_tables.ts';
import { typed } from '../../schema/command_line.ts';
import type { Config } from '../../schema/config.ts';
import { EtlError } from '../../schema/errors.ts';
import { within } from '../../store/system/within.ts';
import { withDatabase } from '../database.ts';
import { EXIT, exitOf } from '../exit.ts';
import { listen } from '../listen.ts';
import { type ConfigFlags, loadConfig } from '../load_config.ts';
import { plural } from '../plural.ts';
import { printLine, printStatus } from '../print.ts';
import { stopSignal } from '../stop_signal.ts';
import { tablesFlag } from '../tables_flag.ts';
import { withSetUp } from './inspect.ts';

/** Maximum wait for the queue, milliseconds. */
const QUEUE_MS = 4000;

type JobFlags = ConfigFlags & { json?: boolean };
/** Flags of a refresh request, scheduled or immediate. */
type JobRefreshFlags = JobFlags & { tables?: string; rehash?: boolean };

/** Builds the refresh request from the flags. @throws EtlError config_invalid for an unknown table */
function requestFrom(flags: JobRefreshFlags, config: Config, job?: string): Scheduled {
  if (job !== undefined) {
    if (flags.tables !== undefined)
      throw new EtlError(
        'config_invalid',
        `The job ${job} updates every table that depends on market events: remove --tables.`,
      );
    return { ...requestOfJob(namedJob(job)), ...(flags.rehash ? { rehash: true } : {}) };
  }
  const { tables } = tablesFlag(flags);
  if (tables !== undefined) selectTables(graph(config), tables);
  return {
    ...(tables === undefined ? {} : { tables }),
    ...(flags.rehash ? { rehash: true } : {}),
    ...(flags.distribute ? { distribute: true } : {}),
  };
}

const print = (flags: JobFlags, result: unknown, text: string): void => {
  printLine(flags.json ? JSON.stringify(result) : text);
};

/** Formats a time in the zone of a schedule: `Thu 26 Nov 2026 02:00 AEDT`. */
function localTime(at: string, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-AU', {
    timeZone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
  }).formatToParts(new Date(at));
  const of = (type: Intl.DateTimeFormatPartTypes): string =>
    parts.find((part) => part.type === type)?.value ?? '';
  return `${of('weekday')} ${of('day')} ${of('month')} ${of('year')} ${of('hour')}:${of('minute')} ${of('timeZoneName')}`;
}

/** Formats a schedule, and what is wrong with it. `hasWorker`: a worker runs, which sets what the queue lacks. */
export const scheduleText = (schedule: Schedule | ScheduleState | null, hasWorker = false): string => {
  if (schedule === null) return 'no schedule';
  const { job, tables, rehash, distribute, cron, timezone, next } = schedule;
  const { is_active: isActive = true, missed = null } = schedule as Partial<ScheduleState>;
  return [
    `${job ?? 'refresh'}${tables ? ` of ${tables.join(', ')}` : ''} at '${cron}' ${timezone}`,
    ...(rehash ? ['with --rehash'] : []),
    ...(distribute ? ['with --distribute'] : []),
    `next ${next === null ? 'unknown' : localTime(next, timezone)}`,
    ...(missed === null ? [] : [`the run due ${localTime(missed, timezone)} did not start`]),
    ...(isActive ? [] : [hasWorker ? 'which the worker sets within a minute' : 'once a worker runs']),
  ].join(', ');
};

/** Formats the queue for `status`: requests and workers, then each schedule. */
export function queueText({ kind, error, jobs, workers, schedules }: QueueState): string {
  const server = kind === 'redis' ? 'Redis' : 'PostgreSQL';
  const head =
    jobs === null
      ? `queue in ${server}: not known, ${error}`
      : `queue in ${server}: ${plural(jobs.waiting, 'request')} waiting, ${jobs.active} running, ${jobs.failed} failed; ${workersText(workers)}`;
  return [head, ...schedules.map((schedule) => `  ${scheduleText(schedule, (workers ?? 0) > 0)}`)].join('\n');
}

/** Formats the number of workers, and how to start one. */
const workersText = (workers: number | null): string => {
  if (workers === null) return 'the number of workers is not known';
  return workers === 0
    ? `no worker is running: start ${typed('worker')}`
    : `${plural(workers, 'worker')} running`;
};

/** Formats a worker's event as a log line without the time. */
function eventText(event: WorkerEvent): string {
  switch (event.event) {
    case 'ready':
      return `ready, queue in ${event.backend}, ${event.schedules.map((schedule) => scheduleText(schedule)).join('; ') || 'no schedule'}`;
    case 'started':
      return `job ${event.job_id} started, attempt ${event.attempt}, requested by ${event.requested_by}`;
    case 'finished':
      return `job ${event.job_id} finished: run ${event.run_id} ${event.state}, ${event.seconds} s`;
    case 'retrying':
      return `job ${event.job_id} failed, attempt ${event.attempt} of ${event.attempts}, will retry: ${event.reason}`;
    case 'failed':
      return `job ${event.job_id} failed for good: ${event.reason}`;
    case 'stalled':
      return `job ${event.job_id} taken over from a worker that stopped responding`;
    case 'schedule_restored':
      return `the queue had lost a schedule; restored: ${scheduleText(event.schedule)}${event.missed === null ? '' : `; the run due at ${localTime(event.missed, event.schedule.timezone)} was missed and is queued now`}`;
    case 'batch':
      return `run ${event.run_id}, ${event.stage}: ${plural(event.partitions, 'partition')}, ${plural(event.rows, 'row')}`;
    case 'part':
      return `run ${event.run_id}, ${event.dataset} ${event.part}: loaded, ${plural(event.rows, 'row')}`;
    case 'told':
      return `watch ${event.watch_id} was told of publication ${event.publication}`;
    case 'not_told':
      return `watch ${event.watch_id} was not told (attempt ${event.attempt}): ${event.reason}${event.given_up ? '; it is given up' : ''}`;
    case 'batch_refused':
      return `run ${event.run_id}, ${event.stage}: refused, ${event.code}: ${event.reason}`;
    case 'batch_failed':
      return `run ${event.run_id}, ${event.stage}: failed, returned to the run, ${event.code}: ${event.reason}`;
    case 'part_refused':
      return `run ${event.run_id}, ${event.dataset} ${event.part}: refused, ${event.code}: ${event.reason}`;
    case 'part_failed':
      return `run ${event.run_id}, ${event.dataset} ${event.part}: failed, returned to the run, ${event.code}: ${event.reason}`;
    case 'error':
      return `queue: ${event.message}`;
    case 'stopped':
      return event.drained ? 'stopped' : 'stopped with work unfinished; the next worker takes over';
  }
}

function logEvent(flags: JobFlags, event: WorkerEvent): void {
  const at = new Date().toISOString();
  print(flags, { at, ...event }, `${at} ${eventText(event)}`);
}

function drainMs(text: string): number {
  const seconds = Number(text);
  if (text.trim() === '' || !(seconds >= 0 && seconds <= 86_400)) {
    throw new EtlError('config_invalid', `--drain ${text}: give seconds between 0 and 86400.`);
  }
  return seconds * 1000;
}

/** Works until it is signalled, and keeps the embedded server running. With `--now` it only queues a run. */
export async function workerCommand(
  flags: JobRefreshFlags & { drain: string; batches?: boolean; now?: string | true; wait?: boolean },
): Promise<void> {
  if (flags.wait && flags.now === undefined)
    throw new EtlError('config_invalid', '--wait follows a request: use it with --now.');
  if (flags.now !== undefined) return enqueue(flags.now === true ? undefined : flags.now, flags);
  const limitMs = drainMs(flags.drain);
  const tasksOnly = flags.batches ?? false;
  const { config, base } = await loadConfig(flags);
  if (!tasksOnly && Object.keys(config.datasets).length === 0) {
    throw new EtlError('config_no_datasets', 'The configuration lists no datasets. Pass one with --config.');
  }
  const scheduled = requestFrom(flags, config);
  const signalled = stopSignal();
  await withDatabase(
    config,
    async (url) => {
      const onEvent = (event: WorkerEvent): void => logEvent(flags, event);
      const worker = await startWorker({
        url,
        config,
        base,
        onEvent,
        scheduled,
        tasksOnly,
        progress: listen(config, flags).progress,
        listen: () => listen(config, flags),
      });
      const stopWatching = watchOverdueRuns(url, config, (failure) => printStatus(`warning: ${failure}`));
      await signalled;
      await stopWatching.close();
      // Past the limit the process exits as in a crash: its transactions roll back and the next run resumes.
      if (!(await worker.stop(limitMs))) process.exit(EXIT.interrupted);
    },
    Infinity,
  );
}

/** Runs `work` with the configured queue and a connection to the database. No limit for `work` that waits for a run. */
async function withQueue<T>(
  config: Config,
  work: (queue: Backend['queue'], client: pg.ClientBase) => Promise<T>,
  limitMs = QUEUE_MS,
): Promise<T> {
  return withDatabase(config, (url) =>
    withSetUp(url, config, async (client) => {
      const backend = await openBackend(url, config.queue);
      try {
        const done = work(backend.queue, client);
        return await (limitMs === Infinity ? done : withQueueTimeout(limitMs, done));
      } finally {
        await within(QUEUE_MS, backend.close()).catch(() => false);
      }
    }),
  );
}

/** Shows all schedules, or changes the schedule of one job. */
export async function scheduleCommand(
  job: string | undefined,
  flags: JobRefreshFlags & { cron?: string; tz?: string; remove?: boolean },
): Promise<void> {
  const { cron, tz, remove } = flags;
  if (remove && (cron !== undefined || tz !== undefined)) {
    throw new EtlError('config_invalid', '--remove deletes the schedule: use it without --cron and --tz.');
  }
  const { config } = await loadConfig(flags);
  const scheduled = requestFrom(flags, config, job);
  const schedules = await withQueue(config, async (queue, client): Promise<(Schedule | null)[]> => {
    if (remove) {
      await noteRemovedSchedule(client, scheduled);
      await removeSchedule(queue, scheduled);
      return [null];
    }
    const states = await readScheduleStates(client, queue, config.queue);
    const state = states.find((each) => requestSubject(each) === requestSubject(scheduled)) ?? null;
    if (cron !== undefined || tz !== undefined) {
      const isOfAll = scheduled.tables === undefined && job === undefined;
      const configured = job === undefined ? null : cronOf(namedJob(job), config.queue);
      const fields = cron ?? state?.cron ?? (isOfAll ? config.queue.cron : configured);
      if (fields === null)
        throw new EtlError('config_invalid', '--tz alone: there is no schedule. Give --cron too.');
      const timezone = tz ?? state?.timezone ?? config.queue.timezone;
      const set = await setSchedule(queue, { ...scheduled, cron: fields, timezone }, config.queue);
      await noteSetSchedule(client, set);
      return [set];
    }
    if (scheduled.tables !== undefined || job !== undefined) return [state];
    return states.length > 0 ? states : [null];
  });
  for (const schedule of schedules) print(flags, { schedule }, scheduleText(schedule));
}

/** Queues a refresh and prints the id of its job, and whether a worker will take it. With `--wait` also how it ended. */
async function enqueue(job: string | undefined, flags: JobRefreshFlags & { wait?: boolean }): Promise<void> {
  const { config } = await loadConfig(flags);
  const request = { requested_by: 'command line', ...requestFrom(flags, config, job) };
  const what = requestSubject(request).replace(/^refresh-/, '');
  const ended = await withQueue(
    config,
    async (queue) => {
      const queued = async (): Promise<QueuedRefresh & { workers: number | null }> => ({
        ...(await enqueueRefresh(queue, request, config.queue)),
        workers: await countWorkers(queue, config.queue.redis_url),
      });
      const result = await withQueueTimeout(QUEUE_MS, queued());
      const joinedText = result.joined ? ' with an earlier request' : '';
      print(
        flags,
        { job_id: result.job_id, joined: result.joined, workers: result.workers },
        `queued${joinedText}: ${what} (${result.job_id}); ${workersText(result.workers)}`,
      );
      return flags.wait ? followRefresh(queue, result, (event) => logEvent(flags, event)) : null;
    },
    flags.wait ? Infinity : QUEUE_MS * 2,
  );
  if (ended?.event !== 'failed') return;
  const [code] = ended.reason.split(':', 1);
  process.exitCode = code === 'audit_refused' ? EXIT.refused : exitOf(code!);
}
