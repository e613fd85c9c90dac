import { request } from 'node:http';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RATE_CARD } from '../../contract/service/rate_card.ts';
import { OPERATIONS } from '../../service/answers/operations.ts';
import type { Service } from '../../service/server.ts';
import { type Scene, setScene } from './scene.ts';

interface Meta {
  cost_cents: number;
  remaining_cents: number;
  publication?: number;
  canonical_gnaf_id?: string;
  request_id: string;
  status?: number;
}

describe('the tools over MCP', () => {
  let scene: Scene;
  let service: Service;

  beforeAll(async () => {
    scene = await setScene();
    service = await scene.start(['service.rate_per_s=100000', 'service.rate_burst=100000']);
  });
  afterAll(() => scene?.close());

  async function session<T>(key: string, work: (client: Client) => Promise<T>): Promise<T> {
    const client = new Client({ name: 'test', version: '1.0.0' });
    const transport = new StreamableHTTPClientTransport(new URL(service.mcp_url), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    });
    await client.connect(transport);
    try {
      return await work(client);
    } finally {
      await client.close();
    }
  }

  it('are every operation of Family A, the finder and what is free, read-only, with titles, uses and prices', async () => {
    const { tools } = await session(service.sandbox_key, (client) => client.listTools());
    const family = OPERATIONS.filter(
      ({ path }) => path.startsWith('/v1/') || path === '/api/property_finder',
    ).map((each) => ({ ...each, name: each.name.replace('api_', '') }));
    expect(tools.map(({ name }) => name).sort()).toEqual(
      ['ping', 'me', 'sandbox_samples', ...family.map(({ name }) => name)].sort(),
    );
    expect(tools.map(({ name }) => name)).toContain('properties_valuation_avm');
    for (const tool of tools) {
      expect(tool.annotations?.readOnlyHint).toBe(true);
      expect(tool.inputSchema.type).toBe('object');
      expect(tool.title?.length, tool.name).toBeGreaterThan(3);
      // It says which other tool there is, and what it costs.
      expect(tool.description, tool.name).toMatch(
        /\bUse .+\. (Free|Costs \d+ cents|Costs the sum of its results)\.$/s,
      );
      for (const [name] of tool.description!.matchAll(/\b[a-z]+(_[a-z]+)+\b/g))
        if (/^(properties|suburbs|geocode|property)_/.test(name))
          expect(
            tools.map((each) => each.name),
            tool.name,
          ).toContain(name);
    }
    expect(new Set(tools.map(({ title }) => title)).size).toBe(tools.length);
    expect(Buffer.byteLength(JSON.stringify(tools))).toBeLessThanOrEqual(100_000);
    for (const { name, path } of family.filter(({ composed }) => !composed))
      expect(tools.find((tool) => tool.name === name)!._meta).toMatchObject({ price_cents: RATE_CARD[path] });
  });

  it('answer a batch of up to 50 properties, each as its own tool does, and no more', async () => {
    const { key } = await scene.funded('mcp batch', 10_000);
    const pids = await scene.database.query<{ gnaf_pid: string }>(
      'SELECT gnaf_pid FROM serving.property ORDER BY gnaf_pid LIMIT 50',
    );
    await session(key, async (client) => {
      const ids = pids.map(({ gnaf_pid }) => gnaf_pid);
      const batch = await client.callTool({ name: 'batch', arguments: { ids, endpoints: ['profile'] } });
      const { results } = batch.structuredContent as {
        results: { id: string; answers: { profile: { cost_cents: number; body: unknown } } }[];
      };
      expect(results.map(({ id }) => id)).toEqual(ids);
      expect((batch._meta as unknown as Meta).cost_cents).toBe(50 * 3);
      const one = await client.callTool({ name: 'properties_profile', arguments: { gnaf_id: ids[7] } });
      expect(results[7]!.answers.profile.body).toEqual(one.structuredContent);
      const more = await client.callTool({
        name: 'batch',
        arguments: { ids: [...ids, ids[0]], endpoints: ['profile'] },
      });
      expect(more.isError).toBe(true);
      expect((more._meta as unknown as Meta).cost_cents).toBe(0);
    });
  });

  it('all answer the sandbox key about its samples, free of charge', async () => {
    const [sample] = (await (
      await fetch(`${service.base_url}/api/sandbox_sample`, {
        headers: { authorization: `Bearer ${service.sandbox_key}` },
      })
    ).json()) as { gnaf_pid: string; sal: string }[];
    const [{ address }] = (await scene.database.query<{ address: string }>(
      'SELECT address FROM serving.property WHERE gnaf_pid = $1',
      [sample!.gnaf_pid],
    )) as [{ address: string }];
    await session(service.sandbox_key, async (client) => {
      const { tools } = await client.listTools();
      for (const { name, inputSchema } of tools) {
        const given: Record<string, unknown> = {
          gnaf_id: sample!.gnaf_pid,
          suburb_name: sample!.sal,
          address,
          q: sample!.sal,
          suburbs: [sample!.sal],
          ids: [sample!.gnaf_pid],
          endpoints: ['profile'],
          since: 1,
        };
        const args = Object.fromEntries(
          Object.keys(inputSchema.properties ?? {}).flatMap((each) =>
            each in given ? [[each, given[each]]] : [],
          ),
        );
        const result = await client.callTool({ name, arguments: args });
        expect(result.isError, `${name} ${JSON.stringify(result.content)}`).toBeFalsy();
        expect(result.structuredContent, name).toBeDefined();
        expect((result._meta as unknown as Meta).cost_cents, name).toBe(0);
      }
      const { structuredContent } = await client.callTool({ name: 'sandbox_samples', arguments: {} });
      expect((structuredContent as { samples: unknown[] }).samples).toContainEqual(
        expect.objectContaining({ gnaf_pid: sample!.gnaf_pid, sal: sample!.sal }),
      );
    });
  });

  it('cost what the routes cost, from the same wallet, and say what is wrong in the same shape', async () => {
    const { key, account_id } = await scene.funded('agent', 4);
    await session(key, async (client) => {
      const call = async (name: string, args: Record<string, unknown>) => {
        const result = await client.callTool({ name, arguments: args });
        const [content] = result.content as { text: string }[];
        return { ...result, body: JSON.parse(content!.text), meta: result._meta as unknown as Meta };
      };
      const paid = await call('properties_profile', { gnaf_id: scene.pid });
      expect(paid.meta).toMatchObject({ cost_cents: 3, remaining_cents: 1, publication: 1 });
      expect(paid.structuredContent).toEqual(paid.body);
      const [row] = await scene.database.query<{ endpoint: string }>(
        `SELECT endpoint FROM account.ledger WHERE request_id = $1`,
        [paid.meta.request_id],
      );
      expect(row!.endpoint).toBe('/v1/properties/{gnaf_id}/profile');
      const [alias] = await scene.database.query<{ alias_pid: string; principal_pid: string }>(
        'SELECT alias_pid, principal_pid FROM serving.property_alias JOIN serving.property ON gnaf_pid = principal_pid ORDER BY 1 LIMIT 1',
      );
      const rich = await scene.funded('rich agent', 100);
      await session(rich.key, async (other) => {
        const { _meta } = await other.callTool({
          name: 'properties_profile',
          arguments: { gnaf_id: alias!.alias_pid },
        });
        expect((_meta as unknown as Meta).canonical_gnaf_id).toBe(alias!.principal_pid);
      });
      expect(paid.meta.canonical_gnaf_id).toBeUndefined();
      const poor = await call('properties_profile', { gnaf_id: scene.pid });
      expect(poor).toMatchObject({ isError: true, meta: { status: 402, cost_cents: 0 } });
      expect(poor.body.detail.type).toBe('insufficient_credit');
      const wrong = await call('properties_amenities_nearby', { gnaf_id: scene.pid, radius_m: 9 });
      expect(wrong).toMatchObject({ isError: true, meta: { status: 422 } });
      expect(wrong.body.detail[0]).toMatchObject({ type: 'greater_than_equal', loc: ['query', 'radius_m'] });
      const missing = await call('properties_profile', {});
      expect(missing.body.detail[0]).toMatchObject({ type: 'missing', loc: ['path', 'gnaf_id'] });
      await expect(client.callTool({ name: 'nothing', arguments: {} })).rejects.toThrow(/no tool/);
    });
    expect(await scene.wallet(account_id)).toMatchObject({ balance: 1, calls: 1, adds_up: true });
    await session(service.sandbox_key, async (client) => {
      const outside = await client.callTool({
        name: 'properties_profile',
        arguments: { gnaf_id: scene.pid },
      });
      expect(outside).toMatchObject({ isError: true, _meta: { status: 403 } });
    });
  });

  it('state cost, period and rate card on each response, in its headers and in the _meta of a call', async () => {
    const { key } = await scene.funded('headers', 100);
    const ask = async (body: object | string, by = key, accept = 'application/json, text/event-stream') => {
      const response = await fetch(service.mcp_url, {
        method: 'POST',
        headers: { authorization: `Bearer ${by}`, 'content-type': 'application/json', accept },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
      const own = Object.fromEntries(response.headers);
      expect(own['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      expect(own['x-rate-card-version']).toMatch(/^\d+$/);
      expect(own['x-period-end']).toMatch(/^\d{4}-\d\d-01T00:00:00Z$/);
      const of = (name: string) => (own[name] === undefined ? null : Number(own[name]));
      const text = await response.text();
      return {
        status: response.status,
        text,
        cost: of('x-cost-cents'),
        wallet: [of('x-spent-cents'), of('x-remaining-cents'), of('x-balance-cents')],
        period: own['x-period-end'],
      };
    };
    const call = (id: number, name: string, args: object) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name, arguments: args },
    });
    const profile = (id: number) => call(id, 'properties_profile', { gnaf_id: scene.pid });
    expect(await ask({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })).toMatchObject({
      status: 200,
      cost: 0,
      wallet: [0, 100, 100],
    });
    const one = await ask(profile(2));
    expect(one).toMatchObject({ status: 200, cost: 3, wallet: [3, 97, 97] });
    const json = one.text.startsWith('{') ? one.text : /^data: (.*)$/m.exec(one.text)![1]!;
    expect(JSON.parse(json).result._meta).toMatchObject({
      cost_cents: 3,
      spent_cents: 3,
      remaining_cents: 97,
      rate_card_version: expect.any(Number),
      period_end: one.period,
    });
    expect(await ask(call(3, 'ping', {}))).toMatchObject({ cost: 0, wallet: [3, 97, 97] });
    const refused = await ask(call(4, 'properties_profile', {}));
    expect(refused).toMatchObject({ status: 200, cost: 0, wallet: [3, 97, 97] });
    expect(refused.text).toContain(`"period_end":"${refused.period}"`);
    expect(await ask(call(5, 'nothing', {}))).toMatchObject({ cost: 0 });
    expect(await ask('{"jsonrpc"')).toMatchObject({ status: 400, cost: 0 });
    expect(await ask(profile(6), 'unknown')).toMatchObject({ status: 401, cost: 0 });
    expect(await ask(profile(7), key, 'text/plain')).toMatchObject({ status: 406, cost: 0 });
    const several = await ask([profile(8), profile(9)]);
    expect(several).toMatchObject({ status: 200, cost: 6, wallet: [9, 91, 91] });
    for (const method of ['GET', 'DELETE']) {
      const other = await fetch(service.mcp_url, { method, headers: { authorization: `Bearer ${key}` } });
      expect(other.headers.get('x-cost-cents'), method).toBe('0');
    }
  });

  it('are refused without a key, and to pages of other sites', async () => {
    const ask = (headers: Record<string, string>) =>
      new Promise<{ status: number; id: unknown }>((resolve, reject) => {
        const asked = request(service.mcp_url, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            ...headers,
          },
        });
        asked.on('response', (response) => {
          response.resume();
          resolve({ status: response.statusCode!, id: response.headers['x-request-id'] });
        });
        asked.on('error', reject);
        asked.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }));
      });
    const key = { authorization: `Bearer ${service.sandbox_key}` };
    expect((await ask({})).status).toBe(401);
    expect((await ask({ ...key, host: 'evil.example' })).status).toBe(403);
    expect((await ask({ ...key, origin: 'https://evil.example' })).status).toBe(403);
    const ok = await ask(key);
    expect(ok.status).toBe(200);
    expect(ok.id).toMatch(/^[0-9a-f-]{36}$/);
  });
});
