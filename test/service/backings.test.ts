import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../database.ts';
import { hasRedis, startRedis } from '../jobs/redis_server.ts';
import { OPEN_GATES, refreshSample } from '../pipelines/sample_run.ts';
import { sampleFolder } from '../published_sample.ts';
import { type Scene, setScene } from './scene.ts';

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

describe('state shared by several services', () => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await setScene();
  });
  afterAll(() => scene?.close());

  it.skipIf(!hasRedis())(
    'includes the rate of a key in Redis; without Redis each service limits separately',
    async () => {
      const redis = await startRedis();
      try {
        const set = [`queue.redis_url=${redis.url}`, 'service.rate_per_s=0.01', 'service.rate_burst=6'];
        const services = [await scene.start(set), await scene.start(set)];
        const status = async (key: string, i: number): Promise<number> =>
          (await fetch(`${services[i % 2]!.base_url}/v1/me`, { headers: bearer(key) })).status;
        const { key } = await scene.funded('shared', 0);
        const statuses = await Promise.all(Array.from({ length: 20 }, (_, i) => status(key, i)));
        expect(statuses.filter((each) => each === 200)).toHaveLength(6);
        expect(statuses.filter((each) => each === 429)).toHaveLength(14);
        await redis.stop();
        const { key: other } = await scene.funded('alone', 0);
        const later = [];
        for (let i = 0; i < 16; i++) later.push(await status(other, i));
        expect(later.filter((each) => each === 200)).toHaveLength(12);
      } finally {
        await redis.stop();
      }
    },
  );

  it('includes the ledger, if the tables are read from another server', async () => {
    const replica = await scene.database.copy();
    try {
      await replica.query('UPDATE serving.property_profile SET postcode = $1', ['0000']);
      await refreshSample(scene.database, scene.dir, [...OPEN_GATES, 'neighbours.min_shared_m=50']);
      const service = await scene.start([`service.read_url=${replica.url}`]);
      const { key, account_id } = await scene.funded('replica', 3 * 2);
      const profile = () =>
        fetch(`${service.base_url}/v1/properties/${scene.pid}/profile`, { headers: bearer(key) });
      const response = await profile();
      expect(await response.json()).toMatchObject({ data: { postcode: '0000' } });
      // It names the publication that it read, not the newer one that the other server has by now.
      expect(response.headers.get('x-publication')).toBe('1');
      expect([(await profile()).status, (await profile()).status]).toEqual([200, 402]);
      expect(await scene.wallet(account_id)).toEqual({ balance: 0, spent: 6, calls: 2, adds_up: true });
      const charges = `SELECT count(*)::int AS n FROM account.ledger WHERE kind = 'charge'`;
      expect(await replica.query(charges)).toEqual([{ n: 0 }]);
    } finally {
      await replica.drop();
    }
  });
});

const SERVER = process.env.TEST_EXTERNAL_DATABASE_URL;
if (!SERVER)
  console.warn(
    'SKIPPED: the service on an external PostgreSQL. Set TEST_EXTERNAL_DATABASE_URL, or source tools/scripts/ci_postgres.sh.',
  );

describe.skipIf(!SERVER)('an external PostgreSQL server', () => {
  let scene: Scene;
  const owner = `owner_${randomBytes(6).toString('hex')}`;

  /** The database belongs to a user that is no superuser, as it should on a server of one's own. */
  async function owned(database: TestDatabase): Promise<void> {
    const url = new URL(database.url);
    await database.query(`CREATE ROLE ${owner} LOGIN CREATEROLE PASSWORD 'pw'`);
    await database.query(`ALTER DATABASE ${url.pathname.slice(1)} OWNER TO ${owner}`);
    Object.assign(url, { username: owner, password: 'pw' });
    database.url = url.href;
  }

  beforeAll(async () => {
    const dir = await sampleFolder();
    const database = await createDatabase(SERVER!);
    await owned(database);
    expect((await refreshSample(database, dir)).error).toBeNull();
    scene = await setScene({ database, dir });
  });
  afterAll(() => scene?.close());

  it('serves and charges like the embedded one, without a superuser', async () => {
    const service = await scene.start(['service.rate_per_s=100000', 'service.rate_burst=100000']);
    const { key, account_id } = await scene.funded('external', 3 * 50);
    const statuses = await Promise.all(
      Array.from({ length: 70 }, async () => {
        const response = await fetch(`${service.base_url}/v1/properties/${scene.pid}/profile`, {
          headers: bearer(key),
        });
        await response.arrayBuffer();
        return response.status;
      }),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(50);
    expect(statuses.filter((status) => status === 402)).toHaveLength(20);
    expect(await scene.wallet(account_id)).toEqual({ balance: 0, spent: 150, calls: 50, adds_up: true });
    const as = await fetch(`${service.base_url}/v1/properties/${scene.pid}/profile?as_of=1`, {
      headers: bearer(service.sandbox_key),
    });
    expect(as.status).toBe(403);
    const samples = await fetch(`${service.base_url}/api/sandbox_sample`, {
      headers: bearer(service.sandbox_key),
    });
    expect(((await samples.json()) as unknown[]).length).toBeGreaterThan(3);
  });
});
