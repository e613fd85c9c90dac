/**
 * A first refresh with `--distribute`: a coordinator of one thread and 0, 1, 2 or 4 workers of one thread, with the queue in Redis and in
 * PostgreSQL. Prints elapsed time, and CPU seconds of the coordinator, the workers, the server and Redis apart. Everything is on this
 * machine, so elapsed times say little beyond its number of cores. Needs redis-server for `--queue redis`.
 * Run: npx tsx tools/bench/distribute.ts --config <file> [--workers 0,1,2,4] [--queue redis,postgres] [--set name=value]
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startEmbedded } from '../../store/embedded/server.ts';
import { embeddedStatus } from '../../test/embedded_status.ts';
import { startRedis } from '../../test/jobs/redis_server.ts';
import { cpuOf, cpuWithChildren } from './server_cpu.ts';

const { values } = parseArgs({
  options: {
    config: { type: 'string' },
    workers: { type: 'string', default: '0,1,2,4' },
    queue: { type: 'string', default: 'redis,postgres' },
    set: { type: 'string', multiple: true, default: [] },
  },
});
if (values.config === undefined) throw new Error('--config names the configuration to refresh from.');
const CLI = fileURLToPath(new URL('../../cli/start.mjs', import.meta.url));
const FLAGS = ['--config', values.config, '--workers', '1', ...values.set.flatMap((each) => ['--set', each])];

/** Starts a command; `cpu` counts its seconds until it ends. */
function command(
  args: readonly string[],
  env: Record<string, string>,
): { child: ChildProcess; ended: Promise<void>; cpu(): Promise<number> } {
  const child = spawn(process.execPath, [CLI, ...args, ...FLAGS], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let last = 0;
  const look = async (): Promise<number> => {
    last = Math.max(last, await cpuOf(child.pid!));
    return last;
  };
  const timer = setInterval(() => void look(), 50);
  const ended = new Promise<void>((resolve, reject) =>
    child.once('exit', (code, signal) => {
      clearInterval(timer);
      if (code === 0 || signal !== null) resolve();
      else reject(new Error(`${args[0]} ended with ${code}`));
    }),
  );
  return { child, ended, cpu: look };
}

async function measure(queue: string, workers: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-distribute-'));
  const dataDir = join(folder, 'postgres');
  const server = await startEmbedded({ dataDir });
  const postmaster = embeddedStatus(dataDir).pid!;
  const redis = queue === 'redis' ? await startRedis() : null;
  try {
    const env = {
      DATABASE_URL: server.connectionString,
      ...(redis === null ? {} : { REDIS_URL: redis.url }),
    };
    const others = Array.from({ length: workers }, () => command(['worker', '--batches'], env));
    const began = performance.now();
    const run = command(['refresh', ...(workers === 0 ? [] : ['--distribute'])], env);
    await run.ended;
    const seconds = (performance.now() - began) / 1000;
    const [own, ...each] = await Promise.all([run, ...others].map(({ cpu }) => cpu()));
    const served = await cpuWithChildren(postmaster);
    const queued = redis === null ? 0 : await cpuOf(redis.pid);
    const total = own! + each.reduce((sum, cpu) => sum + cpu, 0);
    console.log(
      `${queue}, ${workers} workers: ${seconds.toFixed(1)} s; CPU ${(total + served + queued).toFixed(1)} s: coordinator ${own!.toFixed(1)}, workers ${each.map((cpu) => cpu.toFixed(1)).join(' + ') || 0}, server ${served.toFixed(1)}${redis === null ? '' : `, Redis ${queued.toFixed(1)}`}`,
    );
    for (const { child } of others) child.kill('SIGTERM');
    await Promise.all(others.map(({ ended }) => ended));
  } finally {
    await redis?.stop();
    await server.release();
    await rm(folder, { recursive: true, force: true });
  }
}

for (const queue of values.queue.split(','))
  for (const workers of values.workers.split(',').map(Number)) await measure(queue, workers);
