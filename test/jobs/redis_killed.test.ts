import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBackend } from '../../jobs/backend.ts';
import { enqueueRefresh } from '../../jobs/refresh_job.ts';
import { silent } from '../../pipelines/report/progress.ts';
import { refresh } from '../../pipelines/run/refresh.ts';
import { createDatabase, type TestDatabase } from '../database.ts';
import { type ChildRun, pipeline, sessionsGone } from '../pipelines/child_run.ts';
import { until } from '../waiting.ts';
import { hasRedis, type RedisServer, startRedis } from './redis_server.ts';
import { digestsOf, makeSample, type Sample } from './sample.ts';

const REDIS = hasRedis();
if (!REDIS)
  console.warn('SKIPPED: a Redis that is killed is not tested, because redis-server is not on the PATH.');

describe.skipIf(!REDIS)('a Redis that is killed in the middle of a run', () => {
  let sample: Sample;
  let redis: RedisServer;
  let database: TestDatabase;
  let worker: ChildRun | undefined;

  beforeAll(async () => {
    sample = await makeSample();
    redis = await startRedis();
    database = await createDatabase();
  });
  afterAll(async () => {
    worker?.child.kill('SIGKILL');
    await redis?.stop();
    await database?.drop();
    await sample?.remove();
  });

  it('loses no run and no row: a refresh without the queue ends with the same content', async () => {
    const config = {
      ...sample.config,
      queue: { ...sample.config.queue, redis_url: redis.url, cron: null, backoff_s: 0.3 },
    };
    const setting = { url: database.url, config, base: sample.dir, progress: silent };
    const backend = await openBackend(database.url, config.queue);
    await enqueueRefresh(backend.queue, { requested_by: 'test', rehash: false }, config.queue);
    await backend.close();
    worker = pipeline(['worker', '--config', sample.file, '--set', 'queue.cron=null'], {
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
    });
    const count = (table: string): Promise<number> =>
      database
        .query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`)
        .then((rows) => rows[0]!.n)
        .catch(() => 0);
    await until('a run in the middle', async () => (await count('control.partition')) > 0);
    expect(await count('control.publication')).toBe(0);
    await redis.stop();
    // The run in hand goes on without its queue.
    await until('its publication', async () => (await count('control.publication')) === 1);
    worker.child.kill('SIGKILL');
    await worker.ended;
    await sessionsGone(database);
    const served = await digestsOf(database.url);
    const report = await refresh({ ...setting, command: 'test' });
    expect(report).toMatchObject({ state: 'unchanged', error: null });
    expect(served).toEqual(sample.expected);
  });
});
