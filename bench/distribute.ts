/**
 * What distributing costs: a sample country is computed again, all partitions of all stages that follow `address_home`, with the
 * same threads in all: in one process; in one process that hands its batches out to nobody; in one process and a worker beside it.
 * `npx tsx bench/distribute.ts [--properties 20000] [--threads 2] [--rounds 3]`. Prints seconds, CPU seconds of the processes and of
 * the server, and the share that the worker computed. The server is the embedded one; Linux only.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { RunReport } from '../pipelines/report/report.ts';
import { writeSampleConfig } from '../sample/config.ts';
import { generateSampleCountry } from '../sample/generate.ts';
import { startEmbedded } from '../store/embedded/server.ts';
import { cpuOf, cpuWithChildren } from './server_cpu.ts';

const SEED = 1;
const CLI = fileURLToPath(new URL('../cli/start.mjs', import.meta.url));
const DATASETS = /^(gnaf|asgs|cadastre_\w+|zoning_\w+)$/;

const { values } = parseArgs({
  options: {
    properties: { type: 'string', default: '20000' },
    threads: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '3' },
  },
});

function pipeline(args: readonly string[]): { child: ChildProcess; lines: string[]; ended: Promise<void> } {
  const child = spawn(process.execPath, [CLI, ...args, '--json'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const lines: string[] = [];
  createInterface({ input: child.stdout! }).on('line', (line) => lines.push(line));
  return { child, lines, ended: new Promise((resolve) => child.once('close', () => resolve())) };
}

interface Figures {
  seconds: number;
  node_cpu: number;
  server_cpu: number;
  elsewhere: number;
}

async function compute(args: readonly string[], postmaster: number, worker: number | null): Promise<Figures> {
  const before = await cpuWithChildren(postmaster);
  const workerBefore = worker === null ? 0 : await cpuOf(worker);
  const run = pipeline(args);
  let runCpu = 0;
  const poll = setInterval(async () => {
    runCpu = Math.max(runCpu, await cpuOf(run.child.pid!));
  }, 50);
  await run.ended;
  clearInterval(poll);
  const report = JSON.parse(run.lines.at(-1)!) as RunReport;
  if (report.state !== 'published' && report.state !== 'unchanged')
    throw new Error(JSON.stringify(report.error));
  const done = report.stages.reduce((sum, stage) => sum + stage.partitions_run, 0);
  const elsewhere = report.stages.reduce((sum, stage) => sum + stage.partitions_elsewhere, 0);
  return {
    seconds: report.stages.length === 0 ? 0 : report.seconds,
    node_cpu: runCpu + (worker === null ? 0 : (await cpuOf(worker)) - workerBefore),
    server_cpu: (await cpuWithChildren(postmaster)) - before,
    elsewhere: done === 0 ? 0 : elsewhere / done,
  };
}

const dir = await mkdtemp(join(tmpdir(), 'bench-distribute-'));
const properties = Number(values.properties);
const threads = Number(values.threads);
await generateSampleCountry({ properties, seed: SEED, out: dir });
await writeSampleConfig(dir, { properties, seed: SEED });
const cluster = join(dir, 'postgres');
const server = await startEmbedded({ dataDir: cluster });
let worker: ReturnType<typeof pipeline> | null = null;
try {
  const { parse, stringify } = await import('yaml');
  const { writeFile } = await import('node:fs/promises');
  const file = join(dir, 'config.yaml');
  const config = parse(await readFile(file, 'utf8')) as { datasets: Record<string, unknown> };
  const datasets = Object.fromEntries(
    Object.entries(config.datasets).filter(([name]) => DATASETS.test(name)),
  );
  await writeFile(file, stringify({ ...config, datasets }));
  const pidFile = join(cluster, 'cluster', 'pgdata', 'postmaster.pid');
  const postmaster = Number((await readFile(pidFile, 'utf8')).split('\n')[0]);
  const common = ['-c', file, '--set', `database.url=${server.connectionString}`];
  await compute(['refresh', ...common, '--workers', String(threads)], postmaster, null);
  const again = ['backfill', '--stage', 'address_home', ...common];
  for (let round = 0; round < Number(values.rounds); round++) {
    const alone = await compute([...again, '--workers', String(threads)], postmaster, null);
    const toNobody = await compute(
      [...again, '--distribute', '--workers', String(threads)],
      postmaster,
      null,
    );
    worker = pipeline(['worker', '--batches', ...common, '--workers', String(threads / 2)]);
    while (!worker.lines.some((line) => line.includes('"ready"')))
      await new Promise((r) => setTimeout(r, 50));
    const half = [...again, '--distribute', '--workers', String(threads / 2)];
    const cold = await compute(half, postmaster, worker.child.pid!);
    const beside = await compute(half, postmaster, worker.child.pid!);
    worker.child.kill('SIGTERM');
    await worker.ended;
    worker = null;
    process.stdout.write(
      `${JSON.stringify({ round, properties, threads, alone, toNobody, cold, beside })}\n`,
    );
  }
} finally {
  worker?.child.kill('SIGKILL');
  await server.release();
  await rm(dir, { recursive: true, force: true });
}
