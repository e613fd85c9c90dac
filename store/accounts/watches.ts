import type { Queryable } from './accounts.ts';

/** Who is told of changes of some properties. */
export interface Watch {
  watch_id: number;
  /** HTTPS address of the receiver. */
  url: string;
  /** Tables, or columns as `table.column`, whose changes are told; empty: all. */
  fields: string[];
  /** `unverified`: the receiver has not yet shown that it wants this; `given_up`: it did not take a message for a day. */
  state: 'unverified' | 'active' | 'given_up';
  /** Publication up to which the receiver was told. */
  since: number;
  /** How many properties are watched. */
  properties: number;
  /** Why the last attempt failed; null: it did not. */
  error: string | null;
  created_at: string;
}

/** A watch with what delivering takes. */
export interface DueWatch extends Watch {
  /** Standard Webhooks secret, `whsec_…`. */
  secret: string;
  /** Place in the changes after `since`; null: at their beginning. */
  next_cursor: string | null;
}

const COLUMNS = `watch_id, url, fields, state, since, error, to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS created_at,
  (SELECT count(*)::int FROM account.watched d WHERE d.watch_id = w.watch_id) AS properties`;

/** Watches of an account, the oldest first. */
export async function listWatches(client: Queryable, accountId: number): Promise<Watch[]> {
  const sql = `SELECT ${COLUMNS} FROM account.watch w WHERE account_id = $1 ORDER BY watch_id`;
  return (await client.query<Watch>(sql, [accountId])).rows;
}

/** Adds a watch from the publication that is served on; gives its number, or null where the account has `most` already. */
export async function addWatch(
  client: Queryable,
  accountId: number,
  watch: Pick<DueWatch, 'url' | 'secret' | 'fields' | 'since'> & { ids: readonly string[] },
  most: number,
): Promise<number | null> {
  const { url, secret, fields, since, ids } = watch;
  const { rows } = await client.query<{ watch_id: number }>(
    `WITH payer AS (SELECT account_id FROM account.account WHERE account_id = $1 FOR UPDATE),
       made AS (INSERT INTO account.watch (account_id, url, secret, fields, since)
         SELECT account_id, $2, $3, $4, $5 FROM payer
         WHERE (SELECT count(*) FROM account.watch WHERE account_id = $1) < $7 RETURNING watch_id),
       listed AS (INSERT INTO account.watched SELECT watch_id, id FROM made, unnest($6::text[]) id ON CONFLICT DO NOTHING)
     SELECT watch_id FROM made`,
    [accountId, url, secret, fields, since, ids, most],
  );
  return rows[0]?.watch_id ?? null;
}

/** Removes a watch of an account; false: it has none of that number. */
export async function removeWatch(client: Queryable, accountId: number, watchId: number): Promise<boolean> {
  const sql = 'DELETE FROM account.watch WHERE account_id = $1 AND watch_id = $2';
  return (await client.query(sql, [accountId, watchId])).rowCount === 1;
}

/** Numbers of the watches that are to be verified, or told of a publication. */
export async function dueWatches(client: Queryable, publication: number): Promise<number[]> {
  const { rows } = await client.query<{ watch_id: number }>(
    `SELECT watch_id FROM account.watch WHERE state = 'unverified' OR (state = 'active' AND (since < $1 OR next_cursor IS NOT NULL)) ORDER BY watch_id`,
    [publication],
  );
  return rows.map(({ watch_id }) => watch_id);
}

/** A watch with what delivering takes; null: it was removed. */
export async function watchToTell(
  client: Queryable,
  watchId: number,
): Promise<(DueWatch & { ids: string[] }) | null> {
  const { rows } = await client.query<DueWatch & { ids: string[] }>(
    `SELECT ${COLUMNS}, secret, next_cursor, ARRAY(SELECT gnaf_pid FROM account.watched d WHERE d.watch_id = w.watch_id ORDER BY 1) AS ids
     FROM account.watch w WHERE watch_id = $1`,
    [watchId],
  );
  return rows[0] ?? null;
}

/** Notes how far a receiver was told, or that it is verified. */
export async function noteTold(
  client: Queryable,
  watchId: number,
  { since, next_cursor }: Pick<DueWatch, 'since' | 'next_cursor'>,
): Promise<void> {
  await client.query(
    `UPDATE account.watch SET state = 'active', since = $2, next_cursor = $3, error = NULL WHERE watch_id = $1`,
    [watchId, since, next_cursor],
  );
}

/** Notes why a receiver was not told; with `isLast` it is given up. */
export async function noteNotTold(
  client: Queryable,
  watchId: number,
  error: string,
  isLast: boolean,
): Promise<void> {
  await client.query(
    `UPDATE account.watch SET error = $2, state = CASE WHEN $3 THEN 'given_up' ELSE state END WHERE watch_id = $1`,
    [watchId, error.slice(0, 500), isLast],
  );
}
