import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseChecks } from '../../pipelines/doctor/database.ts';
import { configSchema } from '../../schema/config.ts';
import { startService } from '../../service/server.ts';
import { isTransactionPooler } from '../../store/system/session_settings.ts';
import { SMALL } from '../countries.ts';
import { createDatabase, type TestDatabase } from '../database.ts';
import { pipeline } from '../pipelines/child_run.ts';
import { digestOf } from '../pipelines/sample_run.ts';
import { publishedSample } from '../published_sample.ts';
import { hasPgBouncer, type Pooler, startPgBouncer } from './pgbouncer.ts';

const POOLER = hasPgBouncer();
if (!POOLER) console.warn('SKIPPED: connection poolers are not tested, because pgbouncer is not installed.');

describe.skipIf(!POOLER)('PgBouncer', () => {
  let database: TestDatabase;
  let empty: TestDatabase;
  let dir: string;
  const poolers: Pooler[] = [];
  const start = async (...given: Parameters<typeof startPgBouncer>): Promise<string> => {
    const pooler = await startPgBouncer(...given);
    poolers.push(pooler);
    return pooler.url;
  };
  const run = async (url: string, ...args: string[]) => {
    const child = pipeline([...args, '-c', `${dir}/config.yaml`], { DATABASE_URL: url });
    // A command that is not refused may run for ever.
    const timer = setTimeout(() => child.child.kill('SIGKILL'), 120_000);
    const { code } = await child.ended;
    clearTimeout(timer);
    return { code, text: child.output() };
  };

  beforeAll(async () => {
    ({ database, dir } = await publishedSample(SMALL));
    empty = await createDatabase();
  });
  afterAll(async () => {
    for (const pooler of poolers) await pooler.stop();
    await database?.drop();
    await empty?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it.each([
    ['as installed', []],
    ['as advised on the net', ['ignore_startup_parameters = options,extra_float_digits']],
    ['with one connection to the server', ['default_pool_size = 1']],
    ['with connections in turn', ['server_round_robin = 1', 'min_pool_size = 5']],
  ])('in transaction mode %s is refused by runs, services and doctor', async (_, more) => {
    const url = await start(empty.url, 'transaction', more);
    expect(await isTransactionPooler(url)).toBe(true);
    for (const command of [
      ['refresh'],
      ['rollback', '--reason', 'x'],
      ['worker'],
      ['serve', '--port', '0'],
    ]) {
      const { code, text } = await run(url, ...command);
      expect([command[0], code, text]).toEqual([
        command[0],
        1,
        expect.stringContaining('pooler_without_sessions'),
      ]);
      expect(text).toContain('Point DATABASE_URL to PostgreSQL itself, or to a pool in session mode');
    }
    const checks = await databaseChecks(url, configSchema.parse({ database: { url }, datasets: {} }));
    expect(checks.find(({ check }) => check === 'sessions')).toMatchObject({ status: 'fail' });
  });

  it('in session mode works, with the settings that a session needs', async () => {
    const before = await digestOf(database);
    const url = await start(database.url, 'session');
    expect(await isTransactionPooler(url)).toBe(false);
    expect(await isTransactionPooler(database.url)).toBe(false);
    const again = await run(url, 'refresh', '--set', 'parcel.nearest_m=9');
    expect(again.code, again.text).toBe(0);
    const back = await run(url, 'refresh');
    expect(back.code, back.text).toBe(0);
    expect(await digestOf(database)).toBe(before);
  });

  it('serves the service in transaction mode by read_url, as the role of the API', async () => {
    const url = await start(database.url, 'transaction', ['default_pool_size = 2']);
    const config = configSchema.parse({ datasets: {}, service: { port: 0, read_url: url } });
    const service = await startService(database.url, config);
    try {
      const headers = { authorization: `Bearer ${service.sandbox_key}` };
      const ids = await database.query<{ id: string }>(
        'SELECT gnaf_pid AS id FROM serving.property LIMIT 40',
      );
      const answers = await Promise.all(
        ids.map(({ id }) => fetch(`${service.base_url}/v1/properties/${id}/profile`, { headers })),
      );
      // The sandbox key has samples only; every other answer is a refusal, and none a failure of the database.
      expect(answers.every(({ status }) => status < 500)).toBe(true);
      const found = await fetch(`${service.base_url}/v1/properties/${ids[0]!.id}/profile`, { headers });
      expect(found.headers.get('content-type')).toContain('json');
      // A session of the pool is left as it was: the role ends with each transaction.
      const roles = await Promise.all(
        [1, 2].map(async () => {
          const { default: pg } = await import('pg');
          const client = new pg.Client({ connectionString: url });
          await client.connect();
          const { rows } = await client.query('SELECT current_user = session_user AS own');
          await client.end();
          return rows[0].own;
        }),
      );
      expect(roles).toEqual([true, true]);
    } finally {
      await service.close();
    }
  });
});
