import type pg from 'pg';
import type { Config } from '../schema/config.ts';
import {
  forgetRemovals,
  readScheduleNotes,
  type ScheduleNote,
  writeScheduleNote,
} from '../store/state/schedule_notes.ts';
import type { RefreshQueue } from './backend.ts';
import { requestOfJob } from './named_job.ts';
import { cronOf, NAMED_JOBS } from './named_jobs.ts';
import { enqueueRefresh, requestSubject } from './refresh_job.ts';
import { nextTime, readSchedules, type Schedule, type Scheduled, setSchedule } from './schedule.ts';

/** Delay after which a run that did not start counts as missed, milliseconds. */
const GRACE_MS = 120_000;

/** A schedule that should run, and its state. */
export interface ScheduleState extends Schedule {
  /** False: the queue does not have it; a worker adds it. */
  is_active: boolean;
  /** Time of a run that did not start, ISO 8601 in UTC. Null: none is missed. */
  missed: string | null;
}

/** A schedule that a worker added to the queue because the queue had lost it. */
export interface RestoredSchedule {
  schedule: Schedule;
  /** Time of the run that was missed meanwhile; it is queued now. Null: none. */
  missed: string | null;
}

type Planned = Omit<Schedule, 'next'>;

const isPast = (time: string | null, graceMs = 0): boolean =>
  time !== null && Date.parse(time) + graceMs < Date.now();

/** Lists the configured schedules: refreshes of `scheduled`, and the named jobs unless `scheduled` names tables. */
function configuredSchedules(config: Config['queue'], scheduled: Scheduled): Planned[] {
  const { cron, timezone } = config;
  if (cron === null) return [];
  const jobs = scheduled.tables === undefined ? NAMED_JOBS : [];
  return [
    { ...scheduled, cron, timezone },
    ...jobs.flatMap((job): Planned[] => {
      const configured = cronOf(job, config);
      return configured === null ? [] : [{ ...requestOfJob(job), cron: configured, timezone }];
    }),
  ];
}

/** Lists the schedules that should run: the configured ones, changed as operators set and removed them. */
function plannedSchedules(
  configured: readonly Planned[],
  notes: ReadonlyMap<string, ScheduleNote>,
): Planned[] {
  const planned = new Map(configured.map((schedule) => [requestSubject(schedule), schedule]));
  for (const { subject, request, cron, timezone, set_by } of notes.values()) {
    if (set_by !== 'operator') continue;
    if (cron === null) planned.delete(subject);
    else planned.set(subject, { ...request, cron, timezone });
  }
  return [...planned.values()].sort((a, b) => (requestSubject(a) < requestSubject(b) ? -1 : 1));
}

/** Records a schedule, so that it can be restored after the queue has lost it. */
async function noteSchedule(
  client: pg.ClientBase,
  { next, cron, timezone, ...request }: Schedule,
  set_by: ScheduleNote['set_by'],
  before?: ScheduleNote | null,
): Promise<void> {
  const note = { subject: requestSubject(request), request, cron, timezone, set_by, next };
  await writeScheduleNote(client, note, before);
}

export const noteSetSchedule = (client: pg.ClientBase, schedule: Schedule): Promise<void> =>
  noteSchedule(client, schedule, 'operator');

/** Records that an operator removed a schedule: it stays removed until one is set or a worker starts. */
export const noteRemovedSchedule = (client: pg.ClientBase, of: Scheduled): Promise<void> =>
  writeScheduleNote(client, {
    subject: requestSubject(of),
    request: { ...of },
    cron: null,
    timezone: 'UTC',
    set_by: 'operator',
    next: null,
  });

const isSame = (
  a: Pick<Schedule, 'cron' | 'timezone'>,
  b: { cron: string | null; timezone: string },
): boolean => a.cron === b.cron && a.timezone === b.timezone;

/**
 * Compares the queue with the schedules that should run, and adds what it lacks. A run that was missed while the queue lacked its schedule
 * is queued at once. `isStart`: a worker starts, so removed schedules return and a changed configuration applies.
 */
export async function keepSchedules(
  client: pg.ClientBase,
  queue: RefreshQueue,
  config: Config['queue'],
  { scheduled = {}, isStart = false }: { scheduled?: Scheduled | undefined; isStart?: boolean } = {},
): Promise<RestoredSchedule[]> {
  if (isStart) await forgetRemovals(client);
  const notes = await readScheduleNotes(client);
  const configured = configuredSchedules(config, scheduled);
  const active = new Map(
    (await readSchedules(queue)).map((schedule) => [requestSubject(schedule), schedule]),
  );
  const restored: RestoredSchedule[] = [];
  for (const plan of plannedSchedules(configured, notes)) {
    const subject = requestSubject(plan);
    const [note, found] = [notes.get(subject), active.get(subject)];
    const isConfigured = note?.set_by === 'configuration' && found !== undefined && isSame(found, note);
    if (found !== undefined && !(isStart && isConfigured && !isSame(found, plan))) {
      // Without a note the schedule is older than the notes; it stays as it is.
      const isOperators = note?.set_by === 'operator' || !isSame(found, note ?? plan);
      await noteSchedule(client, found, isOperators ? 'operator' : 'configuration', note ?? null);
      continue;
    }
    const schedule = await setSchedule(queue, plan, config);
    const missed = found === undefined && isPast(note?.next ?? null) ? note!.next : null;
    const { cron: _, timezone: __, next: ___, ...request } = schedule;
    if (missed !== null) await enqueueRefresh(queue, { requested_by: 'schedule', ...request }, config);
    await noteSchedule(client, schedule, note?.set_by ?? 'configuration', note ?? null);
    if (found === undefined && note !== undefined) restored.push({ schedule, missed });
  }
  return restored;
}

/**
 * Reads the schedules that should run: when each runs next, and a run that did not start. `queue` null: it cannot be read, so the last
 * known times are shown. A schedule that no worker has ever started misses nothing.
 */
export async function readScheduleStates(
  client: pg.ClientBase,
  queue: RefreshQueue | null,
  config: Config['queue'],
): Promise<ScheduleState[]> {
  const notes = await readScheduleNotes(client);
  const schedules = queue === null ? [] : await readSchedules(queue);
  const active = new Map(schedules.map((schedule) => [requestSubject(schedule), schedule]));
  // A run that waits behind another one is not missed.
  const isBusy =
    queue !== null &&
    (await queue.getActiveCount()) > 0 &&
    (await queue.getWorkersCount().catch(() => 0)) > 0;
  const planned = plannedSchedules(configuredSchedules(config, {}), notes);
  const others = schedules.filter(
    (schedule) => !planned.some((plan) => requestSubject(plan) === requestSubject(schedule)),
  );
  return [...planned, ...others].map((plan): ScheduleState => {
    const subject = requestSubject(plan);
    const schedule = active.get(subject) ?? { ...plan, next: notes.get(subject)?.next ?? null };
    const isMissed = !isBusy && isPast(schedule.next, GRACE_MS);
    const next = schedule.next !== null && !isPast(schedule.next) ? schedule.next : nextTime(schedule);
    return { ...schedule, next, is_active: active.has(subject), missed: isMissed ? schedule.next : null };
  });
}
