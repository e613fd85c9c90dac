import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENDPOINTS } from '../../contract/index.ts';
import type { Service } from '../../service/server.ts';
import { createKey } from '../../store/accounts/accounts.ts';
import { openPool } from '../../store/database.ts';
import { type Scene, setScene } from './scene.ts';

const PATHS = ENDPOINTS.filter(({ subject }) => subject === 'property').map(({ subpath }) => subpath);

interface Result {
  id: string | null;
  address?: string;
  status?: string;
  answers: Record<string, { cost_cents: number; body: Record<string, unknown> }> | null;
}

describe('a batch', () => {
  let scene: Scene;
  let service: Service;
  let key: string;
  let pids: string[];

  beforeAll(async () => {
    scene = await setScene();
    service = await scene.start(['service.rate_per_s=100000', 'service.rate_burst=100000']);
    key = (await scene.funded('batch', 10_000_000)).key;
    pids = (
      await scene.database.query<{ gnaf_pid: string }>(
        `SELECT gnaf_pid FROM serving.property ORDER BY md5(gnaf_pid) LIMIT 60`,
      )
    ).map(({ gnaf_pid }) => gnaf_pid);
  });
  afterAll(() => scene?.close());

  const ask = (body: object, { by = key, headers = {}, of = service } = {}) =>
    fetch(`${of.base_url}/v1/batch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${by}`, ...headers },
      body: JSON.stringify(body),
    });
  const resultsOf = async (response: Response): Promise<Result[]> =>
    ((await response.json()) as { results: Result[] }).results;
  const costOf = (response: Response): number => Number(response.headers.get('x-cost-cents'));
  const chargesOf = (accountId: number) =>
    scene.database.query<{ endpoint: string; cents: number }>(
      `SELECT endpoint, (-cents)::int AS cents FROM account.ledger WHERE account_id = $1 AND kind = 'charge' ORDER BY endpoint`,
      [accountId],
    );

  it('gives every answer and price of the single calls, in order', async () => {
    const some = [...pids.slice(0, 12), 'GANOWHERE', pids[3]!];
    for (let from = 0; from < PATHS.length; from += 10) {
      const endpoints = PATHS.slice(from, from + 10);
      const results = await resultsOf(await ask({ ids: some, endpoints }));
      expect(results.map(({ id }) => id)).toEqual(some);
      for (const { id, answers } of results) {
        expect(Object.keys(answers!)).toEqual(endpoints);
        for (const path of endpoints) {
          const single = await fetch(`${service.base_url}/v1/properties/${id}/${path}`, {
            headers: { authorization: `Bearer ${key}` },
          });
          expect(answers![path], `${path} of ${id}`).toEqual({
            cost_cents: costOf(single),
            body: await single.json(),
          });
        }
      }
    }
  });

  it('charges each endpoint once for all properties, exactly what the answers cost', async () => {
    const { key: by, account_id } = await scene.funded('exact', 10_000);
    const response = await ask(
      { ids: [...pids, 'GANOWHERE'], endpoints: ['profile', 'basics/land-area-sqm', 'valuation/avm'] },
      { by },
    );
    const results = await resultsOf(response);
    const sum = (path: string) => results.reduce((all, { answers }) => all + answers![path]!.cost_cents, 0);
    expect(sum('profile')).toBe(60 * 3);
    expect(await chargesOf(account_id)).toEqual(
      ['basics/land-area-sqm', 'profile', 'valuation/avm']
        .map((path) => ({ endpoint: `/v1/properties/{gnaf_id}/${path}`, cents: sum(path) }))
        .filter(({ cents }) => cents > 0),
    );
    const wallet = await scene.wallet(account_id);
    expect(wallet).toMatchObject({ spent: costOf(response), adds_up: true });
    expect(Number(response.headers.get('x-remaining-cents'))).toBe(wallet.balance);
  });

  it('is refused as a whole where the balance does not cover the most that it may cost', async () => {
    const { key: by, account_id } = await scene.funded('short', 3 * 60 - 1);
    const refused = await ask({ ids: pids, endpoints: ['profile'] }, { by });
    expect(refused.status).toBe(402);
    expect(await scene.wallet(account_id)).toMatchObject({ spent: 0, calls: 0, balance: 3 * 60 - 1 });
    expect((await ask({ ids: pids.slice(1), endpoints: ['profile'] }, { by })).status).toBe(200);
  });

  it('charges several at once never more than the balance covers', async () => {
    const { key: by, account_id } = await scene.funded('race', 6 * 60 + 10);
    const answers = await Promise.all(
      Array.from({ length: 6 }, () =>
        ask({ ids: pids, endpoints: ['profile', 'basics/land-area-sqm'] }, { by }),
      ),
    );
    const paid = answers.filter(({ status }) => status === 200).length;
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(6 - paid);
    expect(paid).toBe(1);
    const { adds_up, balance } = await scene.wallet(account_id);
    expect(adds_up).toBe(true);
    expect(balance).toBe(6 * 60 + 10 - costOf(answers.find(({ status }) => status === 200)!));
  });

  it('matches addresses first, and returns the matched address', async () => {
    const [row] = await scene.database.query<{ gnaf_pid: string; address: string }>(
      `SELECT gnaf_pid, address FROM serving.property WHERE gnaf_pid = $1`,
      [scene.pid],
    );
    const { key: by, account_id } = await scene.funded('addresses', 1000);
    const response = await ask(
      { addresses: [row!.address, '99999 Nowhere Street, Nowhere NSW'], endpoints: ['profile'] },
      { by },
    );
    const [found, none] = await resultsOf(response);
    expect(found).toMatchObject({ id: row!.gnaf_pid, address: row!.address, status: 'matched' });
    expect(found!.answers!.profile!.body).toHaveProperty('data.state');
    expect(none).toMatchObject({ id: null, answers: null });
    expect((await chargesOf(account_id)).map(({ endpoint }) => endpoint)).toEqual([
      '/v1/geocode/address',
      '/v1/properties/{gnaf_id}/profile',
    ]);
  });

  it('gives a result a line where that is asked for', async () => {
    const body = { ids: pids.slice(0, 5), endpoints: ['profile'], params: {} };
    const lines = await ask(body, { headers: { accept: 'application/x-ndjson' } });
    expect(lines.headers.get('content-type')).toMatch(/^application\/x-ndjson/);
    const text = await lines.text();
    expect(text.endsWith('\n')).toBe(true);
    expect(
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(await resultsOf(await ask(body)));
  });

  it('takes parameters by endpoint, and refuses wrong ones', async () => {
    const params = { 'amenities/nearby': { radius_m: 200 } };
    const [result] = await resultsOf(await ask({ ids: [pids[0]], endpoints: ['amenities/nearby'], params }));
    const single = await fetch(`${service.base_url}/v1/properties/${pids[0]}/amenities/nearby?radius_m=200`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(result!.answers!['amenities/nearby']!.body).toEqual(await single.json());
    for (const wrong of [
      { ids: [pids[0]], endpoints: ['nowhere'] },
      { ids: [pids[0]], endpoints: [] },
      { ids: [], endpoints: ['profile'] },
      { endpoints: ['profile'] },
      { ids: [pids[0]], addresses: ['1 High Street'], endpoints: ['profile'] },
      { ids: Array.from({ length: 1001 }, () => 'X'), endpoints: ['profile'] },
      { ids: [pids[0]], endpoints: PATHS.slice(0, 11) },
      { ids: [pids[0]], endpoints: ['amenities/nearby'], params: { 'amenities/nearby': { radius_m: -1 } } },
    ])
      expect((await ask(wrong)).status, JSON.stringify(wrong).slice(0, 80)).toBe(422);
  });

  it('is charged once if it is repeated with the same idempotency key', async () => {
    const { key: by, account_id } = await scene.funded('again', 1000);
    const body = { ids: pids.slice(0, 5), endpoints: ['profile', 'basics/land-area-sqm'] };
    const headers = { 'idempotency-key': 'batch-1' };
    const first = await ask(body, { by, headers });
    const again = await ask(body, { by, headers });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await again.text()).toBe(await first.text());
    expect(await scene.wallet(account_id)).toMatchObject({ spent: costOf(first), adds_up: true });
  });

  it('answers the sandbox key for its samples, and a key with a scope for what it covers', async () => {
    const [sample] = await scene.database.query<{ gnaf_pid: string }>(
      'SELECT gnaf_pid FROM serving.sandbox_sample ORDER BY state LIMIT 1',
    );
    const by = service.sandbox_key;
    const free = await ask({ ids: [sample!.gnaf_pid], endpoints: ['profile'] }, { by });
    expect([free.status, costOf(free)]).toEqual([200, 0]);
    expect((await ask({ ids: [sample!.gnaf_pid, scene.pid], endpoints: ['profile'] }, { by })).status).toBe(
      403,
    );
    expect((await ask({ addresses: ['1 High Street'], endpoints: ['profile'] }, { by })).status).toBe(403);
    const often = Array.from({ length: 11 }, () => sample!.gnaf_pid);
    expect((await ask({ ids: often, endpoints: ['profile'] }, { by })).status).toBe(403);
    const { account_id } = await scene.funded('scoped', 1000);
    const pool = openPool(scene.database.url, 1);
    try {
      const { key: scoped } = await createKey(pool, account_id, 'scoped', {
        expires_at: null,
        day_cents_max: null,
        scope: ['/v1/properties/{gnaf_id}/profile'],
      });
      expect((await ask({ ids: [scene.pid], endpoints: ['profile'] }, { by: scoped })).status).toBe(200);
      const outside = { ids: [scene.pid], endpoints: ['profile', 'valuation/avm'] };
      expect((await ask(outside, { by: scoped })).status).toBe(403);
    } finally {
      await pool.end();
    }
  });

  it('takes more of the rate of a key the more it answers', async () => {
    const slow = await scene.start(['service.rate_per_s=0.01', 'service.rate_burst=5']);
    const { key: by } = await scene.funded('slow', 100_000);
    const body = { ids: Array.from({ length: 400 }, (_, i) => pids[i % 60]!), endpoints: ['profile'] };
    const first = await ask(body, { by, of: slow });
    expect(first.status).toBe(200);
    expect((await ask(body, { by, of: slow })).status).toBe(429);
  });
});
