import { randomBytes } from 'node:crypto';
import { isMetadataHost, isPrivateHost } from '../system/private_host.ts';
import { type Queryable, type SessionPool, withAccountLocked } from './accounts.ts';

/** A receiver that is notified which of some properties changed. */
export interface Watch {
  watch_id: number;
  /** HTTPS address of the receiver. */
  url: string;
  /** Tables, or columns as `table.column`, whose changes are reported; empty: all. */
  fields: string[];
  /** `unverified`: the receiver has not yet confirmed that it wants messages; `given_up`: it accepted no message for a day. */
  state: 'unverified' | 'active' | 'given_up';
  /** Publication up to which the receiver was notified. */
  since: number;
  properties: number;
  /** Why the last attempt failed; null: it succeeded. */
  error: string | null;
  created_at: string;
}

/** A watch that a worker has claimed to deliver one message. */
export interface ClaimedWatch extends Watch {
  /** Standard Webhooks secret, `whsec_…`. */
  secret: string;
  /** Position in the changes after `since`; null: at their start. */
  next_cursor: string | null;
  /** Consecutive failed attempts. */
  attempts: number;
  /** Number of the claim: a worker whose claim has expired changes nothing. */
  claims: number;
  /** Watched properties. */
  ids: string[];
}

const COLUMNS = `watch_id, url, fields, state, since, error, to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS created_at,
  properties`;

/** Lists the watches of an account, oldest first. */
export async function listWatches(client: Queryable, accountId: number): Promise<Watch[]> {
  const sql = `SELECT ${COLUMNS} FROM account.watch w WHERE account_id = $1 ORDER BY watch_id`;
  return (await client.query<Watch>(sql, [accountId])).rows;
}

/** Maximum watches of an account, and properties of a watch. */
export const WATCHES_MAX = 100;
export const WATCHED_MAX = 10_000;

/** True if a text is a valid receiver: HTTPS, without a user, on the internet. `mayGoInside`: HTTP and private addresses are valid too. */
export function isReceiver(text: string, mayGoInside: boolean): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.username !== '' || url.password !== '') return false;
  if (mayGoInside) return ['http:', 'https:'].includes(url.protocol) && !isMetadataHost(url);
  return url.protocol === 'https:' && !isPrivateHost(url);
}

/**
 * Creates a watch that starts after a publication; returns its number and the secret of its messages. Null: the account has as many
 * watches as it may have.
 */
export async function createWatch(
  pool: SessionPool,
  accountId: number,
  watch: Pick<ClaimedWatch, 'url' | 'fields' | 'since' | 'ids'>,
): Promise<{ watch_id: number; secret: string } | null> {
  const secret = `whsec_${randomBytes(24).toString('base64')}`;
  return withAccountLocked(pool, accountId, async (client) => {
    const countResult = await client.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM account.watch WHERE account_id = $1',
      [accountId],
    );
    if (countResult.rows[0]!.n >= WATCHES_MAX) return null;
    return { watch_id: await addWatch(client, accountId, { ...watch, secret }), secret };
  });
}

async function addWatch(
  client: Queryable,
  accountId: number,
  { url, secret, fields, since, ids }: Pick<ClaimedWatch, 'url' | 'secret' | 'fields' | 'since' | 'ids'>,
): Promise<number> {
  const { rows } = await client.query<{ watch_id: number }>(
    `WITH made AS (
       INSERT INTO account.watch (account_id, url, secret, fields, since, ids) VALUES ($1, $2, $3, $4, $5, $6) RETURNING watch_id),
     watcher AS (INSERT INTO account.watcher (account_id) VALUES ($1) ON CONFLICT DO NOTHING)
     SELECT watch_id FROM made`,
    [accountId, url, secret, fields, since, [...new Set(ids)].sort()],
  );
  return rows[0]!.watch_id;
}

/** Removes a watch of an account; false: the account has no watch with that number. */
export async function removeWatch(client: Queryable, accountId: number, watchId: number): Promise<boolean> {
  const sql = 'DELETE FROM account.watch WHERE account_id = $1 AND watch_id = $2';
  return (await client.query(sql, [accountId, watchId])).rowCount === 1;
}

/**
 * Claims a due watch for `lease_s` seconds, to verify it or to notify its receiver. Accounts take turns; each has at most `ofAccount`
 * claims of a state at a time, and an account without credit waits. Null: none is due.
 */
export async function claimWatch(
  client: Queryable,
  state: 'unverified' | 'active',
  { lease_s, ofAccount }: { lease_s: number; ofAccount: number },
): Promise<ClaimedWatch | null> {
  const { rows } = await client.query<ClaimedWatch>(
    `WITH next AS (
       SELECT t.account_id, d.watch_id FROM account.watcher t
       JOIN account.account a USING (account_id)
       CROSS JOIN LATERAL (
         SELECT w.watch_id FROM account.watch w
         WHERE w.account_id = t.account_id AND w.state = $1 AND w.retry_at <= now() AND w.claimed_until <= now()
           AND ($1 = 'unverified' OR w.next_cursor IS NOT NULL OR w.since < (SELECT max(publication_id) FROM serving.publication))
         ORDER BY w.retry_at, w.watch_id LIMIT 1) d
       WHERE a.balance_cents > 0 AND $3 > (
         SELECT count(*) FROM account.watch o WHERE o.account_id = t.account_id AND o.state = $1 AND o.claimed_until > now())
       ORDER BY t.turn, t.account_id LIMIT 1 FOR UPDATE OF t SKIP LOCKED),
     turned AS (UPDATE account.watcher t SET turn = clock_timestamp() FROM next WHERE t.account_id = next.account_id)
     UPDATE account.watch w SET claimed_until = now() + make_interval(secs => $2), claims = w.claims + 1
     FROM next WHERE w.watch_id = next.watch_id
     RETURNING ${COLUMNS.replace('watch_id', 'w.watch_id')}, secret, next_cursor, attempts, claims, ids`,
    [state, lease_s, ofAccount],
  );
  return rows[0] ?? null;
}

const OURS = `watch_id = $1 AND claims = $2`;
const RELEASED = `claimed_until = '-infinity'`;

/** Records how far a receiver was notified, or that it is verified, and ends the claim. */
export async function recordDelivered(
  client: Queryable,
  { watch_id, claims }: Pick<ClaimedWatch, 'watch_id' | 'claims'>,
  { since, next_cursor }: Pick<ClaimedWatch, 'since' | 'next_cursor'>,
): Promise<void> {
  await client.query(
    `UPDATE account.watch SET state = 'active', since = $3, next_cursor = $4, error = NULL, attempts = 0, retry_at = now(), ${RELEASED} WHERE ${OURS}`,
    [watch_id, claims, since, next_cursor],
  );
}

/** Records why a notification failed, and ends the claim. It is retried after `wait_s` seconds; null: the watch is given up. */
export async function recordUndelivered(
  client: Queryable,
  { watch_id, claims }: Pick<ClaimedWatch, 'watch_id' | 'claims'>,
  error: string,
  wait_s: number | null,
): Promise<void> {
  await client.query(
    `UPDATE account.watch SET error = $3, attempts = attempts + 1, ${RELEASED},
       state = CASE WHEN $4::float8 IS NULL THEN 'given_up' ELSE state END, retry_at = now() + make_interval(secs => COALESCE($4, 0))
     WHERE ${OURS}`,
    [watch_id, claims, error.slice(0, 500), wait_s],
  );
}
