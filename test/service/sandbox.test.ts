import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Service } from '../../service/server.ts';
import { WHOLE } from '../countries.ts';
import { publishedSample } from '../published_sample.ts';
import { type Scene, setScene } from './scene.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers of many operations are compared.
type Answer = any;

interface Sample {
  state: string;
  sal: string;
  gnaf_pid: string;
  address: string;
}

describe('the sandbox key', () => {
  let scene: Scene;
  let service: Service;
  let samples: Sample[];
  let properties: Set<string>;
  let suburbs: Set<string>;
  let paying: string;

  beforeAll(async () => {
    scene = await setScene(await publishedSample(WHOLE));
    service = await scene.start(['service.rate_per_s=100000', 'service.rate_burst=100000']);
    ({ key: paying } = await scene.funded('paying', 1_000_000));
    samples = (await body(await get('/api/sandbox_sample'))) as Sample[];
    properties = new Set(samples.map(({ gnaf_pid }) => gnaf_pid));
    suburbs = new Set(samples.map(({ sal }) => sal));
  });
  afterAll(() => scene?.close());

  const body = async (response: Response): Promise<Answer> => response.json();
  const get = (path: string, key = service.sandbox_key): Promise<Response> =>
    fetch(service.base_url + path, { headers: { authorization: `Bearer ${key}` } });
  const post = (path: string, given: object, key = service.sandbox_key, accept = 'application/json') =>
    fetch(service.base_url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept },
      body: JSON.stringify(given),
    });
  const leftOutOf = (response: Response): number => Number(response.headers.get('x-sandbox-left-out') ?? 0);
  const text = (value: string): string => encodeURIComponent(value);

  it('reads no estimates of other homes, alone or in a batch; the answer counts what it leaves out', async () => {
    let others = 0;
    for (const { gnaf_pid } of samples) {
      const path = `/v1/properties/${gnaf_pid}/comparables/for-sale-nearby?radius_m=5000`;
      const [own, all] = [await get(path), await get(path, paying)];
      const { data, message } = await body(own);
      const full: { gnaf_pid: string }[] = (await body(all)).data ?? [];
      const expected = full.filter((home) => properties.has(home.gnaf_pid));
      expect(data ?? []).toEqual(expected);
      expect(leftOutOf(own)).toBe(full.length - expected.length);
      expect(leftOutOf(all)).toBe(0);
      if (leftOutOf(own) > 0) expect(message).toMatch(/left out.*sandbox/);
      others += leftOutOf(own);
      const batch = await post('/v1/batch', {
        ids: [gnaf_pid],
        endpoints: ['comparables/for-sale-nearby', 'valuation/avm'],
        params: { 'comparables/for-sale-nearby': { radius_m: 5000 } },
      });
      const [result] = (await body(batch)).results;
      expect(result.answers['comparables/for-sale-nearby'].body.data ?? []).toEqual(expected);
      expect(leftOutOf(batch)).toBe(leftOutOf(own));
    }
    expect(others).toBeGreaterThan(0);
  });

  it('reads the surroundings of its samples as everyone does', async () => {
    let comparables = 0;
    for (const { gnaf_pid, sal } of samples)
      for (const path of [
        `/v1/properties/${gnaf_pid}/comparables/cma-comp-set`,
        `/v1/properties/${gnaf_pid}/comparables/recent-sales-nearby`,
        `/v1/properties/${gnaf_pid}/neighbours`,
        `/v1/properties/${gnaf_pid}/all`,
        `/api/property/neighbours?id=${gnaf_pid}`,
        `/v1/suburbs/${text(sal)}/sales?limit=20`,
        `/v1/suburbs/${text(sal)}/neighbours`,
        `/api/suburb?suburb=${text(sal)}`,
      ]) {
        const own = await get(path);
        const answer = await body(own);
        expect(answer, path).toEqual(await body(await get(path, paying)));
        expect(leftOutOf(own), path).toBe(0);
        if (path.endsWith('comp-set')) comparables += answer.data?.length ?? 0;
      }
    expect(comparables).toBeGreaterThan(0);
  });

  it('finds its suburbs only: others are left out and counted, and a search that finds only others is refused', async () => {
    const bare = (name: string): string => name.replace(/ \(.*/, '');
    let others = 0;
    for (const { sal, state } of samples)
      for (const [path, names] of [
        [`/v1/geocode/suburb?q=${text(bare(sal))}`, (answer: Answer) => answer.data],
        [`/api/suburb_search?q=${text(bare(sal))}`, (answer: Answer) => answer.results],
        [`/v1/suburbs/list?state=${state}`, (answer: Answer) => answer.data],
      ] as const) {
        const own = await get(path);
        expect(own.status, path).toBe(200);
        const listed = names(await body(own)).map((each: { suburb_name: string }) => each.suburb_name);
        const all = names(await body(await get(path, paying))).map(
          (each: { suburb_name: string }) => each.suburb_name,
        );
        expect(listed, path).toEqual(all.filter((name: string) => suburbs.has(name)));
        expect(listed.length, path).toBeGreaterThan(0);
        expect(leftOutOf(own), path).toBe(all.length - listed.length);
        others += leftOutOf(own);
      }
    expect(others).toBeGreaterThan(0);
    const { data } = await body(await get('/v1/regions/list?level=SAL'));
    expect(data.map(({ name }: { name: string }) => name).sort()).toEqual([...suburbs].sort());
    for (const path of ['/v1/geocode/suburb', '/api/suburb_search']) {
      const refused = await get(`${path}?q=${text(scene.sal)}`);
      expect(refused.status, path).toBe(403);
      expect((await body(refused)).detail.type).toBe('outside_sandbox');
      // Where there is nothing to find, nothing is refused.
      expect((await get(`${path}?q=${text('Qqqqqqqqqqq')}`)).status).toBe(200);
    }
  });

  it('finds its homes only', async () => {
    for (const { address, gnaf_pid } of samples)
      for (const path of ['/v1/geocode/address', '/api/geocode']) {
        const own = await get(`${path}?address=${text(address)}`);
        expect(own.status, address).toBe(200);
        const answer = await body(own);
        const { candidates } = answer.data ?? answer;
        expect(candidates.map((each: Sample) => each.gnaf_pid)).toEqual([gnaf_pid]);
      }
    const changes = await get('/v1/changes?since=1');
    expect(changes.status).toBe(200);
  });

  it('pays nothing for a batch, in the body as in the header', async () => {
    const given = {
      ids: samples.slice(0, 3).map(({ gnaf_pid }) => gnaf_pid),
      endpoints: ['profile', 'valuation/avm', 'all'],
    };
    for (const accept of ['application/json', 'application/x-ndjson']) {
      const response = await post('/v1/batch', given, service.sandbox_key, accept);
      expect(response.headers.get('x-cost-cents')).toBe('0');
      const costs = [...(await response.text()).matchAll(/"cost_cents":(\d+)/g)].map(([, cents]) => cents);
      expect(costs).toEqual(Array.from({ length: 9 }, () => '0'));
    }
    // Others pay, in both.
    const paid = await post('/v1/batch', given, paying);
    const sum = [...(await paid.text()).matchAll(/"cost_cents":(\d+)/g)].reduce(
      (n, [, c]) => n + Number(c),
      0,
    );
    expect([paid.headers.get('x-cost-cents'), sum > 0]).toEqual([String(sum), true]);
  });
});
