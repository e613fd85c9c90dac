import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openBackend } from '../../jobs/backend.ts';
import { readQueueState } from '../../jobs/queue_state.ts';
import { redisChecks } from '../../jobs/redis_checks.ts';
import { readSchedules, setSchedule } from '../../jobs/schedule.ts';
import { noteRemovedSchedule, noteSetSchedule } from '../../jobs/schedule_keeper.ts';
import { TIMING } from '../../jobs/timing.ts';
import { type RunningWorker, startWorker, type WorkerEvent } from '../../jobs/worker.ts';
import { startOps } from '../../ops/server.ts';
import { silent } from '../../pipelines/report/progress.ts';
import type { Config } from '../../schema/config.ts';
import { openPool, withClient } from '../../store/database.ts';
import { VICTORIA } from '../countries.ts';
import type { TestDatabase } from '../database.ts';
import { hasRedis, type RedisServer, startRedis } from '../jobs/redis_server.ts';
import { makeSample, type Sample } from '../jobs/sample.ts';
import { pipeline } from '../pipelines/child_run.ts';
import { publishedSample } from '../published_sample.ts';
import { until } from '../waiting.ts';

const REDIS = hasRedis();
if (!REDIS)
  console.warn('SKIPPED: operations with Redis are not tested, because redis-server is not on the PATH.');

describe.skipIf(!REDIS)('a Redis that restarts, forgets, or cannot hold the queue', () => {
  let sample: Sample;
  let database: TestDatabase;
  let dataDir: string;
  let redis: RedisServer;
  let config: Config;
  let worker: RunningWorker | undefined;
  let events: WorkerEvent[];

  beforeAll(async () => {
    sample = await makeSample();
    dataDir = await mkdtemp(join(tmpdir(), 'operations-'));
  });
  afterAll(async () => {
    await sample?.remove();
    await rm(dataDir, { recursive: true, force: true });
  });
  beforeEach(async () => {
    ({ database } = await publishedSample(VICTORIA));
    redis = await startRedis();
    config = { ...sample.config, queue: { ...sample.config.queue, redis_url: redis.url } };
    events = [];
  });
  afterEach(async () => {
    await worker?.stop(20_000);
    worker = undefined;
    await redis.stop();
    await database.drop();
  });

  const start = async (): Promise<void> => {
    worker = await startWorker({
      url: database.url,
      config,
      base: sample.dir,
      progress: silent,
      onEvent: (event) => events.push(event),
      timing: { ...TIMING, schedulesMs: 100 },
    });
  };
  const withQueue = async <T>(work: (parts: Parts) => Promise<T>): Promise<T> => {
    const pool = openPool(database.url, 1);
    const backend = await openBackend(database.url, config.queue);
    try {
      return await withClient(pool, (client) => work({ client, queue: backend.queue }));
    } finally {
      await backend.close();
      await pool.end();
    }
  };
  type Parts = Parameters<Parameters<typeof withClient>[1]>[0] extends infer C
    ? { client: C; queue: Awaited<ReturnType<typeof openBackend>>['queue'] }
    : never;
  const restored = () => events.filter((each) => each.event === 'schedule_restored');
  const run = async (...args: string[]) => {
    const child = pipeline([...args, '--config', sample.file, '--data-dir', dataDir], {
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
    });
    const { code } = await child.ended;
    return { code, text: child.output() };
  };

  it.each(['flush', 'restart'] as const)(
    '%s: a worker restores every schedule, as operators set them',
    async (how) => {
      await start();
      const avm = { job: 'avm', cron: '0 7,12 * * *', timezone: 'Australia/Perth' } as const;
      await withQueue(async ({ client, queue }) => {
        await noteSetSchedule(client, await setSchedule(queue, avm, config.queue));
        await noteRemovedSchedule(client, { job: 'cma' });
        await queue.removeJobScheduler('refresh-cma');
      });
      const before = await withQueue(({ queue }) => readSchedules(queue));
      expect(before.map(({ job }) => job)).toEqual([undefined, 'avm']);
      await redis[how]();
      await until('the restored schedules', () => restored().length >= 2);
      const after = await withQueue(({ queue }) => readSchedules(queue));
      expect(after.map(({ next: _, ...each }) => each)).toEqual(before.map(({ next: _, ...each }) => each));
      expect(restored()).toMatchObject([{ missed: null }, { missed: null }]);
    },
  );

  it('a run that was missed while the queue had lost its schedule runs at once', async () => {
    await start();
    await database.query(
      `UPDATE control.meta SET value = (value::jsonb || '{"next": "2026-01-01T00:00:00.000Z"}')::text
       WHERE key = 'schedule refresh'`,
    );
    await redis.flush();
    await until('the run', () => events.some(({ event }) => event === 'finished'));
    expect(events.find(({ event }) => event === 'started')).toMatchObject({ requested_by: 'schedule' });
  });

  it('status, metrics and the first page say when runs are due, and that one did not start', async () => {
    await start();
    const pool = openPool(database.url, 1);
    const state = (given: Config) =>
      withClient(pool, (client) => withQueue(({ queue }) => readQueueState(client, queue, given.queue)));
    expect(await state(config)).toMatchObject({
      kind: 'redis',
      error: null,
      workers: 1,
      schedules: [
        { is_active: true, missed: null },
        { job: 'avm', is_active: true, missed: null },
        { job: 'cma', is_active: true, missed: null },
      ],
    });
    await worker!.stop(20_000);
    worker = undefined;
    await redis.flush();
    await database.query(
      `UPDATE control.meta SET value = (value::jsonb || '{"next": "2026-01-01T00:00:00.000Z"}')::text
       WHERE key = 'schedule refresh'`,
    );
    expect((await state(config)).schedules[0]).toMatchObject({
      is_active: false,
      missed: '2026-01-01T00:00:00.000Z',
    });
    await pool.end();
    const { text } = await run('status');
    expect(text).toMatch(/no worker is running: start .*pipeline worker/);
    expect(text).toMatch(/refresh at '0 2 \* \* \*' .*the run due Thu 1 Jan 2026 11:00 AEDT did not start/);
    const ops = await startOps(database.url, { ...config, ops: { ...config.ops, port: 0 } });
    try {
      const metrics = await (await fetch(`${ops.url}/metrics`)).text();
      expect(metrics).toContain('pipeline_schedule_missed{schedule="refresh"} 1');
      expect(metrics).toContain('pipeline_schedule_missed{schedule="refresh-avm"} 0');
      expect(metrics).toMatch(/pipeline_schedule_next_timestamp_seconds\{schedule="refresh-avm"\} 1\d{9}/);
      expect(metrics).toContain('pipeline_workers 0');
      const page = await (await fetch(ops.url)).text();
      expect(page).toMatch(/>refresh did not start<.*?>\d+ days ago</s);
      expect(page).toContain('No worker is running');
    } finally {
      await ops.close();
    }
  });

  it('a request warns that no worker is running; with --wait it follows the run to its end', async () => {
    const { code, text } = await run('worker', '--now', 'avm');
    expect(code).toBe(0);
    expect(text).toMatch(/^queued: avm \(refresh-[\w-]+\); no worker is running: start .*pipeline worker/);
    await start();
    const waited = await run('worker', '--now', '--wait', '--json');
    expect(waited.code).toBe(0);
    const lines = waited.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({ joined: false, workers: 1 });
    expect(lines.at(-1)).toMatchObject({ event: 'finished', run_id: expect.any(Number) });
  });

  it('schedule shows before the first worker what the configuration will schedule', async () => {
    const { code, text } = await run('schedule');
    expect(code).toBe(0);
    const lines = text.trim().split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(
      /^refresh at '0 2 \* \* \*' Australia\/Sydney, next .* 02:00 AE[DS]T, once a worker runs$/,
    );
    expect(lines[2]).toMatch(
      /^cma at '30 6 \* \* 1-5' Australia\/Sydney, with --distribute, next .*, once a worker runs$/,
    );
  });

  it.each([
    [['--cluster-enabled', 'yes'], /is a Redis Cluster, which is not supported/],
    [['--replicaof', 'primary'], /is a replica, which takes no writes/],
  ] as const)('%s: commands and doctor say so', async (args, message) => {
    const options = args.map((each) => (each === 'primary' ? `127.0.0.1 ${new URL(redis.url).port}` : each));
    const other = await startRedis(options);
    try {
      const at = (given: string[]) =>
        pipeline([...given, '--config', sample.file, '--data-dir', dataDir], {
          DATABASE_URL: database.url,
          REDIS_URL: other.url,
        });
      for (const command of [['worker'], ['worker', '--now'], ['schedule', '--cron', '0 3 * * *']]) {
        const child = at(command);
        expect((await child.ended).code, child.output()).toBe(1);
        expect(child.output()).toMatch(message);
        expect(child.output()).toContain('queue_unavailable');
        expect(child.output()).not.toMatch(/\n\s+at /);
      }
      const status = at(['status']);
      expect((await status.ended).code).toBe(0);
      expect(status.output()).toMatch(message);
      const checks = await redisChecks(other.url);
      expect(checks[0]).toMatchObject({
        check: 'queue',
        status: 'fail',
        message: expect.stringMatching(message),
      });
    } finally {
      await other.stop();
    }
  });

  it('doctor looks at persistence, eviction and version', async () => {
    const named = (checks: Awaited<ReturnType<typeof redisChecks>>) =>
      Object.fromEntries(checks.map(({ check, status }) => [check, status]));
    const queue = { queue: 'pass', 'queue version': 'pass' };
    expect(named(await redisChecks(redis.url))).toEqual({
      ...queue,
      'queue eviction': 'pass',
      'queue persistence': 'warn',
    });
    const other = await startRedis(['--maxmemory-policy', 'allkeys-lru', '--appendonly', 'yes']);
    try {
      expect(named(await redisChecks(other.url))).toEqual({
        ...queue,
        'queue eviction': 'fail',
        'queue persistence': 'pass',
      });
    } finally {
      await other.stop();
    }
    expect(named(await redisChecks('redis://127.0.0.1:1/0'))).toEqual({ queue: 'fail' });
  });
});
