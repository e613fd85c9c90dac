import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { OPERATIONS } from '../../service/answers/operations.ts';
import type { Service } from '../../service/server.ts';
import { addCredit } from '../../store/accounts/accounts.ts';
import { addRateCard } from '../../store/accounts/rate_cards.ts';
import { openPool } from '../../store/database.ts';
import { OPEN_GATES, refreshSample } from '../pipelines/sample_run.ts';
import { PATIENT } from '../waiting.ts';
import { type Scene, setScene } from './scene.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });

describe('the service over real sockets', () => {
  let scene: Scene;
  let service: Service;
  let key: string;

  beforeAll(async () => {
    scene = await setScene();
    service = await scene.start(['service.rate_per_s=100000', 'service.rate_burst=100000']);
    key = (await scene.funded('main', 100_000)).key;
  });
  afterAll(() => scene?.close());

  const get = (path: string, headers: Record<string, string> = bearer(key), of = service) =>
    fetch(of.base_url + path, { headers });
  const post = (path: string, body: unknown, headers = bearer(key)) =>
    fetch(service.base_url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const detailOf = async (response: Response) =>
    ((await response.json()) as { detail: { type: string }[] & { type: string } }).detail;
  const property = (path: string) => `/v1/properties/${scene.pid}/${path}`;

  it('answers ping without a key, by GET and HEAD, with the four headers and no others of the bill', async () => {
    for (const method of ['GET', 'HEAD']) {
      const response = await fetch(`${service.base_url}/v1/ping`, { method });
      expect(response.status).toBe(200);
      expect(response.headers.get('x-cost-cents')).toBe('0');
      expect(response.headers.get('x-period-end')).toMatch(/^\d{4}-\d\d-01T00:00:00Z$/);
      expect(response.headers.get('x-rate-card-version')).toBe('1');
      expect(response.headers.get('x-request-id')).toMatch(UUID);
      expect(response.headers.has('x-remaining-cents')).toBe(false);
    }
  });

  it('tells a caller its account and its balance', async () => {
    const { key: own, account_id } = await scene.funded('me', 50);
    const response = await get('/v1/me', bearer(own));
    expect(await response.json()).toMatchObject({
      account: 'me',
      plan: 'prepaid',
      sandbox: false,
      spent_cents: 0,
      remaining_cents: 50,
      rate_card_version: 1,
      rate_limit: { per_s: 100_000 },
    });
    expect(response.headers.has('x-remaining-cents')).toBe(false);
    expect((await scene.wallet(account_id)).calls).toBe(0);
  });

  it('charges what the card says, tells it in the headers, and writes it in the ledger', async () => {
    const { key: own, account_id } = await scene.funded('charged', 10);
    const response = await get(property('profile'), bearer(own));
    expect(response.status).toBe(200);
    expect(((await response.json()) as { data: { state: string } }).data.state.length).toBeGreaterThan(1);
    const headers = Object.fromEntries(response.headers);
    expect(headers).toMatchObject({
      'x-cost-cents': '3',
      'x-spent-cents': '3',
      'x-remaining-cents': '7',
      'x-balance-cents': '7',
      'x-rate-card-version': '1',
      'x-publication': '1',
    });
    const [row] = await scene.database.query<{ request_id: string; cents: number; endpoint: string }>(
      `SELECT request_id, cents::int AS cents, endpoint FROM account.ledger WHERE account_id = $1 AND kind = 'charge'`,
      [account_id],
    );
    expect(row).toEqual({
      request_id: headers['x-request-id'],
      cents: -3,
      endpoint: '/v1/properties/{gnaf_id}/profile',
    });
    expect(await scene.wallet(account_id)).toMatchObject({ balance: 7, spent: 3, adds_up: true });
  });

  it('charges nothing for an unknown id, missing coverage or an invalid call, and the price for none_found', async () => {
    const { key: own, account_id } = await scene.funded('free', 1000);
    const costs = async (path: string) => {
      const response = await get(path, bearer(own));
      const body = (await response.json()) as { data?: unknown; no_data?: string; reason?: string };
      return { status: response.status, cost: Number(response.headers.get('x-cost-cents')), body };
    };
    const unknown = await costs('/v1/properties/GANOWHERE/profile');
    expect(unknown).toMatchObject({
      status: 200,
      cost: 0,
      body: { data: null, available: false, reason: 'no_profile_for_GANOWHERE', no_data: 'unknown_property' },
    });
    expect(await costs(property('valuation/avm'))).toMatchObject({
      cost: 0,
      body: { no_data: 'not_covered' },
    });
    expect(await costs('/v1/suburbs/Nowhere/profile')).toMatchObject({ cost: 0 });
    expect(await costs(property('amenities/nearby?radius_m=9'))).toMatchObject({ status: 422, cost: 0 });
    expect(await costs('/v1/suburbs/list')).toMatchObject({ status: 200, cost: 0 });
    const [shared] = await scene.database.query<{ pid: string }>(
      `SELECT gnaf_pid AS pid FROM serving.property WHERE land_area_reason = 'unit_on_shared_parcel' LIMIT 1`,
    );
    if (shared)
      expect(await costs(`/v1/properties/${shared.pid}/basics/land-area-sqm`)).toMatchObject({
        cost: 3,
        body: { no_data: 'none_found' },
      });
    expect(await scene.wallet(account_id)).toMatchObject({ adds_up: true, spent: shared ? 3 : 0 });
  });

  it('checks in the order 401, 429, 422, 403, 402', async () => {
    const wrong = property('amenities/nearby?radius_m=9');
    const none = await get(wrong, {});
    expect(none.status).toBe(401);
    expect(none.headers.get('www-authenticate')).toBe('Bearer');
    expect((await detailOf(none)).type).toBe('missing_key');
    const unknown = await get(wrong, bearer('pk_nobody'));
    expect(unknown.status).toBe(401);
    expect((await detailOf(unknown)).type).toBe('unknown_key');
    // Sandbox and outside its samples, and wrong: 422 comes first.
    expect((await get(wrong, bearer(service.sandbox_key))).status).toBe(422);
    expect((await get(property('profile'), bearer(service.sandbox_key))).status).toBe(403);
    const { key: poor } = await scene.funded('poor', 2);
    expect((await get(wrong, bearer(poor))).status).toBe(422);
    const refused = await get(property('profile'), bearer(poor));
    expect(refused.status).toBe(402);
    expect(await detailOf(refused)).toMatchObject({
      type: 'insufficient_credit',
      price_cents: 3,
      remaining_cents: 2,
    });
    const slow = await scene.start(['service.rate_per_s=0.5', 'service.rate_burst=2']);
    const { key: eager } = await scene.funded('eager', 100);
    const statuses = [];
    for (let i = 0; i < 4; i++) statuses.push((await get(wrong, bearer(eager), slow)).status);
    expect(statuses).toEqual([422, 422, 429, 429]);
    const late = await get(wrong, bearer(eager), slow);
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect((await detailOf(late)).type).toBe('rate_limited');
  });

  it('answers the sandbox key for its samples only, free of charge', async () => {
    const sandbox = bearer(service.sandbox_key);
    const samples = (await (await get('/api/sandbox_sample', sandbox)).json()) as {
      state: string;
      sal: string;
      gnaf_pid: string;
    }[];
    expect(samples.length).toBeGreaterThan(3);
    for (const { gnaf_pid, sal } of samples) {
      const ok = await get(`/v1/properties/${gnaf_pid}/profile`, sandbox);
      expect([ok.status, ok.headers.get('x-cost-cents')]).toEqual([200, '0']);
      expect((await get(`/v1/suburbs/${encodeURIComponent(sal)}/profile`, sandbox)).status).toBe(200);
      expect((await get(`/api/property/neighbours?id=${gnaf_pid}`, sandbox)).status).toBe(200);
      expect((await get(`/api/property_finder?suburbs=${encodeURIComponent(sal)}`, sandbox)).status).toBe(
        200,
      );
    }
    const { gnaf_pid, sal } = samples[0]!;
    for (const path of [
      property('profile'),
      `/v1/suburbs/${encodeURIComponent(scene.sal)}/profile`,
      `/v1/suburbs/${encodeURIComponent(sal)}/profile?level=SA2`,
      `/api/property/neighbours?id=${scene.pid}`,
      `/api/property_finder?suburbs=${encodeURIComponent(scene.sal)}`,
      `/api/property_finder?suburbs=${encodeURIComponent(sal)}&neighbors=true`,
      '/api/property_finder?regions=VIC',
    ]) {
      const response = await get(path, sandbox);
      expect(response.status, path).toBe(403);
      expect((await detailOf(response)).type).toBe('outside_sandbox');
    }
    const [address] = await scene.database.query<{ mine: string; other: string }>(
      `SELECT (SELECT address FROM serving.property WHERE gnaf_pid = $1) AS mine, (SELECT address FROM serving.property WHERE gnaf_pid = $2) AS other`,
      [gnaf_pid, scene.pid],
    );
    const asked = (text: string) => post('/v1/property', { address: text }, sandbox);
    expect((await asked(address!.other)).status).toBe(403);
    expect((await asked(address!.mine)).status).toBe(200);
  });

  it('keeps the samples of the sandbox through publications', async () => {
    const [before] = await scene.database.query<{ n: string }>(
      `SELECT string_agg(state || gnaf_pid || sal, ',' ORDER BY state) AS n FROM account.sandbox_sample`,
    );
    await scene.database.query(
      `UPDATE serving.sandbox_sample SET gnaf_pid = $1 WHERE state = (SELECT min(state) FROM serving.sandbox_sample)`,
      [scene.pid],
    );
    const other = await scene.start();
    await get('/v1/suburbs/list', bearer(other.sandbox_key), other);
    expect((await get(property('profile'), bearer(other.sandbox_key), other)).status).toBe(403);
    const [after] = await scene.database.query<{ n: string }>(
      `SELECT string_agg(state || gnaf_pid || sal, ',' ORDER BY state) AS n FROM account.sandbox_sample`,
    );
    expect(after).toEqual(before);
  });

  it('answers by POST and GET where both are named, and takes a body that is JSON', async () => {
    const query = { suburbs: scene.sal, limit: 3 };
    const posted = await post('/api/property_finder', query);
    const got = await get(`/api/property_finder?suburbs=${encodeURIComponent(scene.sal)}&limit=3`);
    const bodies = (await Promise.all([posted.json(), got.json()])) as Record<string, unknown>[];
    for (const body of bodies) delete body.execution_time;
    expect(bodies[0]).toEqual(bodies[1]);
    const matched = await post('/v1/property', { id: scene.pid });
    expect(await matched.json()).toMatchObject({ data: { status: 'matched', gnaf_pid: scene.pid } });
    const all = await get(property('all'));
    expect(matched.headers.get('x-cost-cents')).toBe(all.headers.get('x-cost-cents'));
    const unmatched = await post('/v1/property', { id: 'GANOWHERE' });
    expect(await unmatched.json()).toMatchObject({ data: null, available: false });
    expect(unmatched.headers.get('x-cost-cents')).toBe('0');
    const broken = await post('/api/avm', '{broken');
    expect(broken.status).toBe(422);
    expect((await detailOf(broken))[0]).toMatchObject({ type: 'json_invalid', loc: ['body'] });
    expect((await detailOf(await post('/api/avm', {})))[0]).toMatchObject({
      type: 'missing',
      loc: ['body', 'id'],
      input: null,
    });
    expect((await post('/api/avm', '[]')).status).toBe(422);
    expect((await post('/api/avm', JSON.stringify({ id: 'x'.repeat(100_000) }))).status).toBe(413);
  });

  it('answers 304 free of charge if the tag of the caller is current', async () => {
    const first = await get(property('profile'));
    const etag = first.headers.get('etag')!;
    expect(etag).toMatch(/^"[\w-]{43}"$/);
    const second = await get(property('profile'), { ...bearer(key), 'if-none-match': `"x", ${etag}` });
    expect(second.status).toBe(304);
    expect(second.headers.get('x-cost-cents')).toBe('0');
    expect(second.headers.get('x-request-id')).toMatch(UUID);
    expect(await second.text()).toBe('');
    expect((await get(property('profile'), { ...bearer(key), 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('applies a new rate card at its time, without a restart', async () => {
    const pool = openPool(scene.database.url, 1);
    const cost = async () => {
      const response = await get(property('profile'));
      return [response.headers.get('x-cost-cents'), response.headers.get('x-rate-card-version')];
    };
    const path = '/v1/properties/{gnaf_id}/profile';
    expect(await cost()).toEqual(['3', '1']);
    await addRateCard(pool, { [path]: 4 }, null);
    expect(await cost()).toEqual(['4', '2']);
    await addRateCard(pool, { [path]: 9 }, new Date(Date.now() + 3_600_000).toISOString());
    expect(await cost()).toEqual(['4', '2']);
    await addRateCard(pool, { [path]: 3 }, null).catch(() => undefined);
    await pool.end();
  });

  it('caches a caller for at most a second, and checks balance and revocation at every call', async () => {
    const [{ price }] = (await scene.database.query<{ price: number }>(
      `SELECT (prices->>'/v1/properties/{gnaf_id}/profile')::int AS price FROM account.rate_card WHERE effective_at <= now() ORDER BY version DESC LIMIT 1`,
    )) as [{ price: number }];
    const { key: own, account_id } = await scene.funded('remembered', 5 * price);
    const status = async (path = property('profile')) => (await get(path, bearer(own))).status;
    expect([await status(), await status()]).toEqual([200, 200]);
    const pool = openPool(scene.database.url, 1);
    await addCredit(pool, account_id, 'adjustment', -3 * price, 'elsewhere');
    // The service still remembers a balance that covers the call; the ledger decides.
    expect([await status(), await status()]).toEqual([402, 402]);
    await addCredit(pool, account_id, 'topup', 2 * price, null);
    expect([await status(), await status(), await status()]).toEqual([200, 200, 402]);
    await addCredit(pool, account_id, 'topup', 60, null);
    expect(await status()).toBe(200);
    const { calls } = await scene.wallet(account_id);
    await pool.query('UPDATE account.key SET revoked_at = now() WHERE account_id = $1', [account_id]);
    expect([await status(), await status('/v1/me')]).toEqual([401, 401]);
    await vi.waitFor(async () => expect(await status('/v1/suburbs/list')).toBe(401), PATIENT);
    await pool.end();
    expect(await scene.wallet(account_id)).toMatchObject({ calls, adds_up: true });
  });

  it('does not start if an operation has no price', async () => {
    const copy = await scene.database.copy();
    const pool = openPool(copy.url, 1);
    await pool.query(
      `INSERT INTO account.rate_card (version, effective_at, prices) SELECT max(version) + 1, now(), '{}' FROM account.rate_card`,
    );
    await pool.end();
    const { loadConfig } = await import('../../cli/load_config.ts');
    const { startService } = await import('../../service/server.ts');
    const { config } = await loadConfig({ set: ['service.port=0'] }, {});
    await expect(startService(copy.url, config)).rejects.toMatchObject({ code: 'rate_card_incomplete' });
    await copy.drop();
  });

  it('pays exactly what a wallet covers, with 64 callers on two services', async () => {
    const other = await scene.start(['service.rate_per_s=100000', 'service.rate_burst=100000']);
    const { key: own, account_id } = await scene.funded('exact', 3 * 200);
    const statuses = new Map<number, number>();
    let left = 400;
    await Promise.all(
      Array.from({ length: 64 }, async (_, i) => {
        while (left-- > 0) {
          const response = await get(property('profile'), bearer(own), i % 2 ? other : service);
          await response.arrayBuffer();
          statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
        }
      }),
    );
    const price = (await (await get('/v1/me', bearer(own))).json()) as { spent_cents: number };
    const wallet = await scene.wallet(account_id);
    expect(wallet.adds_up).toBe(true);
    expect(statuses.get(200)).toBe(wallet.calls);
    expect(price.spent_cents).toBe(wallet.spent);
    expect(statuses.get(402)).toBe(400 - wallet.calls);
    expect(wallet.balance).toBeLessThan(4);
  });

  it('sends an id with every response, refusals included', async () => {
    const raw = (text: string, url = service.base_url) =>
      new Promise<string>((resolve, reject) => {
        const socket = connect(Number(new URL(url).port), '127.0.0.1');
        let got = '';
        socket.on('data', (chunk) => {
          got += chunk;
        });
        socket.on('close', () => resolve(got)).on('error', reject);
        socket.write(text);
      });
    for (const path of ['/nothing', '/v1/properties/x', '/v1/suburbs/list/x']) {
      const response = await get(path);
      expect([response.status, (await detailOf(response)).type]).toEqual([404, 'not_found']);
      expect(response.headers.get('x-request-id')).toMatch(UUID);
    }
    for (const [method, path, allow] of [
      ['DELETE', '/v1/me', 'GET'],
      ['POST', '/v1/ping', 'GET, HEAD'],
      ['GET', '/v1/property', 'POST'],
      ['PUT', '/api/property_finder', 'GET, POST'],
      ['POST', property('profile'), 'GET'],
    ]) {
      const response = await fetch(service.base_url + path, { method });
      expect([response.status, response.headers.get('allow')], `${method} ${path}`).toEqual([405, allow]);
      expect(response.headers.get('x-request-id')).toMatch(UUID);
      expect((await detailOf(response)).type).toBe('method_not_allowed');
    }
    const garbage = await raw('GARBAGE\r\n\r\n');
    expect(garbage).toMatch(/^HTTP\/1.1 400 /);
    expect(garbage).toMatch(/x-request-id: [0-9a-f-]{36}/);
    const huge = await raw(`GET /v1/ping HTTP/1.1\r\nHost: x\r\nX-Huge: ${'x'.repeat(20_000)}\r\n\r\n`);
    expect(huge).toMatch(/^HTTP\/1.1 431 [\s\S]*x-request-id: /);
    const tight = await scene.start(['service.connections_max=1', 'service.request_timeout_s=1']);
    const held = connect(Number(new URL(tight.base_url).port), '127.0.0.1');
    await new Promise((resolve) => held.once('connect', resolve));
    const turned = await raw('GET /v1/ping HTTP/1.1\r\nHost: x\r\n\r\n', tight.base_url);
    expect(turned).toMatch(/^HTTP\/1.1 503 [\s\S]*x-request-id: [0-9a-f-]{36}[\s\S]*retry-after: 1/);
    held.destroy();
  });

  it('completes running calls when it closes, and accepts no others', async () => {
    const closing = await scene.start(['service.rate_per_s=100000', 'service.rate_burst=100000']);
    const { key: own, account_id } = await scene.funded('draining', 100_000);
    const calls = Array.from({ length: 40 }, () =>
      get(property('profile'), bearer(own), closing).then(
        async (response) => {
          await response.arrayBuffer();
          return response.status;
        },
        () => 0,
      ),
    );
    await new Promise((resolve) => setTimeout(resolve, 15));
    await closing.close();
    const statuses = await Promise.all(calls);
    expect(statuses.filter((status) => ![0, 200, 503].includes(status))).toEqual([]);
    const wallet = await scene.wallet(account_id);
    expect(statuses.filter((status) => status === 200)).toHaveLength(wallet.calls);
  });

  it('answers probes and metrics, and logs calls without keys', async () => {
    const records: object[] = [];
    const token = '0123456789abcdef0123456789abcdef';
    const logged = await scene.start([`ops.token=${token}`], { onAccess: (record) => records.push(record) });
    await get(property('profile'), bearer(key), logged);
    await get('/nothing?token=secret', bearer(key), logged);
    expect((await get('/readyz', {}, logged)).status).toBe(200);
    expect((await get('/healthz', {}, logged)).status).toBe(200);
    const metrics = await (await get('/metrics', bearer(token), logged)).text();
    expect(metrics).toContain('service_calls_total{route="/v1/properties/{gnaf_id}/profile",status="200"} 1');
    expect(metrics).toMatch(/service_refusals_total\{status="404",type="not_found"\} 1/);
    await vi.waitFor(() => expect(records.length).toBeGreaterThan(3), PATIENT);
    const text = JSON.stringify(records);
    expect(records[0]).toMatchObject({
      route: '/v1/properties/{gnaf_id}/profile',
      status: 200,
      publication: 1,
    });
    for (const secret of [key, scene.pid, 'secret', '127.0.0.1']) expect(text).not.toContain(secret);
  });

  it('reads only as the role of the API, and does not start without it', async () => {
    const role = `reader_${Date.now()}`;
    await expect(scene.start([`database.api_role=${role}`])).rejects.toMatchObject({ code: 'role_missing' });
    await scene.database.query(`CREATE ROLE ${role}`);
    await scene.database.query(`GRANT USAGE ON SCHEMA serving TO ${role}`);
    await scene.database.query(`GRANT SELECT ON ALL TABLES IN SCHEMA serving TO ${role}`);
    const least = await scene.start([`database.api_role=${role}`]);
    expect((await get(property('profile'), bearer(key), least)).status).toBe(200);
    // What the role may not read, the service cannot: it has no other way to the tables.
    await scene.database.query(`REVOKE SELECT ON serving.property_profile FROM ${role}`);
    expect((await get(property('profile'), bearer(key), least)).status).toBe(500);
    await least.close();
    await scene.database.query(`DROP OWNED BY ${role}`);
    await scene.database.query(`DROP ROLE ${role}`);
  });

  it('is ready while it answers, and reports the state of the pipeline separately', async () => {
    const stale = await scene.start([], {
      pipeline: async () => ({ status: 'failing', reasons: ['Run 7 refused.'] }),
    });
    const ready = await get('/readyz', {}, stale);
    expect([ready.status, await ready.json()]).toEqual([
      200,
      { status: 'ready', publication: 1, reasons: [] },
    ]);
    const health = await get('/healthz', {}, stale);
    expect([health.status, await health.json()]).toEqual([
      200,
      { status: 'ok', pipeline: { status: 'failing', reasons: ['Run 7 refused.'] } },
    ]);
  });

  it('lets pages of listed origins call it, and no others', async () => {
    const open = await scene.start(['service.cors_origins=["https://a.example"]']);
    const from = (origin: string) =>
      fetch(`${open.base_url}/v1/ping`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'GET' },
      });
    const yes = await from('https://a.example');
    expect([yes.status, yes.headers.get('access-control-allow-origin')]).toEqual([204, 'https://a.example']);
    expect((await from('https://b.example')).headers.has('access-control-allow-origin')).toBe(false);
  });

  it('answers as of an earlier publication, and leaves accounts alone through refresh and rollback', async () => {
    const wallets = () =>
      scene.database.query(
        `SELECT (SELECT count(*) FROM account.ledger) AS ledger, (SELECT sum(balance_cents) FROM account.account) AS balance,
           (SELECT count(*) FROM account.key) AS keys, (SELECT count(*) FROM account.rate_card) AS cards`,
      );
    const [poor, rich] = [await scene.funded('no_past', 0), await scene.funded('past', 1)];
    const before = await wallets();
    expect(
      (await refreshSample(scene.database, scene.dir, [...OPEN_GATES, 'neighbours.min_shared_m=50'])).state,
    ).toBe('published');
    const pool = openPool(scene.database.url, 1);
    const client = await pool.connect();
    try {
      expect((await get(property('profile'))).headers.get('x-publication')).toBe('2');
      const earlier = await get(property('profile?as_of=1'));
      expect(earlier.headers.get('x-publication')).toBe('1');
      expect(earlier.status).toBe(200);
      const unknown = await get(property('profile?as_of=99'));
      expect(unknown.status).toBe(422);
      expect((await detailOf(unknown))[0]).toMatchObject({
        type: 'unknown_publication',
        loc: ['query', 'as_of'],
      });
      expect((await get('/api/publication?as_of=1')).status).toBe(422);
      // The past costs work even where it costs no money.
      const states = async (key: string, query: string) =>
        (
          await fetch(`${service.base_url}/v1/suburbs/list${query}`, {
            headers: { authorization: `Bearer ${key}` },
          })
        ).status;
      expect(await states(poor.key, '')).toBe(200);
      expect(await states(poor.key, '?as_of=1')).toBe(402);
      expect(await states(rich.key, '?as_of=1')).toBe(200);
    } finally {
      client.release();
      await pool.end();
    }
    const after = await wallets();
    expect(after[0]!.keys).toBe(before[0]!.keys);
    expect(after[0]!.cards).toBe(before[0]!.cards);
    expect(Number(after[0]!.ledger)).toBe(Number(before[0]!.ledger) + 2);
  });

  it('never answers with a 5xx to any path or parameters', async () => {
    const odd = [
      '',
      '%00',
      '%FF',
      'x'.repeat(900),
      "'; DROP TABLE x",
      '%2e%2e%2f',
      '☃',
      '-1',
      'null',
      'NaN',
      '{}',
      '1e400',
    ];
    let calls = 0;
    for (const operation of OPERATIONS) {
      for (const id of ['GAX', encodeURIComponent('a\0b'), encodeURIComponent('☃'), 'x'.repeat(300)]) {
        const value = odd[calls++ % odd.length]!;
        const path = operation.path.replace(/\{\w+\}/, id);
        const names = [
          'radius_m',
          'geojson',
          'level',
          'limit',
          'as_of',
          'q',
          'address',
          'suburbs',
          'id',
          'suburb',
          'unknown',
        ];
        const name = names[calls % names.length]!;
        const response = operation.methods.includes('GET')
          ? await get(`${path}?${name}=${value}`)
          : await post(path, { [name]: value });
        expect(response.status, `${path}?${name}=${value}`).toBeLessThan(500);
        const body = (await response.json()) as { detail: { loc: string[]; type: string; msg: string }[] };
        if (response.status !== 422) continue;
        for (const item of body.detail) {
          expect(['path', 'query', 'body']).toContain(item.loc[0]);
          expect(item).toMatchObject({ type: expect.any(String), msg: expect.any(String) });
          expect('input' in item).toBe(true);
        }
      }
    }
  });
});
