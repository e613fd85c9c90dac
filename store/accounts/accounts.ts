import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type pg from 'pg';
import { EtlError } from '../../schema/errors.ts';
import { inTransaction } from '../transaction.ts';

/** Anything that runs a statement: a client or a pool. */
export type Queryable = Pick<pg.ClientBase, 'query'>;

/** A pool of the database with the accounts; it also lends whole sessions. */
export type SessionPool = Queryable & { connect(): Promise<pg.PoolClient> };

/** Random bytes of a key or token. */
const SECRET_BYTES = 32;
/** Characters of a key after its prefix that stay visible. */
const VISIBLE = 8;

/** Returns the stored form of a secret. */
export const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** Creates a secret of 256 random bits; `kind` is its readable prefix. */
const newSecret = (kind: 'pk' | 'sandbox' | 'token'): string =>
  `${kind}_${randomBytes(SECRET_BYTES).toString('base64url')}`;

/** Returns the part of a key that may be shown. */
const prefixOf = (key: string): string => key.slice(0, key.indexOf('_') + 1 + VISIBLE);

/** An account as its holder sees it. */
export interface Account {
  account_id: number;
  name: string;
  plan: 'prepaid' | 'sandbox';
  balance_cents: number;
  spent_cents: number;
}

const ACCOUNT = 'account_id, name, plan, balance_cents::float8, spent_cents::float8';

/** Returns the account with a name. @throws EtlError unknown_account */
export async function accountNamed(client: Queryable, name: string): Promise<Account> {
  const { rows } = await client.query<Account>(`SELECT ${ACCOUNT} FROM account.account WHERE name = $1`, [
    name,
  ]);
  if (rows[0]) return rows[0];
  throw new EtlError('unknown_account', `There is no account ${JSON.stringify(name)}.`);
}

/** Returns the account of a holder's token; undefined: none. */
export async function accountOfToken(client: Queryable, token: string): Promise<Account | undefined> {
  const { rows } = await client.query<Account>(
    `SELECT ${ACCOUNT} FROM account.account WHERE token_hash = $1`,
    [hashOf(token)],
  );
  return rows[0];
}

/** Opens an account, or finds the one with this name. The token of a new one is returned only here. */
export async function openAccount(
  client: Queryable,
  name: string,
): Promise<{ account: Account; token: string | null }> {
  const token = newSecret('token');
  const { rows } = await client.query<Account>(
    `INSERT INTO account.account (name, plan, token_hash) VALUES ($1, 'prepaid', $2)
     ON CONFLICT (name) DO NOTHING RETURNING ${ACCOUNT}`,
    [name, hashOf(token)],
  );
  const account = rows[0] ?? (await accountNamed(client, name));
  if (account.plan === 'sandbox')
    throw new EtlError('config_invalid', `The account ${name} is that of the public sandbox key.`);
  return { account, token: rows[0] ? token : null };
}

/** A key of an account, without its secret. */
export interface ApiKey {
  account: string;
  prefix: string;
  label: string;
  created_at: string;
  revoked_at: string | null;
  expires_at: string | null;
  /** Maximum cents per UTC day; null: the account's balance. */
  day_cents_max: number | null;
  /** Allowed calls (`SCOPE`); null: all. */
  scope: readonly string[] | null;
}

/** A word of a scope: `rest`, `mcp`, or a path prefix that the key may call. */
export const SCOPE = /^(rest|mcp|\/(v1|api)\/\S{0,200})$/;

/** First and last year (UTC) in which a key may expire. */
export const EXPIRY_YEARS = [2000, 9998] as const;

/** Returns whether an ISO 8601 time is allowed as the expiry of a key. */
export function isExpiry(time: string): boolean {
  const year = new Date(time).getUTCFullYear();
  return year >= EXPIRY_YEARS[0] && year <= EXPIRY_YEARS[1];
}

export type KeyLimits = Pick<ApiKey, 'expires_at' | 'day_cents_max' | 'scope'>;

/** Runs `work` in a transaction that locks the row of an account, so no concurrent request changes its counts. */
export async function withAccountLocked<T>(
  pool: SessionPool,
  accountId: number,
  work: (client: Queryable) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  try {
    return await inTransaction(client, async () => {
      await client.query('SELECT 1 FROM account.account WHERE account_id = $1 FOR UPDATE', [accountId]);
      return work(client);
    });
  } finally {
    client.release();
  }
}

/** Creates a key for an account. Its text is returned only here. */
export async function createKey(
  client: Queryable,
  accountId: number,
  label: string,
  { expires_at, day_cents_max, scope }: KeyLimits = { expires_at: null, day_cents_max: null, scope: null },
): Promise<{ key: string; prefix: string }> {
  const key = newSecret('pk');
  const prefix = prefixOf(key);
  await client.query(
    `INSERT INTO account.key (account_id, hash, prefix, label, expires_at, day_cents_max, scope)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [accountId, hashOf(key), prefix, label, expires_at, day_cents_max, scope],
  );
  return { key, prefix };
}

/** Lists the keys of one account, or of all, oldest first. */
export async function listKeys(client: Queryable, accountId: number | null): Promise<ApiKey[]> {
  type Times = Record<'created_at' | 'revoked_at' | 'expires_at', Date | null>;
  const { rows } = await client.query<Omit<ApiKey, keyof Times> & Times>(
    `SELECT a.name AS account, k.prefix, k.label, k.created_at, k.revoked_at, k.expires_at, k.day_cents_max::float8, k.scope
     FROM account.key k JOIN account.account a USING (account_id)
     WHERE $1::int IS NULL OR k.account_id = $1 ORDER BY k.key_id`,
    [accountId],
  );
  return rows.map((row) => ({
    ...row,
    created_at: row.created_at!.toISOString(),
    revoked_at: row.revoked_at?.toISOString() ?? null,
    expires_at: row.expires_at?.toISOString() ?? null,
  }));
}

/** Replaces the token of an account. The new one is returned only here. */
export async function rotateToken(client: Queryable, accountId: number): Promise<string> {
  const token = newSecret('token');
  await client.query('UPDATE account.account SET token_hash = $2 WHERE account_id = $1', [
    accountId,
    hashOf(token),
  ]);
  return token;
}

/** Returns the installation's secret for entity tags, created at the first call. */
export async function tagSecret(client: Queryable): Promise<string> {
  await client.query(
    `INSERT INTO account.meta (key, value) VALUES ('tag_secret', $1) ON CONFLICT (key) DO NOTHING`,
    [randomBytes(SECRET_BYTES).toString('base64url')],
  );
  const { rows } = await client.query<{ value: string }>(
    `SELECT value FROM account.meta WHERE key = 'tag_secret'`,
  );
  return rows[0]!.value;
}

/** Revokes a key by its visible prefix, from the next call on. @throws EtlError unknown_key */
export async function revokeKey(client: Queryable, prefix: string, accountId: number | null): Promise<void> {
  const { rowCount } = await client.query(
    `UPDATE account.key SET revoked_at = COALESCE(revoked_at, now())
     WHERE prefix = $1 AND public_text IS NULL AND ($2::int IS NULL OR account_id = $2)`,
    [prefix, accountId],
  );
  if (rowCount === 0) throw new EtlError('unknown_key', `There is no key ${JSON.stringify(prefix)}.`);
}

/** Adds credit, or corrects a mistake with an adjustment, and writes the ledger row in the same statement. Returns the new balance. */
export async function addCredit(
  client: Queryable,
  accountId: number,
  kind: 'topup' | 'adjustment',
  cents: number,
  note: string | null,
): Promise<number> {
  const { rows } = await client.query<{ balance: number }>(
    `WITH credited AS (
       UPDATE account.account SET balance_cents = balance_cents + $3
       WHERE account_id = $1 AND plan = 'prepaid' AND balance_cents + $3 >= 0 RETURNING account_id, balance_cents),
     written AS (
       INSERT INTO account.ledger (account_id, kind, cents, request_id, note)
       SELECT account_id, $2, $3, $4, $5 FROM credited)
     SELECT balance_cents::float8 AS balance FROM credited`,
    [accountId, kind, cents, randomUUID(), note],
  );
  if (rows[0]) return rows[0].balance;
  throw new EtlError('config_invalid', 'The balance would fall below zero, or the account takes no credit.');
}

/** Calls and cents of an account on one day at one endpoint. */
export interface Usage {
  day: string;
  endpoint: string;
  calls: number;
  cents: number;
}

/** Returns the charges of an account over the last days, less refunds, by day (UTC) and endpoint, newest first. */
export async function usageOf(client: Queryable, accountId: number, days: number): Promise<Usage[]> {
  const { rows } = await client.query<Usage>(
    `SELECT (at AT TIME ZONE 'UTC')::date AS day, endpoint,
       (count(*) FILTER (WHERE kind = 'charge') - count(*) FILTER (WHERE kind = 'adjustment'))::int AS calls, -sum(cents)::float8 AS cents
     FROM account.ledger
     WHERE account_id = $1 AND endpoint IS NOT NULL AND at >= now() - make_interval(days => $2)
     GROUP BY 1, 2 HAVING sum(cents) <> 0 ORDER BY 1 DESC, 4 DESC, 2`,
    [accountId, days],
  );
  return rows;
}

/** Returns the public sandbox key of the installation, created with its account at the first call. */
export async function sandboxKey(client: Queryable): Promise<string> {
  const existingKey = async (): Promise<string | undefined> => {
    const { rows } = await client.query<{ key: string }>(
      'SELECT public_text AS key FROM account.key WHERE public_text IS NOT NULL',
    );
    return rows[0]?.key;
  };
  const key = await existingKey();
  if (key !== undefined) return key;
  const secret = newSecret('sandbox');
  // If two processes start at once, one creates it and the other reads it.
  await client.query(
    `WITH opened AS (
       INSERT INTO account.account (name, plan) VALUES ('sandbox', 'sandbox') ON CONFLICT (name) DO NOTHING RETURNING account_id)
     INSERT INTO account.key (account_id, hash, prefix, label, public_text)
     SELECT account_id, $1, $2, 'public sandbox key', $3 FROM opened`,
    [hashOf(secret), prefixOf(secret), secret],
  );
  return (await existingKey())!;
}
