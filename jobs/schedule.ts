import { getNextMillis } from 'bullmq';
import type { Config } from '../schema/config.ts';
import { EtlError } from '../schema/errors.ts';
import type { RefreshQueue, RefreshRequest } from './backend.ts';
import { jobOptions, requestSubject } from './refresh_job.ts';

/** Request of a schedule. Its scope identifies it: one schedule for each named job, each list of tables, and all tables. */
export type Scheduled = Omit<RefreshRequest, 'requested_by'>;

export interface Schedule extends Scheduled {
  /** Cron fields, in `timezone`. */
  cron: string;
  timezone: string;
  /** Next time, ISO 8601 in UTC. Null: not known. */
  next: string | null;
}

/** Reads the active schedules: the one for all tables first, the others by scope. */
export async function readSchedules(queue: RefreshQueue): Promise<Schedule[]> {
  const schedules = (await queue.getJobSchedulers()).map(({ pattern, tz, next, template }) => {
    const { requested_by: _, ...scheduled } = (template?.data ?? {}) as RefreshRequest;
    return {
      ...scheduled,
      cron: pattern ?? '',
      timezone: tz ?? 'UTC',
      next: next === undefined ? null : new Date(Number(next)).toISOString(),
    };
  });
  return schedules.sort((a, b) => (requestSubject(a) < requestSubject(b) ? -1 : 1));
}

/** Reads the active schedule of the same scope. Null: none. */
export async function readSchedule(queue: RefreshQueue, of: Scheduled = {}): Promise<Schedule | null> {
  return (await readSchedules(queue)).find((each) => requestSubject(each) === requestSubject(of)) ?? null;
}

/** Returns the next time of cron fields, ISO 8601 in UTC. @throws EtlError config_invalid if cron fields or time zone are invalid */
export function nextTime({ cron, timezone }: Pick<Schedule, 'cron' | 'timezone'>): string | null {
  if (cron.trim().split(/\s+/).length !== 5) {
    throw new EtlError('config_invalid', `cron '${cron}': write five fields, for example '0 2 * * *'.`);
  }
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone });
  } catch (error) {
    const message = `time zone '${timezone}' is not known: write it as Australia/Sydney.`;
    throw new EtlError('config_invalid', message, { cause: error });
  }
  try {
    const next = getNextMillis(Date.now(), { pattern: cron, tz: timezone });
    return next === undefined ? null : new Date(next).toISOString();
  } catch (error) {
    const message = `cron '${cron}' is not understood: ${(error as Error).message}`;
    throw new EtlError('config_invalid', message, { cause: error });
  }
}

/** Replaces the schedule of the same scope. @throws EtlError config_invalid if cron fields or time zone are invalid */
export async function setSchedule(
  queue: RefreshQueue,
  schedule: Omit<Schedule, 'next'>,
  config: Config['queue'],
): Promise<Schedule> {
  nextTime(schedule);
  const { cron, timezone, ...scheduled } = schedule;
  const data: RefreshRequest = { requested_by: 'schedule', ...scheduled };
  const template = { name: 'refresh', data, opts: jobOptions(config) } as const;
  await queue.upsertJobScheduler(
    requestSubject(scheduled) as 'refresh',
    { pattern: cron, tz: timezone },
    template,
  );
  return (await readSchedule(queue, scheduled))!;
}

/** Removes the schedule of the same scope. @returns true if there was one */
export async function removeSchedule(queue: RefreshQueue, of: Scheduled = {}): Promise<boolean> {
  return queue.removeJobScheduler(requestSubject(of));
}
