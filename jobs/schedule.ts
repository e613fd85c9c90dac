import type { Config } from '../schema/config.ts';
import { EtlError } from '../schema/errors.ts';
import type { RefreshQueue } from './backend.ts';
import { jobOptions } from './refresh_job.ts';

/** Key of the one scheduler. */
const SCHEDULER = 'refresh';

/** When refreshes run by themselves. */
export interface Schedule {
  /** Cron fields, meant in `timezone`. */
  cron: string;
  timezone: string;
  /** The next time, ISO 8601 in UTC; null where it is not known. */
  next: string | null;
}

/** The schedule in force; null: none. */
export async function readSchedule(queue: RefreshQueue): Promise<Schedule | null> {
  const found = (await queue.getJobSchedulers()).find(({ key }) => key === SCHEDULER);
  if (!found) return null;
  return {
    cron: found.pattern ?? '',
    timezone: found.tz ?? 'UTC',
    next: found.next === undefined ? null : new Date(Number(found.next)).toISOString(),
  };
}

/** Replaces the schedule in force. @throws EtlError config_invalid where cron fields or time zone are not understood. */
export async function setSchedule(
  queue: RefreshQueue,
  schedule: Pick<Schedule, 'cron' | 'timezone'>,
  config: Config['queue'],
): Promise<Schedule> {
  const { cron, timezone } = schedule;
  if (cron.trim().split(/\s+/).length !== 5) {
    throw new EtlError('config_invalid', `cron '${cron}': write five fields, for example '0 2 * * *'.`);
  }
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone });
  } catch (error) {
    const message = `time zone '${timezone}' is not known: write it as Australia/Sydney.`;
    throw new EtlError('config_invalid', message, { cause: error });
  }
  const template = { name: 'refresh', data: { requested_by: 'schedule' }, opts: jobOptions(config) } as const;
  try {
    await queue.upsertJobScheduler(SCHEDULER as 'refresh', { pattern: cron, tz: timezone }, template);
  } catch (error) {
    if ((error as { code?: unknown }).code !== undefined) throw error;
    const message = `cron '${cron}' is not understood: ${(error as Error).message}`;
    throw new EtlError('config_invalid', message, { cause: error });
  }
  return (await readSchedule(queue))!;
}

/** Takes the schedule away. @returns whether there was one */
export async function removeSchedule(queue: RefreshQueue): Promise<boolean> {
  return queue.removeJobScheduler(SCHEDULER);
}

/** Puts the configured schedule in force where there is none; one that was set by command stays. */
export async function ensureSchedule(queue: RefreshQueue, config: Config['queue']): Promise<Schedule | null> {
  const found = await readSchedule(queue);
  if (found || config.cron === null) return found;
  return setSchedule(queue, { cron: config.cron, timezone: config.timezone }, config);
}
