import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../cli/load_config.ts';
import { type Service, startService } from '../../service/server.ts';
import { WHOLE } from '../countries.ts';
import { publishedSample } from '../published_sample.ts';
import { type Scene, setScene } from './scene.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const METERED = [
  'x-cost-cents',
  'x-spent-cents',
  'x-remaining-cents',
  'x-period-end',
  'x-balance-cents',
  'x-rate-card-version',
  'x-request-id',
];
const ACCOUNT = ['x-cost-cents', 'x-period-end', 'x-rate-card-version', 'x-request-id'];

/** Section 4.3, row by row, then the prices that the open points add: path after the property, and price in cents. */
const PROPERTY_ROWS: readonly (readonly [source: string, path: string, cents: number])[] = [
  ['4.3', 'valuation/avm', 10],
  ['4.3', 'basics/bed-count', 5],
  ['4.3', 'basics/bath-count', 5],
  ['4.3', 'basics/parking-count', 5],
  ['4.3', 'basics/dwelling-type', 5],
  ['4.3', 'basics/land-area-sqm', 3],
  ['4.3', 'profile', 3],
  ['4.3', 'sale-history', 30],
  ['4.3', 'sale-history-latest', 10],
  ['4.3', 'rent-history', 30],
  ['4.3', 'rent-history-latest', 10],
  ['4.3', 'neighbours', 30],
  ['4.3', 'comparables/cma-comp-set', 60],
  ['4.3', 'comparables/cma-single-comp', 10],
  ['4.3', 'comparables/recent-sales-nearby', 4],
  ['4.3', 'development/zoning-code', 3],
  ['4.3', 'development/zoning-overlays', 5],
  ['4.3', 'schools/nearby', 5],
  ['4.3', 'schools/ranking', 100],
  ['4.3', 'amenities/nearby', 10],
  ['4.3', 'transport/nearby', 5],
  ['4.3', 'risks/bushfire', 15],
  ['4.3', 'risks/flood', 10],
  ['4.3', 'risks/historical-flood', 3],
  ['4.5, prices', 'risks/all', 48],
  ['prices', 'risks/heritage', 3],
  ['prices', 'risks/landslide', 3],
  ['prices', 'risks/erosion', 3],
  ['prices', 'risks/environment', 3],
  ['prices', 'risks/hv-power-line', 2],
  ['prices', 'risks/mobile-black-spot', 2],
  ['prices', 'risks/public-housing', 4],
  ['beyond it', 'comparables/for-sale-nearby', 30],
  ['beyond it', 'street', 20],
  ['beyond it', 'valuation/history', 30],
  ['beyond it', 'successor', 1],
  ['prices', 'basics/all', 23],
  ['prices', 'history/all', 80],
  ['prices', 'comparables/all', 74],
  ['prices', 'development/all', 8],
  ['prices', 'valuation/all', 10],
  ['prices', 'schools/all', 105],
];

/** What an answer is held against. */
interface Answer {
  status: number;
  headers: Record<string, string>;
  body: Record<string, unknown> & { detail?: unknown };
}

interface Asking {
  get(path: string, key?: string | null): Promise<Answer>;
  post(path: string, body: unknown): Promise<Answer>;
  /** A second call of a key that may make one. */
  again(path: string): Promise<Answer>;
  /** A call while the database is away. */
  away(path: string): Promise<Answer>;
  pid: string;
  /** A property with a flood layer within 1 km. */
  flooded: string;
  sal: string;
  sandbox: string;
}

const is = (status: number) => (answer: Answer) => expect(answer.status).toBe(status);
const finds = (type: string, loc: readonly string[]) => (answer: Answer) => {
  expect(answer.status).toBe(422);
  expect(answer.body.detail).toMatchObject([{ type, loc, msg: expect.any(String) }]);
  expect((answer.body.detail as object[])[0]).toHaveProperty('input');
};
const refuses = (status: number, type: string) => (answer: Answer) =>
  expect(answer).toMatchObject({ status, body: { detail: { type, msg: expect.any(String) } } });

/** Lines of sections 4, 5, 7 and 8 and of the open points: what is asked, and what must hold of the answer. */
const LINES: readonly (readonly [line: string, (to: Asking) => Promise<Answer>, (answer: Answer) => void])[] =
  [
    [
      '4.1.3 a priced endpoint requires the key',
      (to) => to.get(`/v1/properties/${to.pid}/profile`, null),
      refuses(401, 'missing_key'),
    ],
    [
      '4.1.3 an invalid query value is a 422',
      (to) => to.get(`/v1/properties/${to.pid}/transport/nearby?radius_m=x`),
      finds('int_parsing', ['query', 'radius_m']),
    ],
    [
      '4.2 ping needs no key and is free',
      (to) => to.get('/v1/ping', null),
      (answer) => expect(answer).toMatchObject({ status: 200, headers: { 'x-cost-cents': '0' } }),
    ],
    ['4.2 me needs the key', (to) => to.get('/v1/me', null), is(401)],
    [
      '4.2 me is free and says the balance',
      (to) => to.get('/v1/me'),
      (answer) =>
        expect(answer).toMatchObject({
          status: 200,
          headers: { 'x-cost-cents': '0' },
          body: { account: 'lines', sandbox: false, remaining_cents: expect.any(Number) },
        }),
    ],
    [
      '4.4 radius_m from 100',
      (to) => to.get(`/v1/properties/${to.pid}/amenities/nearby?radius_m=100`),
      is(200),
    ],
    [
      '4.4 radius_m below 100',
      (to) => to.get(`/v1/properties/${to.pid}/amenities/nearby?radius_m=99`),
      finds('greater_than_equal', ['query', 'radius_m']),
    ],
    [
      '4.4 radius_m to 5000',
      (to) => to.get(`/v1/properties/${to.pid}/transport/nearby?radius_m=5000`),
      is(200),
    ],
    [
      '4.4 radius_m above 5000',
      (to) => to.get(`/v1/properties/${to.pid}/transport/nearby?radius_m=5001`),
      finds('less_than_equal', ['query', 'radius_m']),
    ],
    [
      '4.4 geojson is true or false',
      (to) => to.get(`/v1/properties/${to.pid}/risks/flood?geojson=perhaps`),
      finds('bool_parsing', ['query', 'geojson']),
    ],
    [
      '4.4 no endpoint takes what it does not name',
      (to) => to.get(`/v1/properties/${to.pid}/profile?radius_m=500`),
      finds('extra_forbidden', ['query', 'radius_m']),
    ],
    [
      '4.4 and open points: historical-flood, environment and the like take no geojson',
      (to) => to.get(`/v1/properties/${to.pid}/risks/historical-flood?geojson=true`),
      finds('extra_forbidden', ['query', 'geojson']),
    ],
    [
      '4.4 and open points: geojson stands in each record, clipped to the circle of 1 km, with what was done to it beside it',
      (to) => to.get(`/v1/properties/${to.flooded}/risks/flood?geojson=true`),
      ({ body }) => {
        expect(body).not.toHaveProperty('geojson');
        const records = body.data as Record<string, unknown>[];
        expect(records.length).toBeGreaterThan(0);
        for (const record of records)
          expect(record).toMatchObject({
            geojson: { type: 'FeatureCollection', features: expect.any(Array) },
            geojson_meta: { clip_method: '1km_radius', radius_m: 1000, truncated: false },
          });
      },
    ],
    [
      '4.4 geojson: the response is unchanged without it',
      (to) => to.get(`/v1/properties/${to.flooded}/risks/flood?geojson=false`),
      ({ body }) => {
        for (const record of body.data as Record<string, unknown>[])
          expect(Object.keys(record).filter((name) => name.startsWith('geojson'))).toEqual([]);
      },
    ],
    [
      '4.7 neighbours need the id',
      (to) => to.get('/api/property/neighbours'),
      finds('missing', ['query', 'id']),
    ],
    [
      '4.7 neighbours of a property',
      (to) => to.get(`/api/property/neighbours?id=${to.pid}`),
      (answer) =>
        expect(answer).toMatchObject({
          status: 200,
          body: {
            property: { gnaf_pid: expect.any(String), status: expect.any(String) },
            neighbours: expect.any(Array),
          },
        }),
    ],
    [
      '4.7 the finder needs suburbs or regions',
      (to) => to.get('/api/property_finder'),
      (answer) => expect((answer.body.detail as { loc: string[] }[])[0]!.loc).toEqual(['query', 'suburbs']),
    ],
    [
      '4.7, 8 defaults of the finder',
      (to) => to.get('/api/property_finder?regions=VIC'),
      (answer) =>
        expect(answer).toMatchObject({
          status: 200,
          body: {
            success: true,
            search_type: 'regions',
            query_parameters: {
              limit: 500,
              offset: 0,
              min_price: 10000,
              max_distance_to_school: 2000,
              min_distance_to_public_housing: 0,
              max_distance_to_public_housing: 5000,
              sort_direction: 'desc',
              publi_housing_value_thresh: expect.any(Number),
            },
          },
        }),
    ],
    [
      '4.7, 8 limit of the finder to 5000',
      (to) => to.get('/api/property_finder?regions=VIC&limit=5001'),
      finds('less_than_equal', ['query', 'limit']),
    ],
    [
      '4.7 POST /api/property',
      (to) => to.post('/api/property', { id: to.pid }),
      (answer) => expect(answer.body).toMatchObject({ status: 'matched' }),
    ],
    ['4.7 GET /api/suburb', (to) => to.get(`/api/suburb?suburb=${encodeURIComponent(to.sal)}`), is(200)],
    ['4.7 POST /api/cma', (to) => to.post('/api/cma', { id: to.pid }), is(200)],
    ['4.7 POST /api/avm', (to) => to.post('/api/avm', { id: to.pid }), is(200)],
    [
      '4.7 POST /api/property_finder',
      (to) => to.post('/api/property_finder', { regions: 'VIC', limit: 1 }),
      is(200),
    ],
    [
      '4.7 POST /v1/property takes an address',
      (to) => to.post('/v1/property', { address: 'nowhere at all' }),
      (answer) => expect(answer).toMatchObject({ status: 200, body: { data: null, available: false } }),
    ],
    ['5.1 the key is a bearer token', (to) => to.get('/v1/me', 'pk_unknown'), refuses(401, 'unknown_key')],
    [
      '5.5 sandbox outside its property',
      (to) => to.get(`/v1/properties/${to.pid}/profile`, to.sandbox),
      refuses(403, 'outside_sandbox'),
    ],
    [
      '5.5 sandbox outside its suburb',
      (to) => to.get(`/v1/suburbs/${encodeURIComponent(to.sal)}/profile`, to.sandbox),
      refuses(403, 'outside_sandbox'),
    ],
    [
      '7 no data is a 200 with a slug',
      (to) => to.get('/v1/properties/GANONE/profile'),
      (answer) =>
        expect(answer).toMatchObject({
          status: 200,
          body: {
            data: null,
            available: false,
            reason: 'no_profile_for_GANONE',
            message: expect.any(String),
          },
        }),
    ],
    [
      '7 and open points: 429 is the rate of the key, with Retry-After',
      (to) => to.again(`/v1/properties/${to.pid}/profile`),
      (answer) => {
        refuses(429, 'rate_limited')(answer);
        expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
        expect(answer.headers['x-cost-cents']).toBe('0');
      },
    ],
    [
      '7 and open points: 5xx is upstream, a 503 with Retry-After',
      (to) => to.away(`/v1/properties/${to.pid}/profile`),
      (answer) => {
        refuses(503, 'unavailable')(answer);
        expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
        expect(answer.headers['x-cost-cents']).toBe('0');
      },
    ],
    [
      '7 a 422 names place, kind and input',
      (to) => to.post('/api/avm', {}),
      finds('missing', ['body', 'id']),
    ],
    [
      '7 a missing input is null',
      (to) => to.get('/v1/geocode/address'),
      (answer) => expect(answer.body.detail).toMatchObject([{ type: 'missing', input: null }]),
    ],
    [
      'open points: string_too_short',
      (to) => to.get('/v1/geocode/address?address=x'),
      finds('string_too_short', ['query', 'address']),
    ],
    [
      'open points: literal_error',
      (to) => to.get('/api/property_finder?regions=VIC&sort_by=x'),
      finds('literal_error', ['query', 'sort_by']),
    ],
    [
      'open points: geocode/suburb costs 1',
      (to) => to.get(`/v1/geocode/suburb?q=${encodeURIComponent(to.sal.slice(0, 6))}`),
      (answer) => expect(answer).toMatchObject({ status: 200, headers: { 'x-cost-cents': '1' } }),
    ],
    [
      'open points: suburbs/list is free',
      (to) => to.get('/v1/suburbs/list'),
      (answer) => expect(answer).toMatchObject({ status: 200, headers: { 'x-cost-cents': '0' } }),
    ],
    [
      'open points: a suburb profile costs 3',
      (to) => to.get(`/v1/suburbs/${encodeURIComponent(to.sal)}/profile`),
      (answer) => expect(answer).toMatchObject({ status: 200, headers: { 'x-cost-cents': '3' } }),
    ],
    [
      'open points: unknown_suburb costs 0',
      (to) => to.get('/v1/suburbs/Nowhere/profile'),
      (answer) =>
        expect(answer).toMatchObject({
          body: { no_data: 'unknown_suburb' },
          headers: { 'x-cost-cents': '0' },
        }),
    ],
    [
      'beyond it: the suburb finder costs 30, and its fields and regions are free',
      async (to) => {
        for (const list of ['fields', 'regions'])
          expect(await to.get(`/v1/suburbs/finder/${list}`)).toMatchObject({
            status: 200,
            headers: { 'x-cost-cents': '0' },
            body: { data: expect.arrayContaining([expect.any(Object)]) },
          });
        return to.get('/v1/suburbs/finder?regions=VIC&sort_by=median_price&limit=2');
      },
      ({ status, headers, body }) => {
        expect(status).toBe(200);
        expect(headers['x-cost-cents']).toBe('30');
        expect(body.data).toMatchObject({ total: expect.any(Number), market: 'house' });
        expect((body.data as { suburbs: object[] }).suburbs).toHaveLength(2);
      },
    ],
    [
      'beyond it: the suburb finder over POST takes the same, and an unknown region costs nothing',
      async (to) => {
        expect(await to.get('/v1/suburbs/finder?regions=Nowhere')).toMatchObject({
          status: 200,
          headers: { 'x-cost-cents': '0' },
          body: { data: null, no_data: 'unknown_region', reason: 'no_suburbs_for_Nowhere' },
        });
        return to.post('/v1/suburbs/finder', { suburbs: [to.sal], limit: 0 });
      },
      (answer) => expect(answer.body).toEqual({ data: { total: 1, market: 'house', suburbs: [] } }),
    ],
    [
      'beyond it: the suburb finder with the sandbox key finds only the sample suburbs',
      async (to) => {
        expect(await to.get('/v1/suburbs/finder?regions=VIC', to.sandbox)).toMatchObject({ status: 403 });
        const samples = await to.get('/api/sandbox_sample', to.sandbox);
        const found = await to.get('/v1/suburbs/finder', to.sandbox);
        const names = (found.body as unknown as { data: { suburbs: { suburb_name: string }[] } }).data
          .suburbs;
        expect(names.map(({ suburb_name }) => suburb_name).sort()).toEqual(
          (samples.body as unknown as { sal: string }[]).map(({ sal }) => sal).sort(),
        );
        return found;
      },
      is(200),
    ],
    [
      'beyond it: lists of regions are free, also with the sandbox key',
      async (to) => {
        const list = await to.get('/v1/regions/list?level=SA4');
        expect(list).toMatchObject({ status: 200, headers: { 'x-cost-cents': '0' } });
        expect((await to.get('/v1/regions/list?level=SA4', to.sandbox)).body).toEqual(list.body);
        return to.get('/v1/regions/list?level=MB');
      },
      finds('literal_error', ['query', 'level']),
    ],
    [
      'beyond it: Census values by region cost 30, and the sandbox key reads those of the sample suburbs',
      async (to) => {
        expect(await to.get('/v1/regions/census?level=SA2', to.sandbox)).toMatchObject({ status: 403 });
        const samples = (await to.get('/api/sandbox_sample', to.sandbox)).body as unknown as {
          sal: string;
        }[];
        const { body } = await to.get('/v1/regions/census', to.sandbox);
        const { regions } = body.data as { regions: { name: string }[] };
        expect(regions.map(({ name }) => name).sort()).toEqual(samples.map(({ sal }) => sal).sort());
        return to.get('/v1/regions/census?level=STE&fields=population&limit=1');
      },
      ({ headers, body }) => {
        expect(headers['x-cost-cents']).toBe('30');
        expect(body.data).toMatchObject({ level: 'STE', regions: [{ population: expect.any(Number) }] });
      },
    ],
    [
      'beyond it: mesh blocks of a suburb cost 5, and a state has a profile and a Census',
      async (to) => {
        for (const path of ['profile', 'demographics'])
          expect(await to.get(`/v1/suburbs/VIC/${path}?level=STE`)).toMatchObject({
            body: { data: { level: 'STE', name: 'Victoria' }, region: { level: 'STE', code: 'VIC' } },
          });
        return to.get(`/v1/suburbs/${encodeURIComponent(to.sal)}/mesh-blocks`);
      },
      (answer) => expect(answer).toMatchObject({ status: 200, headers: { 'x-cost-cents': '5' } }),
    ],
    [
      'open points: level other than SAL with the sandbox key',
      (to) => to.get('/v1/suburbs/x/profile?level=LGA', to.sandbox),
      is(403),
    ],
  ];

describe('the specification, line by line', () => {
  let scene: Scene;
  let service: Service;
  let to: Asking;
  let orphan: Service;

  beforeAll(async () => {
    scene = await setScene(await publishedSample(WHOLE));
    const [flooded] = await scene.database.query<{ gnaf_pid: string }>(
      `SELECT min(gnaf_pid) AS gnaf_pid FROM serving.property_risk JOIN serving.property USING (gnaf_pid) WHERE layer = 'flood' AND lon IS NOT NULL`,
    );
    service = await scene.start(['service.rate_per_s=100000', 'service.rate_burst=100000']);
    const { key } = await scene.funded('lines', 1_000_000);
    const answerOf = async (response: Response): Promise<Answer> => ({
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: (await response.json()) as Answer['body'],
    });
    const auth = (given: string | null = key): Record<string, string> =>
      given === null ? {} : { authorization: `Bearer ${given}` };
    const slow = await scene.start(['service.rate_per_s=0.01', 'service.rate_burst=1']);
    const copy = await scene.database.copy();
    orphan = await startService(copy.url, (await loadConfig({ set: ['service.port=0'] }, {})).config);
    await copy.drop();
    const ask = async (of: Service, path: string): Promise<Answer> =>
      answerOf(await fetch(of.base_url + path, { headers: auth() }));
    to = {
      again: async (path) => {
        await ask(slow, path);
        return ask(slow, path);
      },
      away: (path) => ask(orphan, path),
      get: async (path, given) => answerOf(await fetch(service.base_url + path, { headers: auth(given) })),
      post: async (path, body) =>
        answerOf(
          await fetch(service.base_url + path, {
            method: 'POST',
            headers: { 'content-type': 'application/json', ...auth() },
            body: JSON.stringify(body),
          }),
        ),
      pid: scene.pid,
      flooded: flooded!.gnaf_pid,
      sal: scene.sal,
      sandbox: service.sandbox_key,
    };
  });
  afterAll(async () => {
    await orphan?.close();
    await scene?.close();
  });

  it.each(PROPERTY_ROWS)(
    '%s: %s costs %i cents, or nothing where nobody knows',
    async (_source, path, cents) => {
      const { status, headers, body } = await to.get(`/v1/properties/${scene.pid}/${path}`);
      expect(status).toBe(200);
      for (const name of METERED) expect(headers, name).toHaveProperty([name]);
      expect(headers['x-request-id']).toMatch(UUID);
      expect(headers['x-balance-cents']).toBe(headers['x-remaining-cents']);
      expect(headers['x-period-end']).toMatch(/^\d{4}-\d\d-01T00:00:00Z$/);
      const isBilled = body.data !== null || body.no_data === 'none_found';
      // A bundle costs what its parts cost for this home, and no more than its price (test/attack/service.test.ts).
      if (path.endsWith('/all')) expect(Number(headers['x-cost-cents'])).toBeLessThanOrEqual(cents);
      else expect(headers['x-cost-cents']).toBe(isBilled ? String(cents) : '0');
      if (body.data === null)
        expect(body).toMatchObject({ available: false, reason: expect.stringContaining('no_') });
      else expect(body).not.toHaveProperty('available');
    },
  );

  it.each(LINES)('%s', async (_line, ask, holds) => {
    const answer = await ask(to);
    expect(answer.headers['x-request-id']).toMatch(UUID);
    holds(answer);
  });

  it('beyond it: a batch has the headers of a metered call, and costs what its answers cost', async () => {
    const { status, headers, body } = await to.post('/v1/batch', {
      ids: [scene.pid],
      endpoints: ['profile'],
    });
    expect(status).toBe(200);
    for (const name of METERED) expect(headers, name).toHaveProperty([name]);
    expect(headers['x-cost-cents']).toBe('3');
    const single = await to.get(`/v1/properties/${scene.pid}/profile`);
    expect(body).toEqual({
      results: [{ id: scene.pid, answers: { profile: { cost_cents: 3, body: single.body } } }],
    });
  });

  it('beyond it: changes cost a cent and name the publication; exports and watches have the four headers', async () => {
    const changed = await to.get('/v1/changes?since=1');
    expect(changed).toMatchObject({
      status: 200,
      body: { data: { since: 1, publication: 1, start_anew: false, changes: [], next_cursor: null } },
    });
    expect(changed.headers['x-cost-cents']).toBe('1');
    for (const path of ['/v1/exports', '/v1/watches']) {
      const { status, headers } = await to.get(path);
      expect(status, path).toBe(200);
      expect(METERED.filter((name) => name in headers).sort()).toEqual([...ACCOUNT].sort());
      expect(await to.get(path, null)).toMatchObject({ status: 401 });
    }
    for (const path of ['/v1/watches', '/v1/exports/nothing'])
      expect(await to.get(path, to.sandbox), path).toMatchObject({
        status: path === '/v1/watches' ? 403 : 404,
      });
  });

  it('8: ping and account endpoints return four headers of the bill only', async () => {
    for (const path of ['/v1/ping', '/v1/me']) {
      const { headers } = await to.get(path);
      expect(METERED.filter((name) => name in headers).sort()).toEqual([...ACCOUNT].sort());
    }
  });
});
