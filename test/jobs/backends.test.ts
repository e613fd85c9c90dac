import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Backend, openBackend } from '../../jobs/backend.ts';
import { enqueueRefresh } from '../../jobs/refresh_job.ts';
import { readSchedule, readSchedules, removeSchedule, setSchedule } from '../../jobs/schedule.ts';
import { keepSchedules } from '../../jobs/schedule_keeper.ts';
import type { WorkerTiming } from '../../jobs/timing.ts';
import { type RunningWorker, startWorker, type WorkerEvent, type WorkerSetting } from '../../jobs/worker.ts';
import { silent } from '../../pipelines/report/progress.ts';
import { refresh } from '../../pipelines/run/refresh.ts';
import { setUp } from '../../pipelines/run/set_up.ts';
import type { Config } from '../../schema/config.ts';
import type { TableDigest } from '../../store/journal/table_digest.ts';
import { takeRun } from '../../store/locks.ts';
import { VICTORIA } from '../countries.ts';
import type { TestDatabase } from '../database.ts';
import { loadedDatabase } from '../published_sample.ts';
import { until } from '../waiting.ts';
import { hasRedis, type RedisServer, startRedis } from './redis_server.ts';
import { digestsOf, makeSample, type Sample } from './sample.ts';

const REDIS = hasRedis();
if (!REDIS)
  console.warn('SKIPPED: the queue on Redis is not tested, because redis-server is not on the PATH.');

/** Takes over soon from a worker that was killed. */
const HASTY: WorkerTiming = { lockMs: 1500, stalledCheckMs: 400 };

let sample: Sample;
let expected: TableDigest[];
let redis: RedisServer | null = null;

beforeAll(async () => {
  sample = await makeSample();
  ({ expected } = sample);
  if (REDIS) redis = await startRedis();
});
afterAll(async () => {
  await redis?.stop();
  await sample.remove();
});

const setting = (url: string, config: Config) => ({ url, config, base: sample.dir, progress: silent });

describe.each([
  { kind: 'postgres', skip: false },
  { kind: 'redis', skip: !REDIS },
] as const)('queue on $kind', ({ kind, skip }) => {
  describe.skipIf(skip)('', () => {
    let database: TestDatabase;
    let config: Config;
    let backend: Backend;
    let workers: RunningWorker[];
    let children: ChildProcess[];
    let events: WorkerEvent[];

    beforeEach(async () => {
      // What a queue does with a run does not depend on who loaded the datasets.
      database = await loadedDatabase(VICTORIA);
      await redis?.flush();
      const redis_url = kind === 'redis' ? redis!.url : null;
      config = { ...sample.config, queue: { ...sample.config.queue, redis_url, cron: null, backoff_s: 0.3 } };
      backend = await openBackend(database.url, config.queue);
      [workers, children, events] = [[], [], []];
    });
    afterEach(async () => {
      for (const child of children) child.kill('SIGKILL');
      for (const worker of workers) await worker.stop(20_000);
      await backend.close();
      await database.drop();
    });

    const enqueue = (rehash = false) =>
      enqueueRefresh(backend.queue, { requested_by: 'test', rehash }, config.queue);
    const ensure = async (queue: Config['queue']): Promise<void> => {
      const client = new pg.Client(database.url);
      await client.connect();
      try {
        await keepSchedules(client, backend.queue, queue, { isStart: true });
      } finally {
        await client.end();
      }
    };
    const start = async (more: Partial<WorkerSetting> = {}): Promise<RunningWorker> => {
      const onEvent = (event: WorkerEvent): void => {
        events.push(event);
      };
      const worker = await startWorker({ ...setting(database.url, config), onEvent, ...more });
      workers.push(worker);
      return worker;
    };
    const named = <E extends WorkerEvent['event']>(event: E) =>
      events.filter((each): each is Extract<WorkerEvent, { event: E }> => each.event === event);
    const seen = <E extends WorkerEvent['event']>(event: E, count = 1) =>
      until(`${count} × ${event}`, () => named(event).length >= count && named(event)).catch((error) => {
        throw new Error(`${error.message}; seen: ${JSON.stringify(events)}`);
      });
    const runs = () =>
      database.query<{ state: string; command: string }>(
        `SELECT state, command FROM control.run WHERE command = 'worker' ORDER BY run_id`,
      );
    const partitions = () =>
      database
        .query<{ n: number }>('SELECT count(*)::int AS n FROM control.partition')
        .then((rows) => rows[0]!.n)
        .catch(() => 0);
    const startChild = (): { child: ChildProcess; said: { text: string } } => {
      const script = fileURLToPath(new URL('./worker_process.ts', import.meta.url));
      const argument = JSON.stringify({
        ...setting(database.url, config),
        progress: undefined,
        timing: HASTY,
      });
      const child = spawn(process.execPath, ['--import', 'tsx', script, argument], { stdio: 'pipe' });
      children.push(child);
      const said = { text: '' };
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said.text += chunk));
      return { child, said };
    };

    it('refreshes, and does what is asked for during a run after it, once', async () => {
      const { job_id } = await enqueue();
      await start();
      await seen('started');
      expect([(await enqueue()).joined, (await enqueue()).joined]).toEqual([true, true]);
      const finished = await seen('finished', 2);
      expect(finished.map(({ state }) => state)).toEqual(['published', 'unchanged']);
      expect(finished[0]!.job_id).toBe(job_id);
      await until(
        'an idle queue',
        async () => (await backend.queue.getJobCounts('active', 'waiting')).active === 0,
      );
      expect(await backend.queue.getJobCounts('waiting', 'active', 'delayed', 'completed', 'failed')).toEqual(
        {
          waiting: 0,
          active: 0,
          delayed: 0,
          completed: 2,
          failed: 0,
        },
      );
      expect(await runs()).toEqual([
        { state: 'published', command: 'worker' },
        { state: 'unchanged', command: 'worker' },
      ]);
      expect(await digestsOf(database.url)).toEqual(expected);
      const job = (await backend.queue.getJob(job_id))!;
      expect(job.data).toEqual({ requested_by: 'test', rehash: false });
      expect(job.returnvalue).toEqual({ run_id: 2, state: 'published', publication: 1 });
    });

    it('makes one job of equal requests while one waits', async () => {
      const first = await enqueue();
      const second = await enqueue();
      expect([first.joined, second]).toEqual([false, { job_id: first.job_id, joined: true }]);
      expect(await backend.queue.getWaitingCount()).toBe(1);
      expect((await enqueue(true)).joined).toBe(false);
      const of = (tables: string[]) =>
        enqueueRefresh(backend.queue, { requested_by: 'test', tables }, config.queue);
      expect((await of(['suburb', 'school'])).joined).toBe(false);
      expect((await of(['school', 'suburb'])).joined).toBe(true);
      expect((await of(['school'])).joined).toBe(false);
    });

    it('does not retry a permanent failure', async () => {
      const gnaf = { ...config.datasets.gnaf!, path: 'broken/*.zip' };
      await mkdir(join(sample.dir, 'broken'), { recursive: true });
      await writeFile(join(sample.dir, 'broken', 'broken.zip'), 'not a zip');
      // One that was loaded before would be kept as it is.
      config = { ...config, datasets: { broken: gnaf } };
      const { job_id } = await enqueue();
      await start();
      const [failed] = await seen('failed');
      expect(failed).toMatchObject({ job_id, attempt: 1 });
      expect(failed!.reason).toMatch(/^\w+: .*broken\.zip/);
      expect(named('retrying')).toEqual([]);
      expect((await runs()).map(({ state }) => state)).toEqual(['failed']);
      const job = (await backend.queue.getJob(job_id))!;
      expect([await job.getState(), job.failedReason]).toEqual(['failed', failed!.reason]);
      expect((await enqueue()).joined).toBe(false);
    });

    it('retries a transient failure with back-off', async () => {
      const holder = new pg.Client({ connectionString: database.url });
      await holder.connect();
      await setUp(holder, config);
      await takeRun(holder);
      const { job_id } = await enqueue();
      const starts: number[] = [];
      await start({
        onEvent: (event) => {
          events.push(event);
          if (event.event === 'started') starts.push(performance.now());
        },
      });
      const [retry] = await seen('retrying');
      await holder.end();
      expect(retry).toMatchObject({ attempt: 1, attempts: 3, reason: expect.stringMatching(/^locked: /) });
      expect((await enqueue()).joined).toBe(true);
      await seen('started', 2);
      expect(starts[1]! - starts[0]!).toBeGreaterThan(290);
      const [finished] = await seen('finished');
      expect(finished).toMatchObject({ job_id, state: 'published' });
      expect(named('started').map(({ attempt }) => attempt)).toEqual([1, 2]);
      expect((await backend.queue.getJob(job_id))!.opts).toMatchObject({
        attempts: 3,
        backoff: { type: 'exponential', delay: 300 },
      });
    });

    it('completes the run of a worker that was killed', async () => {
      const { job_id } = await enqueue();
      const { child, said } = startChild();
      await until('a run in the middle', async () => (await partitions()) > 0).catch((error) => {
        throw new Error(`${error.message}; the worker said: ${said.text}`);
      });
      child.kill('SIGKILL');
      const before = await runs();
      await start({ timing: HASTY });
      const [finished] = await seen('finished');
      expect(before.map(({ state }) => state)).toEqual(['running']);
      expect(finished).toMatchObject({ job_id, state: 'published' });
      expect((await runs()).map(({ state }) => state)).toEqual(['failed', 'published']);
      expect(await digestsOf(database.url)).toEqual(expected);
    });

    it('loses nothing when the queue is emptied in the middle of a run', async () => {
      await enqueue();
      await start();
      await until('a run in the middle', async () => (await partitions()) > 0);
      if (kind === 'redis') await redis!.flush();
      else await backend.queue.obliterate({ force: true });
      await seen('finished');
      await enqueue();
      const finished = await seen('finished', 2);
      expect(finished.map(({ state }) => state)).toEqual(['published', 'unchanged']);
      const report = await refresh({ ...setting(database.url, config), command: 'test' });
      expect(report.state).toBe('unchanged');
      expect(await digestsOf(database.url)).toEqual(expected);
    });

    it('schedules each named job separately from the nightly refresh, and runs one at a time', async () => {
      const nightly = { cron: '0 2 * * *', timezone: 'Australia/Sydney' };
      await ensure({ ...config.queue, ...nightly, jobs: {} });
      const others = { timezone: nightly.timezone, next: expect.stringMatching(/Z$/) };
      expect(await readSchedules(backend.queue)).toEqual([
        { ...nightly, next: others.next },
        { ...others, cron: '0 6-18/4 * * *', job: 'avm' },
        { ...others, cron: '30 6 * * 1-5', job: 'cma', distribute: true },
      ]);
      // Their next times, brought forward: the one of estimates first.
      const waiting = await backend.queue.getDelayed();
      const isOf = (job?: string) => waiting.find(({ data }) => data.job === job)!;
      await isOf('avm').promote();
      await start();
      await start();
      await seen('finished');
      await Promise.all([isOf('cma').promote(), isOf().promote()]);
      const finished = await seen('finished', 3);
      // Two workers, and yet one run at a time: nobody met the lock of the runs.
      expect([named('retrying'), named('failed')]).toEqual([[], []]);
      // The first job loads what was never loaded, and leaves nothing for the others.
      expect(finished.map(({ state }) => state)).toEqual(['published', 'unchanged', 'unchanged']);
      expect(await digestsOf(database.url)).toEqual(expected);
      expect(await removeSchedule(backend.queue, { job: 'avm' })).toBe(true);
      expect((await readSchedules(backend.queue)).map(({ job }) => job)).toEqual([undefined, 'cma']);
    });

    it('keeps one schedule in its time zone', async () => {
      expect(await readSchedule(backend.queue)).toBeNull();
      const first = await setSchedule(
        backend.queue,
        { cron: '0 2 * * *', timezone: 'Australia/Sydney' },
        config.queue,
      );
      const hour = new Intl.DateTimeFormat('en-AU', {
        timeZone: 'Australia/Sydney',
        hour: '2-digit',
        hourCycle: 'h23',
      });
      expect(first).toMatchObject({ cron: '0 2 * * *', timezone: 'Australia/Sydney' });
      expect(hour.format(new Date(first.next!))).toBe('02');
      const perth = { cron: '30 4 * * 1', timezone: 'Australia/Perth' };
      const second = await setSchedule(backend.queue, perth, config.queue);
      expect(await readSchedule(backend.queue)).toEqual(second);
      expect(second.next).toMatch(/T20:30:00\.000Z$/);
      expect(await backend.queue.getDelayedCount()).toBe(1);
      await ensure({ ...config.queue, cron: '0 2 * * *', jobs: { avm: null, cma: null } });
      expect(await readSchedules(backend.queue)).toEqual([second]);
      expect([await removeSchedule(backend.queue), await removeSchedule(backend.queue)]).toEqual([
        true,
        false,
      ]);
      expect(await backend.queue.getDelayedCount()).toBe(0);
      await database.query(`DELETE FROM control.meta WHERE key LIKE 'schedule %'`);
      await ensure(config.queue);
      expect(await readSchedules(backend.queue)).toEqual([]);
      for (const [cron, timezone, message] of [
        ['0 2 * *', 'Australia/Sydney', /five fields/],
        ['0 2 * * 99', 'Australia/Sydney', /not understood/],
        ['0 2 * * *', 'Australia/Nowhere', /time zone/],
      ] as const) {
        await expect(setSchedule(backend.queue, { cron, timezone }, config.queue)).rejects.toMatchObject({
          code: 'config_invalid',
          message: expect.stringMatching(message),
        });
      }
      expect(await readSchedule(backend.queue)).toBeNull();
    });
  });
});
