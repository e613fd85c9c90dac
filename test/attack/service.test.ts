import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { PROPERTY_SECTIONS } from '../../contract/bundles/bundle.ts';
import { RISK_OPERATIONS } from '../../contract/property/risks.ts';
import type { AccessRecord } from '../../service/http/metrics.ts';
import type { Service } from '../../service/server.ts';
import { accountNamed, addCredit, createKey } from '../../store/accounts/accounts.ts';
import { addRateCard } from '../../store/accounts/rate_cards.ts';
import { openPool } from '../../store/database.ts';
import { type Scene, setScene } from '../service/scene.ts';
import { PATIENT } from '../waiting.ts';

const FAST = ['service.rate_per_s=100000', 'service.rate_burst=100000'];
const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });
const json = { 'content-type': 'application/json' };
const rpc = { ...json, accept: 'application/json, text/event-stream' };
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe('the service under attack', () => {
  let scene: Scene;
  let service: Service;
  let key: string;
  const records: AccessRecord[] = [];

  beforeAll(async () => {
    scene = await setScene();
    service = await scene.start(FAST, { onAccess: (record) => records.push(record) });
    key = (await scene.funded('attacked', 10_000_000)).key;
  });
  afterAll(() => scene?.close());

  const get = (path: string, headers: Record<string, string> = bearer(key), of = service) =>
    fetch(of.base_url + path, { headers });
  const post = (path: string, body: unknown, headers: Record<string, string> = bearer(key), of = service) =>
    fetch(of.base_url + path, {
      method: 'POST',
      headers: { ...json, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const property = (path: string) => `/v1/properties/${scene.pid}/${path}`;
  const typeOf = async (response: Response): Promise<string> =>
    ((await response.json()) as { detail: { type: string } }).detail.type;
  const open = (of = service): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(new URL(of.base_url).port), '127.0.0.1', () => resolve(socket));
      socket.on('error', reject);
    });
  /** Text that is sent on a connection of its own, and all that comes back. */
  const raw = async (text: string, of = service): Promise<string> => {
    const socket = await open(of);
    let got = '';
    socket.on('data', (chunk) => {
      got += chunk;
    });
    socket.write(text);
    return new Promise((resolve) => socket.on('close', () => resolve(got)));
  };

  it('forgets calls whose clients hang up: half a body, half a header, before the answer', async () => {
    const few = await scene.start([...FAST, 'service.calls_max=8']);
    const halves = [
      'POST /v1/ping HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 600\r\n\r\n{',
      `POST /api/avm HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 600\r\n\r\n{`,
      'GET /v1/ping HTTP/1.1\r\nHost',
      `GET ${property('all')} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    ];
    for (let i = 0; i < 256; i++) {
      const socket = await open(few);
      socket.write(halves[i % halves.length]!);
      if (i % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
      socket.destroy();
    }
    await vi.waitFor(
      async () => expect((await get(property('profile'), bearer(key), few)).status).toBe(200),
      PATIENT,
    );
    expect((await get('/readyz', {}, few)).status).toBe(200);
    const started = performance.now();
    await few.close();
    // No hung-up call is waited for (`drain_s` is 20).
    expect(performance.now() - started).toBeLessThan(15_000);
  });

  it('sheds calls and reports 503 by readiness under load, and recovers', async () => {
    const few = await scene.start([...FAST, 'service.calls_max=1', 'service.connections=1']);
    const pool = openPool(scene.database.url, 1);
    const client = await pool.connect();
    await client.query('BEGIN; LOCK TABLE serving.property IN ACCESS EXCLUSIVE MODE');
    const held = Array.from({ length: 4 }, () => get(property('basics/land-area-sqm'), bearer(key), few));
    await vi.waitFor(async () => expect((await get('/readyz', {}, few)).status).toBe(503), PATIENT);
    const refused = await get('/v1/ping', {}, few);
    expect([refused.status, await typeOf(refused)]).toEqual([503, 'unavailable']);
    expect(refused.headers.get('retry-after')).toBe('1');
    await client.query('ROLLBACK');
    client.release();
    await pool.end();
    const statuses = (await Promise.all(held)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 503, 503, 503]);
    await vi.waitFor(async () => expect((await get('/readyz', {}, few)).status).toBe(200), PATIENT);
    await few.close();
  });

  it('answers 304 only for the tag of the same account, call and home', async () => {
    const path = property('basics/land-area-sqm');
    const other = (await scene.funded('other', 1000)).key;
    const first = await get(path);
    const tag = first.headers.get('etag')!;
    expect((await get(path, { ...bearer(key), 'if-none-match': tag })).status).toBe(304);
    expect((await get(path, { ...bearer(other), 'if-none-match': tag })).status).toBe(200);
    // Two homes of which the same is said.
    const [pair] = await scene.database.query<{ a: string; b: string }>(
      `SELECT min(gnaf_pid) AS a, max(gnaf_pid) AS b FROM serving.property_profile p
       GROUP BY to_jsonb(p) - 'gnaf_pid' HAVING count(*) > 1 ORDER BY 1 LIMIT 1`,
    );
    const profileOf = (pid: string) => get(`/v1/properties/${pid}/profile`);
    const [mine, theirs] = [await profileOf(pair!.a), await profileOf(pair!.b)];
    expect(await mine.json()).toEqual(await theirs.json());
    expect(mine.headers.get('etag')).not.toBe(theirs.headers.get('etag'));
    const text = JSON.stringify(await first.json());
    const { createHash } = await import('node:crypto');
    const guesses = ['sha1', 'sha256', 'md5'].flatMap((of) =>
      ['base64url', 'hex'].map(
        (as) =>
          `"1-${createHash(of)
            .update(text)
            .digest(as as 'hex')}"`,
      ),
    );
    const guessed = await get(path, { ...bearer(other), 'if-none-match': `*, ${guesses.join(', ')}` });
    expect([guessed.status, guessed.headers.get('x-cost-cents')]).toEqual([
      200,
      first.headers.get('x-cost-cents'),
    ]);
  });

  it('charges no batch whose client hangs up, and lets no flood of the public key hold up a paying one', async () => {
    const pids = (
      await scene.database.query<{ gnaf_pid: string }>(
        'SELECT gnaf_pid FROM serving.property ORDER BY gnaf_pid LIMIT 300',
      )
    ).map(({ gnaf_pid }) => gnaf_pid);
    const { key: own, account_id } = await scene.funded('batches', 1_000_000);
    const body = { ids: pids, endpoints: ['all'] };
    const gone = new AbortController();
    const hung = fetch(`${service.base_url}/v1/batch`, {
      method: 'POST',
      headers: { ...json, ...bearer(own) },
      body: JSON.stringify(body),
      signal: gone.signal,
    }).catch(() => 'gone');
    await new Promise((resolve) => setTimeout(resolve, 100));
    gone.abort();
    expect(await hung).toBe('gone');
    const [sample] = (await (await get('/api/sandbox_sample')).json()) as { gnaf_pid: string }[];
    const free = Array.from({ length: 10 }, () => sample!.gnaf_pid);
    const endpoints = ['all', 'risks/all', 'schools/all', 'history/all', 'comparables/all', 'basics/all'];
    const flood = Array.from({ length: 40 }, () =>
      post('/v1/batch', { ids: free, endpoints }, bearer(service.sandbox_key)),
    );
    const paid = await post('/v1/batch', { ids: pids, endpoints: ['profile'] }, bearer(own));
    expect(paid.status).toBe(200);
    await paid.arrayBuffer();
    for (const answer of await Promise.all(flood)) expect([200, 429, 503]).toContain(answer.status);
    await vi.waitFor(async () => {
      expect(await scene.wallet(account_id)).toMatchObject({ spent: 900, calls: 1, adds_up: true });
    }, PATIENT);
  });

  it('keeps the tag of an unchanged answer after a publication, and of a finder at any speed', async () => {
    const path = `/api/property_finder?suburbs=${encodeURIComponent(scene.sal)}&limit=3`;
    const tags = new Set<string>();
    for (let i = 0; i < 5; i++) tags.add((await get(path)).headers.get('etag')!);
    expect(tags.size).toBe(1);
    const before = (await get(property('profile'))).headers.get('etag');
    await scene.database.query(
      `INSERT INTO control.publication SELECT (jsonb_populate_record(p, jsonb_build_object('publication_id', publication_id + 1))).* FROM control.publication p
       ORDER BY publication_id DESC LIMIT 1`,
    );
    const after = await get(property('profile'));
    expect(after.headers.get('x-publication')).toBe('2');
    expect(after.headers.get('etag')).toBe(before);
    await scene.database.query('DELETE FROM control.publication WHERE publication_id = 2');
  });

  it('counts each message of an MCP batch, whatever it asks', async () => {
    const tight = await scene.start(['service.rate_per_s=0.1', 'service.rate_burst=10']);
    const own = (await scene.funded('batch', 100)).key;
    const message = (method: string, id: number) => ({ jsonrpc: '2.0', id, method, params: {} });
    const batch = (n: number) => Array.from({ length: n }, (_, i) => message('tools/list', i));
    const send = (body: unknown) => post('/mcp', body, { ...bearer(own), ...rpc }, tight);
    expect((await send(batch(100))).status).toBe(400);
    for (let i = 0; i < 4; i++) expect((await send(message('tools/list', i))).status).not.toBe(429);
    expect((await send(batch(7))).status).toBe(429);
    const last = await send(batch(6));
    expect(last.status).not.toBe(429);
    expect(last.headers.get('ratelimit')).toMatch(/^"key";r=0;t=\d+$/);
    expect(last.headers.get('ratelimit-policy')).toBe('"key";q=10;w=100');
    expect((await send(message('ping', 1))).status).toBe(429);
    await tight.close();
  });

  it('lets the public key have little: its own rate, short lists, one as-of read, and samples alone', async () => {
    const sandbox = bearer(service.sandbox_key);
    const tight = await scene.start(['service.sandbox_rate_per_s=5', 'service.sandbox_rate_burst=20']);
    const samples = (await (await get('/api/sandbox_sample', sandbox)).json()) as {
      sal: string;
      gnaf_pid: string;
    }[];
    const pids = samples.map(({ gnaf_pid }) => gnaf_pid);
    const suburbs = encodeURIComponent(samples.map(({ sal }) => sal).join(','));
    const all = 'min_price=0&max_distance_to_public_housing=5000&max_distance_to_school=5000';
    for (const more of ['', '&limit=5000', '&sort_by=price', '&limit=1&offset=3']) {
      const response = await get(`/api/property_finder?suburbs=${suburbs}&${all}${more}`, sandbox);
      const body = (await response.json()) as {
        total_properties: number;
        properties: { gnafId: string }[];
        query_parameters: { limit: number };
      };
      expect(response.status).toBe(200);
      expect(body.total_properties).toBeLessThanOrEqual(pids.length);
      expect(body.query_parameters.limit).toBeLessThanOrEqual(50);
      for (const { gnafId } of body.properties) expect(pids).toContain(gnafId);
    }
    const publications = (await (await get('/api/publication?limit=1000', sandbox)).json()) as object[];
    expect(publications.length).toBeLessThanOrEqual(50);
    const policy = (await get('/v1/me', sandbox, tight)).headers.get('ratelimit-policy');
    expect(policy).toBe('"key";q=20;w=4');
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async () => (await get('/v1/suburbs/list', sandbox, tight)).status),
    );
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(10);
    await tight.close();
  });

  it('charges and tells the price of the one card in effect', async () => {
    const path = '/v1/geocode/address';
    const pool = openPool(scene.database.url, 1);
    await addRateCard(pool, { [path]: 2 }, null);
    await pool.end();
    const [{ address } = { address: '' }] = await scene.database.query<{ address: string }>(
      'SELECT address FROM serving.property WHERE gnaf_pid = $1',
      [scene.pid],
    );
    const answer = await get(`${path}?address=${encodeURIComponent(address)}`);
    expect(answer.headers.get('x-cost-cents')).toBe('2');
    const card = (await (await get('/api/rate_card')).json()) as {
      endpoint: string;
      price_cents: number;
      version: number;
    }[];
    const told = card.find(({ endpoint }) => endpoint === path);
    expect(told).toMatchObject({
      price_cents: 2,
      version: Number(answer.headers.get('x-rate-card-version')),
    });
    const document = (await (await get('/openapi.json')).json()) as {
      paths: Record<string, { get: { 'x-price-cents': number } }>;
    };
    expect(document.paths[path]!.get['x-price-cents']).toBe(2);
    const tools = await post(
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
      { ...bearer(key), ...rpc },
    );
    const text = await tools.text();
    expect(JSON.parse(text.replace(/^[\s\S]*?data: /, '').trim() || text).result.tools).toContainEqual(
      expect.objectContaining({ name: 'geocode_address', _meta: { price_cents: 2 } }),
    );
  });

  it('charges a bundle what its parts cost for the home, over GET and POST, and nothing for what nobody knows', async () => {
    const rich = (await scene.funded('bundles', 10_000_000)).key;
    const cost = async (response: Response): Promise<number> => {
      expect(response.status).toBe(200);
      return Number(response.headers.get('x-cost-cents'));
    };
    const homes = await scene.database.query<{ pid: string }>(
      `SELECT gnaf_pid AS pid FROM serving.property ORDER BY md5(gnaf_pid) LIMIT 6`,
    );
    const all = PROPERTY_SECTIONS.map(({ subpath }) => subpath);
    const bundles: Record<string, readonly string[]> = {
      'valuation/all': ['valuation/avm'],
      'basics/all': all.filter((path) => path.startsWith('basics/')),
      'history/all': ['sale-history', 'sale-history-latest', 'rent-history', 'rent-history-latest'],
      'comparables/all': ['cma-comp-set', 'cma-single-comp', 'recent-sales-nearby'].map(
        (each) => `comparables/${each}`,
      ),
      'development/all': ['development/zoning-code', 'development/zoning-overlays'],
      'schools/all': ['schools/nearby', 'schools/ranking'],
      all,
    };
    for (const { pid } of homes) {
      const of = async (path: string) => cost(await get(`/v1/properties/${pid}/${path}`, bearer(rich)));
      for (const [bundle, parts] of Object.entries(bundles)) {
        let sum = 0;
        for (const part of parts) sum += await of(part);
        expect(await of(bundle), `${pid} ${bundle}`).toBe(sum);
      }
      let looked = 0;
      for (const { subpath } of RISK_OPERATIONS) looked += await of(subpath);
      expect(await of('risks/all'), pid).toBe(looked > 0 ? 48 : 0);
      const posted = async (path: string) => cost(await post(path, { id: pid }, bearer(rich)));
      expect(await posted('/api/avm')).toBe(await of('valuation/avm'));
      expect(await posted('/api/cma')).toBe(await of('comparables/all'));
      expect(await posted('/api/property')).toBe(await of('all'));
      expect(await posted('/v1/property')).toBe(await of('all'));
    }
    expect(await cost(await get('/api/property_finder?suburbs=Nowhere', bearer(rich)))).toBe(0);
    expect(await cost(await get('/api/property_finder?regions=Nowhere', bearer(rich)))).toBe(0);
  });

  it('charges a call with an idempotency key once, and answers it again', async () => {
    const { key: own, account_id } = await scene.funded('idempotent', 1000);
    const ask = (path: string, name = 'abc') => get(path, { ...bearer(own), 'idempotency-key': name });
    const first = await ask(property('profile'));
    const text = await first.text();
    expect(first.headers.get('x-cost-cents')).toBe('3');
    for (let i = 0; i < 3; i++) {
      const again = await ask(property('profile'));
      expect([
        again.status,
        again.headers.get('x-cost-cents'),
        again.headers.get('idempotent-replayed'),
      ]).toEqual([200, '0', 'true']);
      expect(await again.text()).toBe(text);
      for (const name of ['x-request-id', 'etag', 'x-publication'])
        expect(again.headers.get(name)).toBe(first.headers.get(name));
    }
    const other = await ask(property('basics/land-area-sqm'));
    expect(other.status).toBe(422);
    expect((await ask(property('profile'), 'x'.repeat(300))).status).toBe(422);
    const twins = await Promise.all(
      Array.from({ length: 16 }, () => ask(property('valuation/all'), 'twins')),
    );
    expect(new Set(twins.map(({ status }) => status))).toEqual(new Set([200]));
    const posted = () =>
      post('/api/property_finder', { suburbs: scene.sal }, { ...bearer(own), 'idempotency-key': 'post' });
    expect([
      (await posted()).headers.get('x-cost-cents'),
      (await posted()).headers.get('x-cost-cents'),
    ]).toEqual(['30', '0']);
    // Another account's key is its own.
    const stranger = (await scene.funded('stranger', 1000)).key;
    const theirs = await get(property('profile'), { ...bearer(stranger), 'idempotency-key': 'abc' });
    expect(theirs.headers.get('x-cost-cents')).toBe('3');
    const wallet = await scene.wallet(account_id);
    expect(wallet.adds_up).toBe(true);
    expect(wallet.calls).toBeLessThanOrEqual(3);
    // After a day the key stands for nothing.
    await scene.database.query(`UPDATE account.idempotency SET at = at - interval '25 hours'`);
    expect((await ask(property('basics/land-area-sqm'))).status).toBe(200);
  });

  it('gives back what a process charged that never answered, once it has ended', async () => {
    const { account_id } = await scene.funded('given_back', 100);
    const [{ key_id } = { key_id: 0 }] = await scene.database.query<{ key_id: number }>(
      'SELECT key_id FROM account.key WHERE account_id = $1',
      [account_id],
    );
    // What a process leaves that is killed after the commit of a charge.
    await scene.database.query(
      `SELECT account.charge(ARRAY[$1::int], ARRAY[$2::int], ARRAY[7], ARRAY['00000000-0000-4000-8000-00000000abcd'::uuid], ARRAY['/v1/x'],
         ARRAY[(SELECT max(version) FROM account.rate_card WHERE effective_at <= now())], ARRAY[0::float8], 12345)`,
      [account_id, key_id],
    );
    expect(await scene.wallet(account_id)).toMatchObject({ balance: 93, calls: 1 });
    const next = await scene.start();
    await vi.waitFor(
      async () => expect(await scene.wallet(account_id)).toMatchObject({ balance: 100 }),
      PATIENT,
    );
    const rows = await scene.database.query(
      `SELECT kind, cents::int AS cents, note FROM account.ledger WHERE account_id = $1 AND request_id = '00000000-0000-4000-8000-00000000abcd' ORDER BY entry_id`,
      [account_id],
    );
    expect(rows).toEqual([
      { kind: 'charge', cents: -7, note: null },
      { kind: 'adjustment', cents: 7, note: 'no answer was sent' },
    ]);
    await next.close();
    expect(await scene.database.query('SELECT 1 FROM account.unsent')).toEqual([]);
  });

  it('refuses a malformed path in the documented shape, with an id, after checking the key', async () => {
    for (const path of ['/v1/properties/%ff/profile', '/%', '/v1/suburbs/%E0%A4%A/profile']) {
      const answer = await raw(
        `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`,
      );
      expect(answer, path).toMatch(/^HTTP\/1.1 400 /);
      expect(answer, path).toMatch(/x-request-id: [0-9a-f-]{36}/i);
      expect(answer, path).toContain('"type":"bad_path"');
      expect(await raw(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).toMatch(
        /^HTTP\/1.1 401 /,
      );
    }
    await vi.waitFor(
      () =>
        expect(records.some(({ status, refusal }) => status === 400 && refusal === 'bad_path')).toBe(true),
      PATIENT,
    );
    const long = await get(`/v1/properties/${'x'.repeat(1500)}/profile`);
    expect(long.status).toBe(422);
    expect(((await long.json()) as { detail: object[] }).detail[0]).toMatchObject({
      type: 'string_too_long',
      loc: ['path', 'gnaf_id'],
    });
    const deep = await post('/api/avm', `{"id":${'['.repeat(5000)}${']'.repeat(5000)}}`);
    expect(deep.status).toBe(422);
    expect(JSON.stringify(await deep.json())).not.toContain('call stack');
    const proto = await post('/api/avm', '{"__proto__":{"x":1},"id":"x"}');
    expect(proto.status).toBe(422);
    expect(((await proto.json()) as { detail: object[] }).detail[0]).toMatchObject({
      type: 'extra_forbidden',
      loc: ['body', '__proto__'],
    });
    const notJson = await post('/mcp', '{nope', { ...bearer(key), ...rpc });
    expect(notJson.status).toBe(400);
    expect(await notJson.json()).toMatchObject({ jsonrpc: '2.0', error: { code: -32700 }, id: null });
    const { token } = await scene.funded('portal', 0);
    const label = await post('/portal/keys', { label: 'a\0b' }, bearer(token));
    expect(label.status).toBe(422);
    const revoked = await fetch(`${service.base_url}/portal/keys/a%00b`, {
      method: 'DELETE',
      headers: bearer(token),
    });
    expect(revoked.status).toBe(404);
  });

  it('has one id for a call in header, ledger and log, over REST and MCP', async () => {
    const { key: own, account_id } = await scene.funded('ids', 1000);
    const rest = await get(property('profile'), bearer(own));
    const mcp = await post(
      '/mcp',
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'properties_profile', arguments: { gnaf_id: scene.pid } },
      },
      { ...bearer(own), ...rpc },
    );
    const text = await mcp.text();
    const ids = [rest, mcp].map((response) => response.headers.get('x-request-id')!);
    for (const id of ids) expect(id).toMatch(UUID);
    expect(text).toContain(ids[1]);
    const ledger = await scene.database.query<{ request_id: string }>(
      `SELECT request_id FROM account.ledger WHERE account_id = $1 AND kind = 'charge' ORDER BY entry_id`,
      [account_id],
    );
    expect(ledger.map(({ request_id }) => request_id)).toEqual(ids);
    await vi.waitFor(
      () => expect(records.filter(({ request_id }) => ids.includes(request_id))).toHaveLength(2),
      PATIENT,
    );
    expect(records.find(({ request_id }) => request_id === ids[1])).toMatchObject({
      route: '/mcp',
      tool: 'properties_profile',
      cost_cents: 3,
      status: 200,
    });
  });

  it('serves metrics only with the token, and tools to pages of allowed origins', async () => {
    expect((await get('/metrics', {})).status).toBe(404);
    const allowed = await scene.start([
      ...FAST,
      'ops.token=0123456789abcdef0123456789abcdef',
      'service.cors_origins=["https://app.example.org"]',
    ]);
    expect((await get('/metrics', {}, allowed)).status).toBe(404);
    expect((await get('/metrics', bearer('wrong'), allowed)).status).toBe(404);
    expect((await get('/metrics', bearer('0123456789abcdef0123456789abcdef'), allowed)).status).toBe(200);
    const origin = { origin: 'https://app.example.org' };
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
    expect((await post('/mcp', list, { ...bearer(key), ...rpc, ...origin }, allowed)).status).toBe(200);
    const evil = { origin: 'https://evil.example.org' };
    expect((await post('/mcp', list, { ...bearer(key), ...rpc, ...evil }, allowed)).status).toBe(403);
    for (const path of [property('profile'), '/v1/me', '/nothing']) {
      const response = await get(path, { ...bearer(key), ...origin }, allowed);
      expect(response.headers.get('access-control-allow-origin')).toBe(origin.origin);
      expect(response.headers.get('vary')).toMatch(/origin/i);
    }
    await allowed.close();
  });

  it('ends a request that does not arrive in its time', async () => {
    const slow = await scene.start(['service.request_timeout_s=1']);
    const socket = await open(slow);
    const started = performance.now();
    socket.write('POST /api/avm HTTP/1.1\r\nHost: x\r\nContent-Length: 600\r\n\r\n{');
    let got = '';
    socket.on('data', (chunk) => {
      got += chunk;
    });
    await new Promise((resolve) => socket.once('close', resolve));
    expect(got).toMatch(/^HTTP\/1.1 (408|401)/);
    expect(performance.now() - started).toBeLessThan(20_000);
    await slow.close();
  });

  it('compresses long answers on request, and never short ones', async () => {
    const ask = (path: string) =>
      new Promise<{ headers: Record<string, unknown>; body: Buffer }>((resolve, reject) => {
        request(
          service.base_url + path,
          { headers: { ...bearer(key), 'accept-encoding': 'gzip' } },
          (response) => {
            const parts: Buffer[] = [];
            response.on('data', (part) => parts.push(part));
            response.on('end', () => resolve({ headers: response.headers, body: Buffer.concat(parts) }));
          },
        )
          .on('error', reject)
          .end();
      });
    const long = await ask('/openapi.json');
    expect(long.headers['content-encoding']).toBe('gzip');
    expect(String(long.headers.vary)).toMatch(/accept-encoding/i);
    expect(JSON.parse(gunzipSync(long.body).toString()).openapi).toBe('3.1.0');
    expect((await ask(property('profile'))).headers['content-encoding']).toBeUndefined();
  });

  it('holds keys to their expiry, daily cap and scope, and rotates tokens', async () => {
    const { account_id, token } = await scene.funded('limits', 1000);
    const pool = openPool(scene.database.url, 1);
    const made = async (limits: object) =>
      (
        await createKey(pool, account_id, 'limited', {
          expires_at: null,
          day_cents_max: null,
          scope: null,
          ...limits,
        })
      ).key;
    const past = await made({ expires_at: new Date(Date.now() - 1000).toISOString() });
    expect((await get(property('profile'), bearer(past))).status).toBe(401);
    const small = await made({ day_cents_max: 7 });
    const statuses = [];
    for (let i = 0; i < 4; i++) {
      const response = await get(property('profile'), bearer(small));
      statuses.push(response.status === 200 ? 200 : await typeOf(response));
    }
    expect(statuses).toEqual([200, 200, 'daily_cap_reached', 'daily_cap_reached']);
    const scoped = await made({ scope: ['rest', '/v1/suburbs'] });
    expect(await typeOf(await get(property('profile'), bearer(scoped)))).toBe('outside_scope');
    expect((await get('/v1/suburbs/list', bearer(scoped))).status).toBe(200);
    const called = await post(
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'suburbs_list', arguments: {} } },
      { ...bearer(scoped), ...rpc },
    );
    expect(await called.text()).toContain('outside_scope');
    const rotated = await post('/portal/token', '{}', bearer(token));
    expect(rotated.status).toBe(201);
    expect((await get('/portal/account', bearer(token))).status).toBe(401);
    const { token: next } = (await rotated.json()) as { token: string };
    expect((await get('/portal/account', bearer(next))).status).toBe(200);
    const posted = await post('/portal/keys', { label: 'x', day_cents_max: 5, scope: ['mcp'] }, bearer(next));
    expect(posted.status).toBe(201);
    expect((await post('/portal/keys', { label: 'x', scope: ['nope'] }, bearer(next))).status).toBe(422);
    await addCredit(pool, (await accountNamed(pool, 'limits')).account_id, 'topup', 1, null);
    await pool.end();
  });
});
