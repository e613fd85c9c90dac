import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setUpAccounts } from '../../../store/accounts/account_set_up.ts';
import {
  accountNamed,
  accountOfToken,
  addCredit,
  createKey,
  hashOf,
  listKeys,
  openAccount,
  revokeKey,
  sandboxKey,
  usageOf,
} from '../../../store/accounts/accounts.ts';
import { createWatch, listWatches } from '../../../store/accounts/watches.ts';
import { openPool } from '../../../store/database.ts';
import { createDatabase, type TestDatabase } from '../../database.ts';

describe('accounts', () => {
  let database: TestDatabase;
  let pool: pg.Pool;

  beforeAll(async () => {
    database = await createDatabase();
    pool = openPool(database.url, 8);
    // Two processes that start at once.
    await Promise.all(
      [1, 2].map(async () => {
        const client = new pg.Client({ connectionString: database.url });
        await client.connect();
        await setUpAccounts(client);
        await client.end();
      }),
    );
  });

  afterAll(async () => {
    await pool?.end();
    await database?.drop();
  });

  /** An account with credit and a key. */
  async function funded(name: string, cents: number): Promise<{ account_id: number; key_id: number }> {
    const { account } = await openAccount(pool, name);
    await createKey(pool, account.account_id, 'test');
    if (cents > 0) await addCredit(pool, account.account_id, 'topup', cents, null);
    const { rows } = await pool.query('SELECT key_id FROM account.key WHERE account_id = $1', [
      account.account_id,
    ]);
    return { account_id: account.account_id, key_id: rows[0].key_id };
  }

  const charge = (
    of: { account_id: number; key_id: number },
    cents: number[],
    requests = cents.map(() => randomUUID()),
  ) =>
    pool
      .query<{ place: number; outcome: string; spent: string; balance: string }>(
        'SELECT * FROM account.charge($1, $2, $3, $4, $5, $6, $7, 1) ORDER BY place',
        [
          cents.map(() => of.account_id),
          cents.map(() => of.key_id),
          cents,
          requests,
          cents.map(() => '/v1/x'),
          cents.map(() => 1),
          cents.map(() => 0),
        ],
      )
      .then(({ rows }) => rows);

  /** The ledger of an account adds up to its balance and spend. */
  async function expectBalanced(accountId: number): Promise<void> {
    const { rows } = await pool.query(
      `SELECT balance_cents = COALESCE(sum(l.cents), 0) AND spent_cents = COALESCE(-sum(l.cents) FILTER (WHERE key_id IS NOT NULL), 0) AS ok
       FROM account.account a LEFT JOIN account.ledger l USING (account_id) WHERE a.account_id = $1 GROUP BY a.account_id`,
      [accountId],
    );
    expect(rows[0].ok).toBe(true);
  }

  it('keep of a key its hash and the part that is shown', async () => {
    const { account, token } = await openAccount(pool, 'acme');
    expect((await openAccount(pool, 'acme')).token).toBeNull();
    const { key, prefix } = await createKey(pool, account.account_id, 'server');
    expect(Buffer.from(key.slice(3), 'base64url')).toHaveLength(32);
    expect(key.startsWith(prefix)).toBe(true);
    expect(await listKeys(pool, account.account_id)).toMatchObject([{ prefix, label: 'server' }]);
    const { rows } = await pool.query('SELECT hash FROM account.key WHERE prefix = $1', [prefix]);
    expect(rows[0].hash.equals(hashOf(key))).toBe(true);
    const everything = await pool.query(
      `SELECT (SELECT json_agg(k) FROM account.key k)::text || (SELECT json_agg(a) FROM account.account a)::text AS all`,
    );
    expect(everything.rows[0].all).not.toContain(key);
    expect(everything.rows[0].all).not.toContain(token);
    expect((await accountOfToken(pool, token!))?.name).toBe('acme');
    expect(await accountOfToken(pool, key)).toBeUndefined();
    await revokeKey(pool, prefix, null);
    expect((await listKeys(pool, account.account_id))[0]!.revoked_at).not.toBeNull();
    await expect(revokeKey(pool, 'pk_nothing', null)).rejects.toMatchObject({ code: 'unknown_key' });
    await expect(accountNamed(pool, 'nobody')).rejects.toMatchObject({ code: 'unknown_account' });
  });

  it('pay calls in order while the balance covers them, and never fall below zero', async () => {
    const of = await funded('ordered', 25);
    const paid = await charge(of, [10, 10, 10, 5]);
    expect(paid.map((row) => row.outcome)).toEqual(['paid', 'paid', 'short', 'paid']);
    expect(paid.map((row) => Number(row.balance))).toEqual([15, 5, 5, 0]);
    await expectBalanced(of.account_id);
    await expect(addCredit(pool, of.account_id, 'adjustment', -1, 'too much')).rejects.toMatchObject({
      code: 'config_invalid',
    });
  });

  it('pay exactly what the wallet covers however many ask at once', async () => {
    const of = await funded('crowded', 1000);
    const other = await funded('other', 100);
    const results = await Promise.all(
      Array.from({ length: 200 }, (_, i) => charge(i % 5 === 4 ? other : of, [3, 3])),
    );
    const paid = results.flat().filter((row) => row.outcome === 'paid').length;
    expect(paid).toBe(320 + 33);
    expect(results.flat().every((row) => Number(row.balance) >= 0)).toBe(true);
    const short = await funded('short', 50);
    const all = (await Promise.all(Array.from({ length: 40 }, () => charge(short, [3])))).flat();
    expect(all.filter((row) => row.outcome === 'paid')).toHaveLength(16);
    for (const { account_id } of [of, other, short]) await expectBalanced(account_id);
  });

  it('pay a request once, whoever asks again', async () => {
    const of = await funded('again', 100);
    const request = randomUUID();
    for (const outcome of ['paid', 'known', 'known'])
      expect((await charge(of, [7], [request]))[0]!.outcome).toBe(outcome);
    expect((await charge(of, [7, 7], [request, request])).every((row) => row.outcome === 'known')).toBe(true);
    expect((await accountNamed(pool, 'again')).balance_cents).toBe(93);
    expect(await usageOf(pool, of.account_id, 1)).toMatchObject([{ endpoint: '/v1/x', calls: 1, cents: 7 }]);
  });

  it('are charged by keys that hold and by the card that held when the call came, whatever the service remembers', async () => {
    const of = await funded('remembered', 100);
    const key = (await listKeys(pool, of.account_id))[0]!.prefix;
    await pool.query(
      `INSERT INTO account.rate_card VALUES (1, now() - interval '1 day', '{}'), (2, now() - interval '10 seconds', '{}'), (3, now() + interval '1 day', '{}')`,
    );
    const outcome = async (version: number, ageMs: number) =>
      (
        await pool.query(
          `SELECT outcome FROM account.charge(ARRAY[$1::int], ARRAY[$2::int], ARRAY[3], ARRAY[gen_random_uuid()], ARRAY['/v1/x'], ARRAY[$3::int], ARRAY[$4::float8], 1)`,
          [of.account_id, of.key_id, version, ageMs],
        )
      ).rows[0].outcome;
    expect(await outcome(2, 0)).toBe('paid');
    expect(await outcome(1, 5)).toBe('card');
    // It was under way when the second card took effect.
    expect(await outcome(1, 60_000)).toBe('paid');
    await revokeKey(pool, key, of.account_id);
    expect(await outcome(2, 0)).toBe('revoked');
    expect((await accountNamed(pool, 'remembered')).balance_cents).toBe(94);
    await expectBalanced(of.account_id);
  });

  it('have a ledger that gives nothing back', async () => {
    for (const sql of [
      'DELETE FROM account.ledger',
      'UPDATE account.ledger SET cents = 1',
      'TRUNCATE account.ledger',
    ])
      await expect(pool.query(sql)).rejects.toThrow(/gives none back/);
  });

  it('have one public sandbox key, which cannot be revoked or funded', async () => {
    const keys = await Promise.all(Array.from({ length: 6 }, () => sandboxKey(pool)));
    expect(new Set(keys).size).toBe(1);
    await expect(revokeKey(pool, keys[0]!.slice(0, 16), null)).rejects.toMatchObject({ code: 'unknown_key' });
    const { account_id } = await accountNamed(pool, 'sandbox');
    await expect(addCredit(pool, account_id, 'topup', 5, null)).rejects.toMatchObject({
      code: 'config_invalid',
    });
  });
});

describe('a watch', () => {
  it('has each of its properties once', async () => {
    const database = await createDatabase();
    const pool = openPool(database.url, 1);
    const client = await pool.connect();
    await client.query('CREATE SCHEMA serving');
    await setUpAccounts(client);
    client.release();
    const { account } = await openAccount(pool, 'watcher');
    const watch = { url: 'https://example.com', fields: [], since: 1, ids: ['GD', 'GC', 'GD', 'GE'] };
    expect(await createWatch(pool, account.account_id, watch)).not.toBeNull();
    const watches = await listWatches(pool, account.account_id);
    expect(watches.map(({ properties }) => properties)).toEqual([3]);
    const { rows } = await pool.query('SELECT ids FROM account.watch');
    expect(rows).toEqual([{ ids: ['GC', 'GD', 'GE'] }]);
    await pool.end();
    await database.drop();
  });
});
