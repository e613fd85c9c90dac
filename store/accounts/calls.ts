import type { Queryable } from './accounts.ts';

/** The caller: a key that is not revoked, and the current balance of its account. */
export interface Caller {
  key_id: number;
  prefix: string;
  account_id: number;
  account: string;
  plan: 'prepaid' | 'sandbox';
  /** Allowed calls of the key: 'rest', 'mcp' and prefixes of paths; null: all. */
  scope: readonly string[] | null;
  balance_cents: number;
  spent_cents: number;
}

/** Facts needed before a call: the caller (null: unknown key) and the rate card in effect. */
export interface CallContext {
  caller: Caller | null;
  version: number | null;
}

/** Returns the holders of keys, by key hash. */
export async function callersOf(client: Queryable, hashes: readonly Buffer[]): Promise<CallContext[]> {
  const { rows } = await client.query<
    Caller & Omit<CallContext, 'caller'> & { place: number; known: boolean }
  >({
    name: 'callers',
    text: `SELECT h.place::int AS place, a.account_id IS NOT NULL AS known, k.key_id, k.prefix, k.scope, a.account_id, a.name AS account, a.plan,
             a.balance_cents::float8 AS balance_cents, a.spent_cents::float8 AS spent_cents,
             (SELECT max(version) FROM account.rate_card WHERE effective_at <= now()) AS version
           FROM unnest($1::bytea[]) WITH ORDINALITY AS h (hash, place)
           LEFT JOIN account.key k ON k.hash = h.hash AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
           LEFT JOIN account.account a ON a.account_id = k.account_id
           ORDER BY h.place`,
    values: [hashes],
  });
  return rows.map(({ place: _place, known, version, ...caller }) => ({
    caller: known ? caller : null,
    version,
  }));
}

export interface Charge {
  account_id: number;
  key_id: number;
  cents: number;
  request_id: string;
  endpoint: string;
  version: number;
  /** Time of its arrival, by `performance.now()`. */
  started: number;
}

/** The result of `account.charge`, with spend and balance after it. */
export interface Charged {
  outcome: 'paid' | 'known' | 'short' | 'revoked' | 'card' | 'capped' | 'returned';
  spent_cents: number;
  balance_cents: number;
}

/**
 * Debits calls and writes their ledger rows in one statement; repeats charge nothing. Until `sender` reports that an answer has been sent
 * (unsent.ts), its charge is refunded when that process ends.
 */
export async function chargeCalls(
  client: Queryable,
  calls: readonly Charge[],
  sender: number,
): Promise<Charged[]> {
  const column = <K extends keyof Charge>(name: K) => calls.map((call) => call[name]);
  const now = performance.now();
  const { rows } = await client.query<Charged>({
    name: 'charge',
    text: `SELECT outcome, spent::float8 AS spent_cents, balance::float8 AS balance_cents
           FROM account.charge($1::int[], $2::int[], $3::int[], $4::uuid[], $5::text[], $6::int[], $7::float8[], $8::int) ORDER BY place`,
    values: [
      column('account_id'),
      column('key_id'),
      column('cents'),
      column('request_id'),
      column('endpoint'),
      column('version'),
      calls.map(({ started }) => now - started),
      sender,
    ],
  });
  return rows;
}

/** Returns whether a request is charged, and not refunded. */
export async function isCharged(client: Queryable, requestId: string): Promise<boolean> {
  const { rows } = await client.query<{ is_charged: boolean }>(
    `SELECT count(*) FILTER (WHERE kind = 'charge') > count(*) FILTER (WHERE kind = 'adjustment') AS is_charged
     FROM account.ledger WHERE request_id = $1`,
    [requestId],
  );
  return rows[0]!.is_charged;
}

/**
 * Refunds charges of calls whose answers were not sent (`account.refund`); with `sender`, only charges of that process. Returns their
 * number.
 */
export async function refundCharges(
  client: Queryable,
  requestIds: readonly string[],
  sender: number | null = null,
): Promise<number> {
  const { rows } = await client.query<{ refunded: number }>(
    'SELECT account.refund($1::uuid[], $2) AS refunded',
    [requestIds, sender],
  );
  return rows[0]!.refunded;
}
