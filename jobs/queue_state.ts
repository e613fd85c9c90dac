import type pg from 'pg';
import type { Config } from '../schema/config.ts';
import { operatorError } from '../store/system/connection_error.ts';
import { within } from '../store/system/within.ts';
import { withQueueTimeout } from './answered.ts';
import { type Backend, openBackend, type RefreshQueue } from './backend.ts';
import { readScheduleStates, type ScheduleState } from './schedule_keeper.ts';

/** Maximum wait for the queue, milliseconds. */
const QUEUE_MS = 4000;

/** The queue of refreshes, its workers and its schedules. */
export interface QueueState {
  kind: Backend['kind'];
  /** Why the queue could not be read. Null: it was read. */
  error: string | null;
  /** Requests that wait, run, and failed lately; null: not known. */
  jobs: { waiting: number; active: number; failed: number } | null;
  /** Workers that take refreshes; null: not known. */
  workers: number | null;
  schedules: ScheduleState[];
}

/** Counts the workers that take refreshes. Null: the server does not list its clients. */
export async function countWorkers(queue: RefreshQueue, redisUrl: string | null): Promise<number | null> {
  const clients = await queue.getWorkers().catch(() => null);
  // Redis lists the clients of all its databases.
  const database = redisUrl === null ? '' : new URL(redisUrl).pathname.slice(1) || '0';
  return clients?.filter(({ db = database }) => database === '' || db === database).length ?? null;
}

async function readQueue(
  client: pg.ClientBase,
  queue: RefreshQueue,
  config: Config['queue'],
): Promise<QueueState> {
  const { waiting = 0, active = 0, failed = 0 } = await queue.getJobCounts('waiting', 'active', 'failed');
  return {
    kind: config.redis_url === null ? 'postgres' : 'redis',
    error: null,
    jobs: { waiting, active, failed },
    workers: await countWorkers(queue, config.redis_url),
    schedules: await readScheduleStates(client, queue, config),
  };
}

/** Reads the state of an open queue. `queue` null, or a queue that does not answer: only what the database knows of the schedules. */
export async function readQueueState(
  client: pg.ClientBase,
  queue: RefreshQueue | null,
  config: Config['queue'],
): Promise<QueueState> {
  const kind = config.redis_url === null ? 'postgres' : 'redis';
  let error = 'The queue did not answer when it was opened.';
  if (queue !== null)
    try {
      return await withQueueTimeout(QUEUE_MS, readQueue(client, queue, config));
    } catch (cause) {
      error = (operatorError(cause) ?? (cause as Error)).message;
    }
  const schedules = await readScheduleStates(client, null, config).catch(() => []);
  return { kind, error, jobs: null, workers: null, schedules };
}

/** Opens the queue and reads its state. A queue in the database that no worker has made is empty, and stays unmade. */
export async function openQueueState(
  url: string,
  client: pg.ClientBase,
  config: Config['queue'],
): Promise<QueueState> {
  if (config.redis_url === null) {
    const { rows } = await client.query<{ made: boolean }>(
      `SELECT to_regnamespace('bullmq') IS NOT NULL AS made`,
    );
    if (!rows[0]!.made) {
      const jobs = { waiting: 0, active: 0, failed: 0 };
      const schedules = await readScheduleStates(client, null, config);
      return { kind: 'postgres', error: null, jobs, workers: 0, schedules };
    }
  }
  let backend: Backend;
  try {
    backend = await openBackend(url, config);
  } catch (cause) {
    const error = (operatorError(cause) ?? (cause as Error)).message;
    return { ...(await readQueueState(client, null, config)), error };
  }
  try {
    return await readQueueState(client, backend.queue, config);
  } finally {
    await within(QUEUE_MS, backend.close()).catch(() => false);
  }
}

/** Lists what is wrong with the queue: missed runs. Empty: nothing. */
export const missedRuns = ({ schedules }: QueueState): ScheduleState[] =>
  schedules.filter(({ missed }) => missed !== null);
