import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { RunReport } from '../../pipelines/report/report.ts';
import { cpuOf } from './server_cpu.ts';

const CLI = fileURLToPath(new URL('../../cli/start.mjs', import.meta.url));
/** Serving tables of the spatial stages. */
export const SPATIAL_TABLES = [
  'property',
  'property_profile',
  'property_neighbour',
  'property_zoning',
  'property_overlay',
  'property_risk',
  'property_proximity',
  'parcel_shape',
  'region_shape',
  'region_neighbour',
  'hazard',
  'stop',
  'place',
  'school',
] as const;

/** What a refresh from nothing took. */
export interface RefreshTimes {
  /** Seconds of the run: without the start of program and server. */
  run_s: number;
  whole_s: number;
  /** Seconds of the processor of the whole command with its threads and its server. */
  cpu_s: number;
  peak_mb: number;
  /** Folder with its database. */
  data_dir: string;
  rows: Record<string, number>;
  /** Seconds of each load and stage; they overlap. */
  steps: Record<string, number>;
}

/** Files to published tables, all or the named ones: one refresh from nothing, by the command, into an embedded server of its own. */
export async function refreshFromFiles(
  folder: string,
  workers: number,
  tables: readonly string[] | null,
): Promise<RefreshTimes> {
  const started = performance.now();
  const before = await cpuOf(process.pid);
  const dataDir = join(folder, 'data');
  const config = join(folder, 'config.yaml');
  const args = [CLI, 'refresh', '--json', '-c', config, '--data-dir', dataDir];
  if (tables !== null) args.push('--tables', tables.join(','));
  const child = spawn(process.execPath, [...args, '--workers', String(workers)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let complaints = '';
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (!line.includes('"event":')) complaints += `${line}\n`;
  });
  let out = '';
  child.stdout.on('data', (data) => {
    out += data;
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0)
    throw new Error(`refresh ended with ${code}: ${out.slice(0, 2000)} ${complaints.slice(-2000)}`);
  const report = JSON.parse(out) as RunReport;
  const steps: Record<string, number> = {};
  for (const { adapter, seconds } of report.datasets)
    steps[`load ${adapter}`] = (steps[`load ${adapter}`] ?? 0) + seconds;
  for (const { stage, seconds } of report.stages) steps[stage] = seconds;
  const rows = Object.fromEntries(report.stages.map(({ stage, rows_written }) => [stage, rows_written]));
  return {
    run_s: report.seconds,
    whole_s: (performance.now() - started) / 1000,
    cpu_s: (await cpuOf(process.pid)) - before,
    peak_mb: report.peak_memory_mb,
    data_dir: dataDir,
    rows,
    steps,
  };
}
