/**
 * Refreshes sample countries of several sizes from nothing, then again with nothing changed, and prints seconds, rows per second
 * of each step and peak memory. `npx tsx bench/refresh.ts [--properties 50000,500000] [--keep DIR]`. Memory is read on Linux only.
 *
 * Memory is PSS (each shared page counted once over the processes that share it), sampled every 200 ms: `node` is the
 * command with its worker threads, `server` the embedded PostgreSQL with its shared buffers and its keeper. `reported` is what
 * the run report says, the high-water mark of the command's resident set.
 */
import { spawn } from 'node:child_process';
import { access, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { RunReport } from '../pipelines/report/report.ts';
import { writeSampleConfig } from '../sample/config.ts';
import { generateSampleCountry } from '../sample/generate.ts';

const SEED = 1;
const SAMPLE_MS = 200;
const CLI = fileURLToPath(new URL('../cli/start.mjs', import.meta.url));

interface Memory {
  node: number;
  server: number;
  total: number;
}

interface Run {
  report: RunReport;
  seconds: number;
  peak: Memory;
  /** Peak of `node` in each step of the run, MB. */
  stepPeaks: Map<string, number>;
}

/** Parent of every process. */
async function parents(): Promise<Map<number, number>> {
  const of = new Map<number, number>();
  for (const name of await readdir('/proc').catch(() => [])) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    // The name of the program stands in parentheses and may hold anything.
    const parent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
    if (parent !== undefined) of.set(Number(name), Number(parent));
  }
  return of;
}

async function pssMb(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) / 1024;
}

/** Memory of the command and of what it started; the server is told by its postmaster, which another command may have started. */
async function measure(command: number, pidFile: string): Promise<Memory> {
  const of = await parents();
  const postmaster = Number((await readFile(pidFile, 'utf8').catch(() => '0')).split('\n')[0]);
  const roots = new Set([command, postmaster]);
  const memory = { node: 0, server: 0, total: 0 };
  for (const pid of of.keys()) {
    let at = pid;
    while (at > 1 && !roots.has(at)) at = of.get(at) ?? 0;
    if (at <= 1) continue;
    memory[pid === command ? 'node' : 'server'] += await pssMb(pid);
  }
  memory.total = memory.node + memory.server;
  return memory;
}

/** Runs the command once and samples its memory. */
async function refreshOnce(sample: string, dataDir: string): Promise<Run> {
  const started = performance.now();
  const args = [CLI, 'refresh', '--json', '-c', join(sample, 'config.yaml')];
  const child = spawn(process.execPath, [...args, '--data-dir', dataDir], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let step = 'start';
  createInterface({ input: child.stderr }).on('line', (line) => {
    const name = /"event":"progress","name":"([^"]*)"/.exec(line)?.[1];
    if (name !== undefined) step = name.replace(/^stage |(?<=^load) .*/g, '');
    else if (!line.startsWith('{')) console.error(line);
  });
  let out = '';
  child.stdout.on('data', (data) => {
    out += data;
  });
  const peak: Memory = { node: 0, server: 0, total: 0 };
  const stepPeaks = new Map<string, number>();
  const done = new Promise<number | null>((resolve) => child.once('close', resolve));
  let over = false;
  void done.then(() => {
    over = true;
  });
  const pidFile = join(dataDir, 'postgres', 'cluster', 'pgdata', 'postmaster.pid');
  while (!over) {
    const memory = await measure(child.pid!, pidFile);
    stepPeaks.set(step, Math.max(stepPeaks.get(step) ?? 0, memory.node));
    for (const key of ['node', 'server', 'total'] as const) peak[key] = Math.max(peak[key], memory[key]);
    await Promise.race([done, new Promise((resolve) => setTimeout(resolve, SAMPLE_MS))]);
  }
  const code = await done;
  if (code !== 0) throw new Error(`refresh ended with ${code}: ${out.slice(0, 2000)}`);
  const seconds = (performance.now() - started) / 1000;
  return { report: JSON.parse(out) as RunReport, seconds, peak, stepPeaks };
}

/** Folder of a sample country, generated where it is not there yet. */
async function sampleOf(properties: number): Promise<string> {
  const folder = join(tmpdir(), `bench-refresh-${properties}-${SEED}`);
  const there = await access(join(folder, 'config.yaml')).then(
    () => true,
    () => false,
  );
  if (there) return folder;
  const partial = `${folder}.partial`;
  await rm(partial, { recursive: true, force: true });
  await generateSampleCountry({ properties, seed: SEED, out: partial });
  await writeSampleConfig(partial, { properties, seed: SEED });
  await rename(partial, folder);
  return folder;
}

const mb = (value: number): string => `${Math.round(value)} MB`;

function printRun(what: string, { report, seconds, peak }: Run): void {
  console.log(
    `  ${what.padEnd(10)} ${seconds.toFixed(1)} s whole command, ${report.seconds.toFixed(1)} s run; peak node ${mb(peak.node)} (reported ${mb(report.peak_memory_mb)}), server ${mb(peak.server)}, together ${mb(peak.total)}`,
  );
}

function printStep(name: string, rows: number, seconds: number, peak: number | undefined): void {
  const rate = Math.round(rows / seconds).toLocaleString('en');
  const memory = peak === undefined ? '' : `${mb(peak).padStart(9)} node`;
  console.log(
    `    ${name.padEnd(30)} ${seconds.toFixed(1).padStart(7)} s ${String(rows).padStart(9)} rows ${rate.padStart(9)} rows/s ${memory}`,
  );
}

/** Datasets overlap: their seconds add up to more than the loading takes. */
function printSteps({ report, stepPeaks }: Run): void {
  const kinds = new Map<string, { rows: number; seconds: number }>();
  for (const { adapter, rows, seconds } of report.datasets) {
    const sum = kinds.get(adapter) ?? { rows: 0, seconds: 0 };
    kinds.set(adapter, { rows: sum.rows + rows, seconds: sum.seconds + seconds });
  }
  console.log(`    peak while loading: ${mb(stepPeaks.get('load') ?? 0)} node`);
  for (const [adapter, { rows, seconds }] of kinds) printStep(`load ${adapter}`, rows, seconds, undefined);
  for (const { stage, rows_written, seconds } of report.stages)
    printStep(stage, rows_written, seconds, stepPeaks.get(stage));
}

async function bench(properties: number, dataDir: string): Promise<void> {
  const sample = await sampleOf(properties);
  console.log(`${properties} properties`);
  const full = await refreshOnce(sample, dataDir);
  printRun('full', full);
  printSteps(full);
  const again = await refreshOnce(sample, dataDir);
  printRun('unchanged', again);
  if (again.report.state !== 'unchanged') throw new Error(`the second run was ${again.report.state}`);
  console.log(
    `  unchanged/full: ${((again.seconds / full.seconds) * 100).toFixed(1)} % of the whole command, ${((again.report.seconds / full.report.seconds) * 100).toFixed(1)} % of the run; goal 5 %`,
  );
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { properties: { type: 'string', default: '50000,500000' }, keep: { type: 'string' } },
  });
  console.log(`${availableParallelism()} × ${cpus()[0]?.model}; Node ${process.version}`);
  for (const properties of values.properties.split(',').map(Number)) {
    const root = values.keep ?? (await mkdtemp(join(tmpdir(), 'bench-refresh-')));
    try {
      await bench(properties, join(root, String(properties)));
    } finally {
      if (values.keep === undefined) await rm(root, { recursive: true, force: true });
    }
  }
}

await main();
