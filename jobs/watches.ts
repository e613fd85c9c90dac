import { createHash } from 'node:crypto';
import type { Job } from 'bullmq';
import type pg from 'pg';
import { changes } from '../contract/changes.ts';
import { servedPublication } from '../contract/service.ts';
import { type Message, post } from '../pipelines/notify/receiver.ts';
import type { Config } from '../schema/config.ts';
import { setUpAccounts } from '../store/accounts/account_set_up.ts';
import { type DueWatch, dueWatches, noteNotTold, noteTold, watchToTell } from '../store/accounts/watches.ts';
import { openPool } from '../store/database.ts';
import { servingOnClient } from '../store/read/serving.ts';
import { type Backend, QUEUES, type WatchData } from './backend.ts';

/**
 * How often it is looked for receivers that are to be told; the wait before the second attempt to tell one, and how many there are: the waits
 * double, and are a day together.
 */
const TIMING = { lookMs: 10_000, backoffMs: 10_000, attempts: 14 };
/** Changes that are read at a time, and told in one message. */
const PAGE = 1000;
/** Receivers that are told at the same time. */
const AT_ONCE = 4;
/** Advisory locks of watches have this first number. */
const LOCK = 0x77a7c;

/** Answers of receivers, and what they were not told. */
export type WatchEvent =
  | { event: 'told'; watch_id: number; publication: number; messages: number }
  | { event: 'not_told'; watch_id: number; reason: string; attempt: number; given_up: boolean };

export interface WatchSetting {
  url: string;
  config: Config;
  onEvent: (event: WatchEvent) => void;
  timing?: typeof TIMING;
}

type Change = Awaited<ReturnType<typeof changes.query>>['changes'][number];

/** Whether a change is one of the fields of a watch; an inserted or deleted row is one of all fields of its table. */
function isOfFields(fields: readonly string[], { table, change, after }: Change): boolean {
  if (fields.length === 0 || fields.includes(table)) return true;
  if (change !== 'update') return fields.some((field) => field.startsWith(`${table}.`));
  return Object.keys(after ?? {}).some((column) => fields.includes(`${table}.${column}`));
}

/** A message whose id follows from the watch and its place in the changes, whenever it is sent. */
function messageOf(type: string, watch: DueWatch, place: string, data: object): Message {
  const id = createHash('sha256')
    .update(`${watch.watch_id} ${watch.created_at} ${type} ${place}`)
    .digest('hex')
    .slice(0, 32);
  return { id: `msg_${id}`, body: JSON.stringify({ type, watch_id: watch.watch_id, ...data }) };
}

/** Asks a receiver to show that it wants the messages: it must answer with the challenge. */
async function verify(watch: DueWatch, mayGoInside: boolean): Promise<void> {
  const challenge = createHash('sha256').update(`${watch.secret} challenge`).digest('hex');
  const answer = await post(watch, messageOf('watch.verify', watch, challenge, { challenge }), mayGoInside);
  if (!answer.includes(challenge)) throw new Error('the receiver does not answer with the challenge');
}

/** Tells a receiver everything up to what is served, a page a message, and notes after each how far it was told. */
async function tell(
  client: pg.PoolClient,
  watchId: number,
  mayGoInside: boolean,
): Promise<{ publication: number; messages: number }> {
  const db = servingOnClient(client);
  let messages = 0;
  for (;;) {
    const watch = await watchToTell(client, watchId);
    if (watch === null || watch.state === 'given_up') return { publication: 0, messages };
    if (watch.state === 'unverified') {
      await verify(watch, mayGoInside);
      await noteTold(client, watchId, watch);
      continue;
    }
    const latest = (await servedPublication(db)) ?? 0;
    if (watch.since >= latest && watch.next_cursor === null) return { publication: latest, messages };
    const { since, ids, next_cursor: cursor, fields } = watch;
    const page = await changes.query(db, {
      since,
      ids,
      suburbs: [],
      cursor: cursor ?? undefined,
      limit: PAGE,
    });
    const told = page.changes.filter((change) => isOfFields(fields, change));
    const place = cursor ?? `${since}`;
    const { publication } = page;
    const send = async (type: string, data: object): Promise<void> => {
      await post(watch, messageOf(type, watch, place, data), mayGoInside);
      messages++;
    };
    if (page.start_anew) await send('watch.start_anew', { publication });
    else if (told.length > 0) await send('watch.changed', { since, publication, changes: told });
    await noteTold(
      client,
      watchId,
      page.next_cursor === null
        ? { since: publication, next_cursor: null }
        : { since, next_cursor: page.next_cursor },
    );
  }
}

/** Tells the receivers of watches what publications changed, until it is closed. */
export async function tellWatches(
  backend: Backend,
  { url, config, onEvent, timing = TIMING }: WatchSetting,
): Promise<{ close(): Promise<void> }> {
  const pool = openPool(url, AT_ONCE + 1);
  const mayGoInside = config.downloads.private_addresses;
  const queue = backend.watches();
  const set = await pool.connect();
  try {
    await setUpAccounts(set);
  } finally {
    set.release();
  }

  /** Asks for each receiver that is to be told; one that is told already, or waits for another attempt, is in the queue. */
  const look = async (): Promise<void> => {
    const client = await pool.connect();
    try {
      const latest = (await servedPublication(servingOnClient(client))) ?? 0;
      for (const watch_id of await dueWatches(client, latest))
        await queue.add(
          'tell',
          { watch_id },
          {
            jobId: `watch.${watch_id}.${latest}`,
            attempts: timing.attempts,
            backoff: { type: 'exponential', delay: timing.backoffMs },
            removeOnComplete: true,
            removeOnFail: true,
          },
        );
    } finally {
      client.release();
    }
  };

  const tellOne = async (job: Job<WatchData, unknown, string>): Promise<void> => {
    const { watch_id } = job.data;
    const client = await pool.connect();
    try {
      const { rows } = await client.query<{ is_ours: boolean }>(
        'SELECT pg_try_advisory_lock($1, $2) AS is_ours',
        [LOCK, watch_id],
      );
      // Whoever tells this receiver tells it this too.
      if (!rows[0]!.is_ours) return;
      try {
        const done = await tell(client, watch_id, mayGoInside);
        if (done.messages > 0) onEvent({ event: 'told', watch_id, ...done });
      } catch (error) {
        const reason = (error as Error).message;
        const given_up = job.attemptsMade + 1 >= timing.attempts;
        await noteNotTold(client, watch_id, reason, given_up);
        onEvent({ event: 'not_told', watch_id, reason, attempt: job.attemptsMade + 1, given_up });
        throw error;
      } finally {
        await client.query('SELECT pg_advisory_unlock($1, $2)', [LOCK, watch_id]);
      }
    } finally {
      client.release();
    }
  };

  await queue.upsertJobScheduler(
    'look',
    { every: timing.lookMs },
    { name: 'look', data: { watch_id: 0 }, opts: { removeOnComplete: true, removeOnFail: true } },
  );
  const worker = backend.work<WatchData, void>(
    QUEUES.watches,
    (job) => (job.name === 'look' ? look() : tellOne(job)),
    { concurrency: AT_ONCE },
  );
  worker.on('error', () => undefined);
  await worker.waitUntilReady();
  return {
    async close() {
      await worker.close();
      await pool.end();
    },
  };
}
