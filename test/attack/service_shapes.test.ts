import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAZARD_LAYERS } from '../../schema/records/hazard.ts';
import type { Service } from '../../service/server.ts';
import { type Scene, setScene } from '../service/scene.ts';

interface Answer {
  status: number;
  headers: Headers;
  body: Record<string, unknown> & { data?: unknown; detail?: unknown; reason?: string };
}

describe('shapes of requests and answers', () => {
  let scene: Scene;
  let service: Service;
  let key: string;

  beforeAll(async () => {
    scene = await setScene();
    service = await scene.start(['service.rate_per_s=100000', 'service.rate_burst=100000']);
    ({ key } = await scene.funded('shapes', 1_000_000));
  });
  afterAll(() => scene?.close());

  async function ask(path: string, body?: object): Promise<Answer> {
    const response = await fetch(`${service.base_url}${path}`, {
      headers: { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Answer['body'],
    };
  }
  const finding = (type: string, loc: readonly string[], input: unknown) => ({
    status: 422,
    body: { detail: [{ type, loc, input }] },
  });

  it.each(['', '1e3', '%20', '500.0', '0x1F4'])('radius_m=%s is no whole number', async (text) => {
    expect(await ask(`/v1/properties/${scene.pid}/amenities/nearby?radius_m=${text}`)).toMatchObject(
      finding('int_parsing', ['query', 'radius_m'], decodeURIComponent(text)),
    );
  });

  it('takes a state in any case, and no earlier publication that is blank', async () => {
    for (const state of ['VIC', 'vic'])
      expect((await ask(`/v1/suburbs/list?state=${state}`)).status, state).toBe(200);
    expect(await ask(`/v1/properties/${scene.pid}/profile?as_of=`)).toMatchObject(
      finding('int_parsing', ['query', 'as_of'], ''),
    );
  });

  it('gives reasons without blanks or signs, for suburbs and addresses', async () => {
    const suburb = encodeURIComponent('Springfield (Harbour - NSW)');
    expect((await ask(`/v1/suburbs/${suburb}/neighbours`)).body.reason).toBe(
      'no_suburb_neighbours_for_Springfield_Harbour_NSW',
    );
    expect((await ask('/v1/properties/GANOWHERE_1/profile')).body.reason).toBe('no_profile_for_GANOWHERE_1');
    const long = `1/2 Nowhere St, ${'Atlantis '.repeat(30)}`;
    for (const address of ['?!', long])
      expect(
        (await ask(`/v1/geocode/address?address=${encodeURIComponent(address)}`)).body.reason,
        address,
      ).toMatch(/^no_property_for_[A-Za-z0-9]+(_[A-Za-z0-9]+)*$/);
  });

  it('refuses an id and an address of two properties, and uses the id if the address is unknown', async () => {
    const [other] = await scene.database.query<{ pid: string; address: string }>(
      `SELECT gnaf_pid AS pid, address FROM serving.property p WHERE gnaf_pid <> $1 AND dwelling_type = 'house' AND street IS NOT NULL
         AND (SELECT count(*) FROM serving.property q WHERE q.address = p.address) = 1 ORDER BY 1 LIMIT 1`,
      [scene.pid],
    );
    for (const path of ['/v1/property', '/api/property', '/api/avm', '/api/cma']) {
      expect(await ask(path, { id: scene.pid, address: other!.address }), path).toMatchObject(
        finding('value_error', ['body', 'address'], other!.address),
      );
      expect((await ask(path, { id: other!.pid, address: other!.address })).status, path).toBe(200);
    }
    expect((await ask('/api/avm', { id: scene.pid, address: 'nowhere at all' })).body).toMatchObject({
      status: 'matched',
      gnaf_pid: scene.pid,
    });
  });

  it('refuses to list the neighbours of an unknown id, free of charge', async () => {
    const answer = await ask('/api/property/neighbours?id=NOPE');
    expect(answer).toMatchObject(finding('value_error', ['query', 'id'], 'NOPE'));
    expect(answer.headers.get('x-cost-cents')).toBe('0');
  });

  it('answers an alias like its principal, and names the principal in a header', async () => {
    const [one] = await scene.database.query<{ alias: string; principal: string }>(
      `SELECT alias_pid AS alias, principal_pid AS principal FROM record.address_alias a
       JOIN record.address d ON d.gnaf_pid = alias_pid AND d.is_live JOIN serving.property p ON p.gnaf_pid = principal_pid ORDER BY 1 LIMIT 1`,
    );
    const { alias, principal } = one!;
    const canonical = ({ headers }: Answer) => headers.get('x-canonical-gnaf-id');
    for (const path of ['profile', 'all', 'valuation/avm']) {
      const [own, meant] = [
        await ask(`/v1/properties/${alias}/${path}`),
        await ask(`/v1/properties/${principal}/${path}`),
      ];
      expect(own.body, path).toEqual(meant.body);
      expect([canonical(own), canonical(meant)], path).toEqual([principal, null]);
      expect(own.headers.get('x-cost-cents'), path).toBe(meant.headers.get('x-cost-cents'));
    }
    const neighbours = await ask(`/api/property/neighbours?id=${alias}`);
    expect(neighbours.body).toMatchObject({ property: { gnaf_pid: principal } });
    expect(canonical(neighbours)).toBe(principal);
    for (const path of ['/api/property', '/api/avm', '/api/cma']) {
      const answer = await ask(path, { id: alias });
      expect(answer.body, path).toMatchObject({ status: 'matched', gnaf_pid: principal });
      expect(canonical(answer), path).toBe(principal);
    }
    // What is no alias is unknown as before.
    expect((await ask('/v1/properties/GANONE/profile')).body).toMatchObject({ no_data: 'unknown_property' });
    const sandbox = await fetch(`${service.base_url}/v1/properties/${alias}/profile`, {
      headers: { authorization: `Bearer ${service.sandbox_key}` },
    });
    expect(sandbox.status).toBe(403);
  });

  it('states the coverage of every hazard layer, in bundles as in risks/all', async () => {
    const alone = await ask(`/v1/properties/${scene.pid}/risks/all`);
    const { layers } = alone.body as { layers: Record<string, string> };
    expect(Object.keys(layers).sort()).toEqual([...HAZARD_LAYERS].sort());
    const sectionOf = ({ body }: Answer) => (body.data as Record<string, unknown>)['risks/all'];
    const whole = await ask('/v1/property', { id: scene.pid });
    for (const section of [
      sectionOf(await ask(`/v1/properties/${scene.pid}/all`)),
      sectionOf(await ask('/api/property', { id: scene.pid })),
      (whole.body.data as { data: Record<string, unknown> }).data['risks/all'],
    ])
      expect(section).toMatchObject({ layers });
  });
});
