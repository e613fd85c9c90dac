import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Config } from '../../schema/config.ts';
import { type EmbeddedServer, startEmbedded } from '../../store/embedded/server.ts';
import type { TableDigest } from '../../store/journal/table_digest.ts';
import { withClient, wrongBooks } from '../../tools/kills/kill_checks.ts';
import { createDatabase, type TestDatabase } from '../database.ts';
import { embeddedStatus } from '../embedded_status.ts';
import { hasRedis, type RedisServer, startRedis } from '../jobs/redis_server.ts';
import { digestsOf, makeSample, type Sample } from '../jobs/sample.ts';
import { ready, startWorkerChild, type WorkerChild } from '../jobs/worker_child.ts';
import { type ChildRun, isOver, pipeline } from '../pipelines/child_run.ts';
import { HANG_MS } from '../waiting.ts';
import { below, randomOf } from './mutate.ts';

/** Runs that are frozen over and over; ATTACK_RUNS and ATTACK_SEED make them more, and others. */
const RUNS = Number(process.env.ATTACK_RUNS ?? 1);
const SEED = Number(process.env.ATTACK_SEED ?? 20261123);
/** Seconds after which a silent worker's work is given to others: some freezes are longer. */
const LEASE_S = 5;
const LONGEST_MS = 9000;
/** Moments between two freezes, at most. */
const BETWEEN_MS = 2500;
/** What a run may take that is frozen for most of its time. */
const RUN_MS = 180_000;

const REDIS = hasRedis();
if (!REDIS) console.warn('SKIPPED: freezes of a distributed run, because redis-server is not on the PATH.');

const VICTIMS = ['coordinator', 'worker', 'redis', 'database', 'session'] as const;

describe.skipIf(!REDIS)('parts of a distributed refresh that freeze at random moments', () => {
  let dir: string;
  let sample: Sample;
  let server: EmbeddedServer;
  let redis: RedisServer;
  let expected: TableDigest[];
  const open: TestDatabase[] = [];

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'freezes-'));
    sample = await makeSample();
    redis = await startRedis();
    server = await startEmbedded({ dataDir: join(dir, 'db') });
    ({ expected } = sample);
  });
  afterAll(async () => {
    for (const each of open) await each.drop();
    await server?.release();
    await redis?.stop();
    await sample?.remove();
    await rm(dir, { recursive: true, force: true });
  });

  async function database(): Promise<TestDatabase> {
    const made = await createDatabase(server.connectionString);
    open.push(made);
    return made;
  }
  const ofServer = (): number[] => {
    const { pid } = embeddedStatus(join(dir, 'db'));
    const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
    return [pid!, ...children.trim().split(/\s+/).map(Number)];
  };
  const sessionsOf = async (made: TestDatabase): Promise<number[]> =>
    (
      await made.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'property-data-pipeline%' ORDER BY pid`,
      )
    ).map(({ pid }) => pid);
  const signal = (pids: readonly number[], name: NodeJS.Signals): void => {
    for (const pid of pids) {
      try {
        process.kill(pid, name);
      } catch {
        // It ended in between.
      }
    }
  };

  /** Freezes one part after the other until the run is over; gives what it froze. */
  async function freezeUntilOver(
    run: ChildRun,
    worker: WorkerChild,
    made: TestDatabase,
    random: () => number,
  ): Promise<string[]> {
    const frozen: string[] = [];
    const pidsOf = async (victim: (typeof VICTIMS)[number]): Promise<number[]> => {
      if (victim === 'coordinator') return [run.child.pid!];
      if (victim === 'worker') return [worker.child.pid!];
      if (victim === 'redis') return [redis.pid];
      if (victim === 'database') return ofServer();
      const all = await sessionsOf(made);
      return all.length === 0 ? [] : [all[below(random, all.length)]!];
    };
    const began = Date.now();
    for (;;) {
      await Promise.race([run.ended, sleep(random() * BETWEEN_MS)]);
      if (isOver(run) || Date.now() - began > RUN_MS) return frozen;
      const victim = VICTIMS[below(random, VICTIMS.length)]!;
      const ms = Math.round(100 + random() ** 2 * LONGEST_MS);
      const pids = await pidsOf(victim);
      signal(pids, 'SIGSTOP');
      await sleep(ms);
      signal(pids, 'SIGCONT');
      frozen.push(`${victim} ${ms} ms`);
    }
  }

  it.each(Array.from({ length: RUNS }, (_, i) => [i]))(
    'leave what an undisturbed run leaves (run %i)',
    async (i) => {
      const random = randomOf(SEED + i);
      const made = await database();
      await redis.flush();
      const queue: Config['queue'] = {
        ...sample.config.queue,
        redis_url: redis.url,
        cron: null,
        distribute: true,
        lease_s: LEASE_S,
      };
      const worker = startWorkerChild(made.url, { ...sample.config, batch_rows: 25, queue }, sample.dir);
      await ready(worker);
      const start = (): ChildRun =>
        pipeline(
          [
            'refresh',
            '-c',
            sample.file,
            '--distribute',
            '--set',
            'batch_rows=25',
            '--set',
            `queue.lease_s=${LEASE_S}`,
          ],
          { DATABASE_URL: made.url, REDIS_URL: redis.url },
        );
      try {
        const run = start();
        const frozen = await freezeUntilOver(run, worker, made, random);
        const { code } = await run.ended;
        console.log(`run ${i}: ${frozen.join(', ')}; exit code ${code}`);
        expect(run.output()).not.toMatch(/error internal|\n\s+at /);
        if (code !== 0) {
          // A part that is silent for longer than the lease is given up; the next run goes on where this one ended.
          expect(run.output()).toMatch(
            /error (database_lost|database_unreachable|queue_unavailable|run_superseded|partition_failed)/,
          );
          const next = start();
          expect((await next.ended).code, next.output()).toBe(0);
        }
        expect(await digestsOf(made.url)).toEqual(expected);
        expect(await withClient(made.url, (client) => wrongBooks(client, 1))).toEqual([]);
      } finally {
        worker.child.kill('SIGKILL');
      }
    },
    RUN_MS + HANG_MS,
  );
});
