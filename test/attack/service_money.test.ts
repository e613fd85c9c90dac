import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Service } from '../../service/server.ts';
import { createKey } from '../../store/accounts/accounts.ts';
import { refundCharges } from '../../store/accounts/calls.ts';
import { openPool } from '../../store/database.ts';
import { grantReader } from '../../store/reader_role.ts';
import { type Scene, setScene } from '../service/scene.ts';
import { PATIENT } from '../waiting.ts';

const FAST = ['service.rate_per_s=100000', 'service.rate_burst=100000'];
const bearer = (by: string): Record<string, string> => ({ authorization: `Bearer ${by}` });
const json = { 'content-type': 'application/json' };
const LINES = { accept: 'application/x-ndjson' };

describe('attempts to read without paying, or to spend the balance of others', () => {
  let scene: Scene;
  let service: Service;

  beforeAll(async () => {
    scene = await setScene();
    service = await scene.start(FAST);
  });
  afterAll(() => scene?.close());

  const get = (path: string, by: string, headers: Record<string, string> = {}) =>
    fetch(service.base_url + path, { headers: { ...bearer(by), ...headers } });
  const batch = (by: string, headers: Record<string, string> = {}) =>
    fetch(`${service.base_url}/v1/batch`, {
      method: 'POST',
      headers: { ...bearer(by), ...json, ...headers },
      body: JSON.stringify({ ids: [scene.pid], endpoints: ['profile'] }),
    });
  const tool = (by: string, headers: Record<string, string> = {}, accept = '*/*') =>
    fetch(service.mcp_url, {
      method: 'POST',
      headers: { ...bearer(by), ...json, accept, ...headers },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'batch', arguments: { ids: [scene.pid], endpoints: ['profile'] } },
      }),
    });
  const costOf = (response: Response): number => Number(response.headers.get('x-cost-cents'));
  const path = () => `/v1/properties/${scene.pid}/profile`;

  it('a tool call counts as sent once its result is written: nothing of it is refunded later', async () => {
    const { key, account_id } = await scene.funded('tools', 10_000);
    for (let i = 0; i < 8; i++) {
      const text = await (await tool(key)).text();
      expect(text).toContain('structuredContent');
    }
    await vi.waitFor(
      async () => expect(await scene.database.query('SELECT 1 FROM account.unsent')).toEqual([]),
      PATIENT,
    );
    const wallet = await scene.wallet(account_id);
    expect(wallet).toMatchObject({ calls: 8, adds_up: true });
    expect(wallet.spent).toBeGreaterThan(0);
  });

  it('a client that accepts every type, or names none, gets the tools', async () => {
    const { key } = await scene.funded('any_type', 1000);
    for (const accept of ['*/*', 'text/html, */*;q=0.1', 'application/json, text/event-stream'])
      expect([accept, (await tool(key, {}, accept)).status]).toEqual([accept, 200]);
  });

  it('a refund restores balance, spend and the daily limit of the key', async () => {
    const { key: _unlimited, account_id } = await scene.funded('capped', 1000);
    const pool = openPool(scene.database.url, 1);
    const { key } = await createKey(pool, account_id, 'limited', {
      expires_at: null,
      day_cents_max: 100,
      scope: null,
    });
    const price = costOf(await get(path(), key));
    const calls = Math.floor(100 / price);
    for (let round = 0; round < 3; round++) {
      const ids: string[] = [];
      for (let i = round === 0 ? 1 : 0; i < calls; i++) {
        const response = await get(path(), key);
        expect(response.status, `round ${round}, call ${i}`).toBe(200);
        ids.push(response.headers.get('x-request-id')!);
        await response.arrayBuffer();
      }
      expect((await get(path(), key)).status).toBe(402);
      const { rows } = await pool.query<{ id: string }>(
        `SELECT request_id AS id FROM account.ledger l WHERE account_id = $1 AND kind = 'charge'
           AND NOT EXISTS (SELECT 1 FROM account.ledger a WHERE a.request_id = l.request_id AND a.kind = 'adjustment')`,
        [account_id],
      );
      const charged = rows.map(({ id }) => id);
      expect(await refundCharges(pool, charged)).toBe(calls);
      // A second refund of the same charges gives nothing.
      expect(await refundCharges(pool, charged)).toBe(0);
      expect(await scene.wallet(account_id)).toMatchObject({ balance: 1000, spent: 0, adds_up: true });
    }
    await pool.end();
  });

  it('a repeat gets the format that it asks for, or is refused, over REST and MCP', async () => {
    const { key, account_id } = await scene.funded('formats', 1000);
    const again = { 'idempotency-key': 'lines' };
    const first = await batch(key, { ...again, ...LINES });
    expect(first.status).toBe(200);
    const text = await first.text();
    const replay = await batch(key, { ...again, ...LINES });
    expect([await replay.text(), costOf(replay), replay.headers.get('content-type')]).toEqual([
      text,
      0,
      first.headers.get('content-type'),
    ]);
    expect((await batch(key, again)).status).toBe(422);
    const overMcp = await tool(key, again);
    expect(overMcp.status).toBe(200);
    expect(await overMcp.text()).toContain('already used for another call');
    // Kept as JSON, a call is answered again over MCP.
    expect((await batch(key, { 'idempotency-key': 'json' })).status).toBe(200);
    expect(await (await tool(key, { 'idempotency-key': 'json' })).text()).toContain('structuredContent');
    expect((await scene.wallet(account_id)).calls).toBe(2);
  });

  it('reports a cost for only one of 20 concurrent repeats', async () => {
    const { key, account_id } = await scene.funded('at_once', 10_000);
    for (const ask of [
      () => get(path(), key, { 'idempotency-key': 'point' }),
      () => get(`/v1/properties/${scene.pid}/all`, key, { 'idempotency-key': 'bundle' }),
    ]) {
      const before = await scene.wallet(account_id);
      const responses = await Promise.all(Array.from({ length: 20 }, ask));
      expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200));
      const reported = responses.reduce((sum, response) => sum + costOf(response), 0);
      const { spent, adds_up } = await scene.wallet(account_id);
      expect(adds_up).toBe(true);
      expect(reported).toBe(spent - before.spent);
      expect(responses.filter((response) => costOf(response) > 0)).toHaveLength(1);
      for (const response of responses)
        expect(response.headers.get('idempotent-replayed') === 'true').toBe(costOf(response) === 0);
    }
  });

  it('changes contain no values', async () => {
    const { key } = await scene.funded('changes', 100);
    const text = await (await get('/v1/changes?since=1', key)).text();
    expect(text).not.toMatch(/"(before|after|key)"/);
  });

  it('limits of watches and keys hold against concurrent requests', async () => {
    const { key, account_id, token } = await scene.funded('crowd', 100);
    const hook = { url: 'https://example.org/hook', ids: [scene.pid] };
    const send = (to: string, by: string, body: object) =>
      fetch(service.base_url + to, {
        method: 'POST',
        headers: { ...bearer(by), ...json },
        body: JSON.stringify(body),
      }).then(({ status }) => status);
    const watches = await Promise.all(Array.from({ length: 130 }, () => send('/v1/watches', key, hook)));
    expect([201, 409].map((status) => watches.filter((each) => each === status).length)).toEqual([100, 30]);
    const keys = await Promise.all(
      Array.from({ length: 60 }, (_, i) => send('/portal/keys', token, { label: `k${i}` })),
    );
    expect([201, 409].map((status) => keys.filter((each) => each === status).length)).toEqual([49, 11]);
    const [counted] = await scene.database.query<{ watches: number; keys: number }>(
      `SELECT (SELECT count(*)::int FROM account.watch WHERE account_id = ${account_id}) AS watches,
         (SELECT count(*)::int FROM account.key WHERE account_id = ${account_id}) AS keys`,
    );
    expect(counted).toEqual({ watches: 100, keys: 50 });
  });

  it('a key must expire in a valid year', async () => {
    const { token } = await scene.funded('ages', 100);
    for (const [expires_at, status] of [
      ['0000-01-01T00:00:00Z', 422],
      ['0001-01-01T00:00:00Z', 422],
      ['9999-12-31T23:59:59-12:00', 422],
      ['2030-01-01T00:00:00+11:00', 201],
    ] as const) {
      const response = await fetch(`${service.base_url}/portal/keys`, {
        method: 'POST',
        headers: { ...bearer(token), ...json },
        body: JSON.stringify({ label: 'age', expires_at }),
      });
      expect([expires_at, response.status]).toEqual([expires_at, status]);
    }
  });

  it('denies writes to readers of the tables, and ignores their advisory locks', async () => {
    // Privileges of a database are not copied with it: it is set up as a refresh does.
    const owner = openPool(scene.database.url, 1);
    const client = await owner.connect();
    await client.query('BEGIN');
    await grantReader(client, { role: 'api_reader', statement_timeout_s: 60, idle_timeout_s: 60 });
    await client.query('COMMIT');
    client.release();
    await owner.end();
    const reader = openPool(scene.database.url, 1, { settings: ['role=api_reader'] });
    for (const sql of [
      'CREATE TEMPORARY TABLE t (n int)',
      'SELECT lo_create(0)',
      `SELECT lo_from_bytea(0, 'x')`,
      'CREATE TABLE serving.t (n int)',
      'SELECT * FROM account.account',
    ])
      await expect(reader.query(sql), sql).rejects.toMatchObject({ code: '42501' });
    // Advisory locks are of nobody: with all that a process of the service once took, a dead one is still seen as dead.
    const [{ holder }] = (await scene.database.query<{ holder: number }>(
      'SELECT max(holder) AS holder FROM account.sender',
    )) as [{ holder: number }];
    await reader.query(`SELECT pg_advisory_lock(7695987, ${holder}), pg_advisory_lock(7695987, 77)`);
    const { key, account_id } = await scene.funded('dead', 100);
    const response = await get(path(), key);
    await response.arrayBuffer();
    await vi.waitFor(
      async () => expect(await scene.database.query('SELECT 1 FROM account.unsent')).toEqual([]),
      PATIENT,
    );
    await scene.database.query(
      `INSERT INTO account.unsent VALUES ('${response.headers.get('x-request-id')}', 77)`,
    );
    await vi.waitFor(
      async () => expect(await scene.wallet(account_id)).toMatchObject({ balance: 100, spent: 0 }),
      PATIENT,
    );
    await reader.end();
  });
});
