import { createHash } from 'node:crypto';
import type pg from 'pg';
import { changesSince } from '../contract/property/changes.ts';
import { post, type WebhookMessage } from '../pipelines/notify/receiver.ts';
import type { Config } from '../schema/config.ts';
import { setUpAccounts } from '../store/accounts/account_set_up.ts';
import {
  type ClaimedWatch,
  claimWatch,
  recordDelivered,
  recordUndelivered,
} from '../store/accounts/watches.ts';
import { openPool, withClient } from '../store/database.ts';
import { servingOnClient } from '../store/read/serving.ts';

/**
 * Interval between checks for due watches, wait before the second attempt of a message (each further wait is twice as long), and attempts:
 * a day in all.
 */
const TIMING = { lookMs: 10_000, backoffMs: 10_000, attempts: 14 };
/** Maximum row changes in a message. */
const PAGE = 1000;
/** Maximum receivers that one worker verifies, and delivers to, at the same time. */
const VERIFY_AT_ONCE = 4;
const DELIVER_AT_ONCE = 16;
/** Maximum receivers of one account at the same time, over all workers. */
const OF_ACCOUNT = 2;
/** Seconds after which another worker may take over the claim of a dead worker; longer than a message takes. */
const LEASE_S = 60;
/** Connections of a worker. None is held while it waits for a receiver. */
const CONNECTIONS = 4;

/** Outcomes of deliveries, and of changes left out. */
export type WatchEvent =
  | { event: 'told'; watch_id: number; publication: number }
  | { event: 'not_told'; watch_id: number; reason: string; attempt: number; given_up: boolean };

export interface WatchSetting {
  url: string;
  config: Config;
  onEvent: (event: WatchEvent) => void;
  timing?: typeof TIMING;
}

type WatchedChange = Awaited<ReturnType<typeof changesSince>>['changes'][number];

/** Restricts a change to the fields of a watch. Null: none of them changed. An added or removed row changes all fields of its table. */
function inFields(watched: readonly string[], change: WatchedChange): WatchedChange | null {
  const { table, fields } = change;
  if (watched.length === 0 || watched.includes(table)) return change;
  const ownFields = watched.filter((field) => field.startsWith(`${table}.`));
  if (fields === null) return ownFields.length > 0 ? change : null;
  const changed = fields.filter((field) => ownFields.includes(`${table}.${field}`));
  return changed.length > 0 ? { ...change, fields: changed } : null;
}

/** Builds a message. Its id follows from the watch and its position in the changes, so every attempt has the same. */
function messageOf(type: string, watch: ClaimedWatch, position: string, data: object): WebhookMessage {
  const id = createHash('sha256')
    .update(`${watch.watch_id} ${watch.created_at} ${type} ${position}`)
    .digest('hex')
    .slice(0, 32);
  return { id: `msg_${id}`, body: JSON.stringify({ type, watch_id: watch.watch_id, ...data }) };
}

/** Verifies that a receiver wants the messages: it must answer with the challenge. */
async function verify(watch: ClaimedWatch, mayGoInside: boolean): Promise<void> {
  const challenge = createHash('sha256').update(`${watch.secret} challenge`).digest('hex');
  const answer = await post(watch, messageOf('watch.verify', watch, challenge, { challenge }), mayGoInside);
  if (!answer.includes(challenge)) throw new Error('the receiver does not answer with the challenge');
}

/**
 * Delivers the next message of a watch. Returns the last publication that its receiver has, and in `sent` whether there was anything to
 * send.
 */
async function deliver(
  pool: pg.Pool,
  watch: ClaimedWatch,
  mayGoInside: boolean,
): Promise<{ publication: number; sent: boolean; next: Pick<ClaimedWatch, 'since' | 'next_cursor'> }> {
  const { since, ids, next_cursor: cursor, fields } = watch;
  const page = await withClient(pool, (client) =>
    changesSince(servingOnClient(client), {
      since,
      ids,
      suburbs: [],
      cursor: cursor ?? undefined,
      limit: PAGE,
    }),
  );
  const changes = page.changes.map((change) => inFields(fields, change)).filter((each) => each !== null);
  const { publication, next_cursor } = page;
  const message = page.start_anew
    ? messageOf('watch.start_anew', watch, cursor ?? `${since}`, { publication })
    : messageOf('watch.changed', watch, cursor ?? `${since}`, { since, publication, changes: changes });
  const isSent = page.start_anew || changes.length > 0;
  if (isSent) await post(watch, message, mayGoInside);
  const next = next_cursor === null ? { since: publication, next_cursor } : { since, next_cursor };
  return { publication, sent: isSent, next };
}

/** Keeps up to `slots` tasks running while `take` finds work. */
class Slots {
  readonly #slots: number;
  readonly #take: () => Promise<(() => Promise<void>) | null>;
  readonly #underWay = new Set<Promise<void>>();
  #isFilling = false;
  /** True: a check was requested while one was running. */
  #isAsked = false;
  #isClosed = false;

  constructor(slots: number, take: () => Promise<(() => Promise<void>) | null>) {
    this.#slots = slots;
    this.#take = take;
  }

  /** Checks for work. A database that does not answer is asked again at the next check. */
  fill(): void {
    this.#isAsked = true;
    if (this.#isFilling) return;
    this.#isFilling = true;
    const filling: Promise<void> = this.#fill()
      .catch(() => undefined)
      .finally(() => {
        this.#isFilling = false;
        this.#underWay.delete(filling);
      });
    this.#underWay.add(filling);
  }

  async #fill(): Promise<void> {
    // This check is one of the running tasks.
    while (this.#isAsked && !this.#isClosed && this.#underWay.size <= this.#slots) {
      this.#isAsked = false;
      const work = await this.#take();
      if (work === null) continue;
      this.#isAsked = true;
      const done: Promise<void> = work()
        .catch(() => undefined)
        .finally(() => {
          this.#underWay.delete(done);
          this.fill();
        });
      this.#underWay.add(done);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#underWay);
  }
}

/** Notifies the receivers of watches about the changes of publications, until it is closed. */
export async function notifyWatches({
  url,
  config,
  onEvent,
  timing = TIMING,
}: WatchSetting): Promise<{ close(): Promise<void> }> {
  const pool = openPool(url, CONNECTIONS);
  const mayGoInside = config.downloads.private_addresses;
  await withClient(pool, setUpAccounts);

  /** Does one step of a claimed watch. A failure is retried later. */
  const attempt = async (watch: ClaimedWatch, step: () => Promise<void>): Promise<void> => {
    const { watch_id, attempts } = watch;
    try {
      await step();
    } catch (error) {
      const reason = (error as Error).message;
      const given_up = attempts + 1 >= timing.attempts;
      await recordUndelivered(
        pool,
        watch,
        reason,
        given_up ? null : (timing.backoffMs / 1000) * 2 ** attempts,
      );
      onEvent({ event: 'not_told', watch_id, reason, attempt: attempts + 1, given_up });
    }
  };
  const take = async (
    state: 'unverified' | 'active',
    step: (watch: ClaimedWatch) => Promise<void>,
  ): Promise<(() => Promise<void>) | null> => {
    const watch = await claimWatch(pool, state, { lease_s: LEASE_S, ofAccount: OF_ACCOUNT });
    return watch === null ? null : () => attempt(watch, () => step(watch));
  };

  const deliveries = new Slots(DELIVER_AT_ONCE, () =>
    take('active', async (watch) => {
      const { publication, sent, next } = await deliver(pool, watch, mayGoInside);
      await recordDelivered(pool, watch, next);
      if (sent) onEvent({ event: 'told', watch_id: watch.watch_id, publication });
    }),
  );
  const verifications = new Slots(VERIFY_AT_ONCE, () =>
    take('unverified', async (watch) => {
      await verify(watch, mayGoInside);
      await recordDelivered(pool, watch, watch);
      deliveries.fill();
    }),
  );
  const look = (): void => {
    verifications.fill();
    deliveries.fill();
  };
  look();
  const timer = setInterval(look, timing.lookMs).unref();
  return {
    async close() {
      clearInterval(timer);
      await Promise.all([verifications.close(), deliveries.close()]);
      await pool.end();
    },
  };
}
