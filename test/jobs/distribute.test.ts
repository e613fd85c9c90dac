import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Backend, openBackend } from '../../jobs/backend.ts';
import { openTaskExecutor } from '../../jobs/task_executor.ts';
import { type RunningWorker, startWorker, type WorkerEvent } from '../../jobs/worker.ts';
import { silent } from '../../pipelines/report/progress.ts';
import type { RunReport } from '../../pipelines/report/report.ts';
import { type RefreshOptions, refresh } from '../../pipelines/run/refresh.ts';
import type { Config } from '../../schema/config.ts';
import { startEmbedded } from '../../store/embedded/server.ts';
import type { TableDigest } from '../../store/journal/table_digest.ts';
import { createDatabase, type TestDatabase } from '../database.ts';
import { embeddedStatus, stopEmbedded } from '../embedded_status.ts';
import { pipeline } from '../pipelines/child_run.ts';
import { startProxy } from '../pipelines/tcp_proxy.ts';
import { until } from '../waiting.ts';
import { hasRedis, type RedisServer, startRedis } from './redis_server.ts';
import { digestsOf, makeSample, type Sample } from './sample.ts';
import { computed, named, ready, startWorkerChild, type WorkerChild } from './worker_child.ts';

const REDIS = hasRedis();
if (!REDIS)
  console.warn('SKIPPED: batches by way of Redis are not tested, because redis-server is not on the PATH.');

/** The stage that is made slow, and its table: one that little is made of. */
const SLOW = 'serve_property_zoning';
const TABLE = 'staged.property_zoning';

/** Partitions of a run that other processes computed. */
const elsewhere = ({ stages }: RunReport): number =>
  stages.reduce((sum, { partitions_elsewhere }) => sum + partitions_elsewhere, 0);

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

describe.each([
  { kind: 'postgres', skip: false },
  { kind: 'redis', skip: !REDIS },
] as const)('batches by way of $kind', ({ kind, skip }) => {
  describe.skipIf(skip)('', () => {
    let database: TestDatabase;
    let config: Config;
    let backend: Backend;
    const processes: WorkerChild[] = [];

    const run = (more: Partial<RefreshOptions> = {}): Promise<RunReport> =>
      refresh({
        url: database.url,
        config,
        base: sample.dir,
        progress: silent,
        command: 'test',
        openExecutor: (here) => openTaskExecutor(database.url, config, here),
        ...more,
      });
    const again = (): Promise<RunReport> => run({ backfill: { stage: SLOW } });
    /** Makes each batch of the slow stage take that much longer. */
    const slowly = (seconds: number) =>
      database.query(`CREATE OR REPLACE FUNCTION public.slowly() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_sleep(${seconds}); RETURN NULL; END $$`);
    const makeSlow = async (): Promise<void> => {
      await slowly(0);
      await database.query(
        `CREATE OR REPLACE TRIGGER slowly BEFORE INSERT ON ${TABLE} FOR EACH STATEMENT EXECUTE FUNCTION public.slowly()`,
      );
    };
    const lastRun = async () =>
      (await database.query<{ run_id: number }>('SELECT max(run_id) AS run_id FROM control.run'))[0]!.run_id;

    /**
     * Computes the slow stage again, and does something once so many batches are in hand, one of them in the run itself; the tables must
     * be the same afterwards. Gives the batches of the stage that the processes computed.
     */
    const inTheMiddle = async (what: () => Promise<void>, inHand = processes.length + 1, seconds = 0.5) => {
      const before = await lastRun();
      await slowly(seconds);
      const going = again();
      await until('batches in hand', async () => (await backend.tasks().getActiveCount()) >= inHand);
      await what();
      const report = await going;
      expect(report.run_id).toBe(before + 1);
      expect(await digestsOf(database.url)).toEqual(expected);
      const stage = processes
        .flatMap(({ events }) => named(events, 'batch'))
        .filter((each) => each.run_id === report.run_id && each.stage === SLOW);
      return { report, stage };
    };

    beforeAll(async () => {
      // By way of the first queue everything is computed from nothing, by way of the second one some of it again.
      database = kind === 'postgres' ? await createDatabase() : await sample.published.copy();
      if (kind === 'redis') await makeSlow();
      const redis_url = kind === 'redis' ? redis!.url : null;
      const queue = { ...sample.config.queue, redis_url, cron: null, distribute: true, lease_s: 5 };
      config = { ...sample.config, batch_rows: 25, queue, retry: { ...sample.config.retry, backoff_ms: 20 } };
      backend = await openBackend(database.url, queue);
      for (let i = 0; i < 2; i++) processes.push(startWorkerChild(database.url, config, sample.dir));
      await Promise.all(processes.map(ready));
    });
    afterAll(async () => {
      for (const { child } of processes) child.kill('SIGKILL');
      await backend.close();
      await database.drop();
    });

    it('gives the same tables, with every process taking part', async () => {
      const isFirst = kind === 'postgres';
      const report = isFirst ? await run() : (await inTheMiddle(async () => undefined, 3, 1.5)).report;
      expect([report.state, report.error]).toEqual([isFirst ? 'published' : 'unchanged', null]);
      expect(await digestsOf(database.url)).toEqual(expected);
      const taken = processes.map((each) => computed(each, report.run_id));
      expect(Math.min(...taken)).toBeGreaterThan(0);
      expect(elsewhere(report)).toBe(taken[0]! + taken[1]!);
      // The timeline has threads of the run, and of each worker by its machine and process.
      const { threads } = report.timeline!;
      const machines = new Set(threads.map(({ machine }) => machine?.split(' ').at(-1)));
      expect(machines).toEqual(new Set([undefined, ...processes.map(({ child }) => String(child.pid))]));
      for (const { from_s, to_s } of threads) {
        expect(to_s).toBeGreaterThanOrEqual(from_s);
        expect(to_s).toBeLessThanOrEqual(report.seconds);
      }
      const all = report.stages.reduce((sum, stage) => sum + stage.partitions_run, 0);
      expect(elsewhere(report)).toBeLessThan(all);
      if (isFirst) await makeSlow();
      expect(await backend.tasks().getJobCounts('waiting', 'active', 'delayed', 'failed')).toEqual({
        waiting: 0,
        active: 0,
        delayed: 0,
        failed: 0,
      });
    });

    it('requeues tasks that the queue lost', async () => {
      let before = 0;
      const { report, stage } = await inTheMiddle(
        async () => {
          before = processes.flatMap(({ events }) => named(events, 'batch')).length;
          if (kind === 'redis') await redis!.flush();
          else await backend.tasks().obliterate({ force: true });
        },
        3,
        1,
      );
      expect([report.state, report.error, report.notes.length]).toEqual(['unchanged', null, 1]);
      const all = processes.flatMap(({ events }) => named(events, 'batch')).length;
      // One batch of each process was in hand when the queue was lost; what they did later was asked for again.
      expect(all - before).toBeGreaterThan(2);
      // Heard of too late, a batch runs twice; it is computed once.
      expect(new Set(stage.map(({ job_id }) => job_id)).size).toBe(stage.length);
    });

    it('does not give batches to a worker with another configuration, and drains', async () => {
      const others: WorkerEvent[][] = [[], []];
      const start = (events: WorkerEvent[], changes: Partial<Config>): Promise<RunningWorker> =>
        startWorker({
          url: database.url,
          config: { ...config, ...changes },
          base: '/nowhere',
          tasksOnly: true,
          onEvent: (event) => events.push(event),
        });
      const parcel = { ...config.parcel, nearest_m: 7 };
      const workers = await Promise.all([start(others[0]!, { parcel }), start(others[1]!, {})]);
      const { report } = await inTheMiddle(async () => {
        expect(await workers[1]!.stop(20_000)).toBe(true);
      }, 4);
      expect([report.state, report.error]).toEqual(['unchanged', null]);
      expect(named(others[0]!, 'batch')).toEqual([]);
      expect(named(others[0]!, 'batch_refused')).toEqual([
        expect.objectContaining({
          code: 'worker_differs',
          run_id: report.run_id,
          reason: expect.stringContaining('other parameters'),
        }),
      ]);
      // What it had in hand was finished, unless somebody else had done it before.
      expect(others[1]!.filter(({ event }) => !['ready', 'batch'].includes(event))).toEqual([
        { event: 'stopped', drained: true },
      ]);
      expect(await workers[0]!.stop(20_000)).toBe(true);
    });

    it.skipIf(kind === 'redis')(
      'names a partition that fails everywhere, and completes it in the next run',
      async () => {
        const sql = 'SELECT max(cell) AS cell FROM serving.property_zoning';
        const { cell } = (await database.query<{ cell: number }>(sql))[0]!;
        await database.query(`CREATE FUNCTION public.poison() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN IF NEW.stage = '${SLOW}' AND NEW.cell = ${cell} THEN RAISE EXCEPTION 'poison'; END IF; RETURN NEW; END $$`);
        // Its rows are those that are there, and not written again.
        await database.query(
          'CREATE TRIGGER poison BEFORE INSERT ON control.partition FOR EACH ROW EXECUTE FUNCTION public.poison()',
        );
        const report = await again();
        await database.query('DROP TRIGGER poison ON control.partition');
        expect([report.state, report.error!.code]).toEqual(['failed', 'partition_failed']);
        expect(report.set_aside).toMatchObject([{ stage: SLOW, partition: `cell ${cell}`, attempts: 3 }]);
        expect((await again()).state).toBe('unchanged');
        expect(await digestsOf(database.url)).toEqual(expected);
      },
    );

    it.skipIf(kind === 'redis')(
      'completes the run of a coordinator that was killed, whose batches are refused from then on',
      async () => {
        const before = await lastRun();
        await slowly(1);
        const child = pipeline(
          ['backfill', '-c', sample.file, '--stage', SLOW, '--distribute', '--set', 'batch_rows=25'],
          { DATABASE_URL: database.url, ...(kind === 'redis' ? { REDIS_URL: redis!.url } : {}) },
        );
        const inHand = async () =>
          (await lastRun()) > before && (await backend.tasks().getActiveCount()) >= 3;
        await until('batches in hand', inHand).catch((error) => {
          throw new Error(`${error.message}; it said: ${child.output()}`);
        });
        child.child.kill('SIGKILL');
        const dead = await lastRun();
        const jobs = await backend.tasks().getJobs(['active']);
        await slowly(0);
        const report = await again();
        expect([report.state, report.error, report.notes[0]]).toEqual([
          'unchanged',
          null,
          expect.stringContaining('resumed'),
        ]);
        expect(await digestsOf(database.url)).toEqual(expected);
        const { data } = jobs.find(Boolean)!;
        expect(data.run_id).toBe(dead);
        await backend.tasks().add('batch', data, { jobId: 'stale', removeOnFail: true });
        const refused = await until('a batch that is refused', () =>
          processes
            .flatMap(({ events }) => named(events, 'batch_refused'))
            .find(({ job_id }) => job_id === 'stale'),
        );
        expect(refused).toMatchObject({ job_id: 'stale', run_id: dead, code: 'run_superseded' });
      },
    );

    it.skipIf(kind === 'redis')('takes over the batch of a frozen worker', async () => {
      let run = 0;
      let had = 0;
      const { report } = await inTheMiddle(
        async () => {
          // The queue gives a batch away some milliseconds before its partitions are claimed; it takes three seconds.
          await sleep(300);
          processes[0]!.child.kill('SIGSTOP');
          run = await lastRun();
          had = computed(processes[0]!, run);
        },
        3,
        3,
      ).catch((error) => {
        // The next test has it again.
        processes[0]!.child.kill('SIGCONT');
        throw error;
      });
      expect([report.state, report.error, report.notes.slice(1)]).toEqual([
        'unchanged',
        null,
        ['A worker was silent for 5 s; other workers took its work over.'],
      ]);
      const recorded = () => database.query('SELECT * FROM control.partition ORDER BY stage, cell');
      const before = await recorded();
      expect([run, computed(processes[0]!, run)]).toEqual([report.run_id, had]);
      processes[0]!.child.kill('SIGCONT');
      // What it would have recorded is refused, and nothing else is the matter with it.
      const late = await until('its late result', () =>
        named(processes[0]!.events, 'batch_failed').find(({ run_id }) => run_id === report.run_id),
      );
      expect(late).toMatchObject({ code: 'database_lost', stage: SLOW });
      expect(await recorded()).toEqual(before);
      const next = await inTheMiddle(async () => undefined);
      expect(next.report.notes.length).toBe(1);
      expect(computed(processes[0]!, next.report.run_id)).toBeGreaterThan(0);
    });

    it('takes over the batch of a killed worker', async () => {
      const { report, stage } = await inTheMiddle(async () => {
        processes[0]!.child.kill('SIGKILL');
      });
      expect([report.state, report.error]).toEqual(['unchanged', null]);
      expect(stage.length).toBeGreaterThan(0);
    });
  });
});

it('completes a run after its server, which holds the queue too, was killed in the middle', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'server-killed-'));
  let server = await startEmbedded({ dataDir });
  // The server comes back on another port; its clients reach it where they did before.
  const proxy = await startProxy('127.0.0.1', () => Number(new URL(server.connectionString).port));
  const through = new URL(server.connectionString);
  through.port = String(proxy.port);
  const url = through.toString();
  const queue = { ...sample.config.queue, cron: null, distribute: true };
  const config = { ...sample.config, batch_rows: 25, queue };
  const worker = startWorkerChild(url, config, sample.dir);
  try {
    await ready(worker);
    const run = (killAt: string | null): Promise<RunReport> =>
      refresh({
        url,
        config,
        base: sample.dir,
        progress: silent,
        command: 'test',
        openExecutor: (here) => openTaskExecutor(url, config, here),
        onEvent: (event) => {
          if (event.event !== 'batch_done' || event.stage !== killAt) return;
          killAt = null;
          process.kill(embeddedStatus(dataDir).pid!, 'SIGKILL');
        },
      });
    const killed = await run('address_home');
    expect([killed.state, killed.error?.code]).toEqual(['failed', 'database_lost']);
    await server.release();
    server = await startEmbedded({ dataDir });
    const report = await run(null);
    expect([report.state, report.error]).toEqual(['published', null]);
    expect(await digestsOf(url)).toEqual(expected);
    // The worker is the same process as before.
    expect(worker.child.exitCode).toBeNull();
    expect(computed(worker, report.run_id)).toBe(elsewhere(report));
    expect(elsewhere(report)).toBeGreaterThan(0);
  } finally {
    worker.child.kill('SIGKILL');
    await proxy.close();
    await server.release();
    await stopEmbedded(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  }
});
