import { spawn } from 'node:child_process';
import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { from as copyFrom } from 'pg-copy-streams';
import type { RunReport } from '../pipelines/report.ts';
import type { City } from './spatial_data.ts';
import {
  type Baseline,
  indexTable,
  makeSamples,
  pointRows,
  polygonRows,
  RESULTS,
  subdivide,
} from './spatial_postgis.ts';

const CLI = fileURLToPath(new URL('../cli/start.mjs', import.meta.url));
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
  peak_mb: number;
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
  const dataDir = join(folder, `data-${Date.now()}`);
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
    peak_mb: report.peak_memory_mb,
    rows,
    steps,
  };
}

/** Writes what PostGIS loads as text in the form that COPY takes, on the plane: it parses and projects nothing. */
export async function writeCopyFiles(city: City, folder: string): Promise<void> {
  const save = (name: string, rows: Iterable<string>): Promise<void> =>
    pipeline(Readable.from(batched(rows)), createWriteStream(join(folder, `${name}.copy`)));
  await save('parcel', polygonRows(city.parcels));
  await save('address', pointRows(city.addresses, null));
  await save('stop', pointRows(city.stops, city.stopMode));
  await save('poi', pointRows(city.pois, city.poiCategory));
  for (const { name, features } of city.hazards) await save(`${name}_whole`, polygonRows(features));
}

function* batched(rows: Iterable<string>): Iterable<string> {
  let out = '';
  for (const row of rows) {
    out += row;
    if (out.length < 1 << 17) continue;
    yield out;
    out = '';
  }
  yield out;
}

/** Files to tables in PostGIS: seconds of COPY, of subdividing, indexes and clustering, and of the queries into tables (of every n-th row, times n). */
export async function postgisFromFiles(
  baseline: Baseline,
  folder: string,
  hazards: readonly string[],
  every: number,
): Promise<{ load_s: number; index_s: number; compute_s: number; bytes: number }> {
  const { client } = baseline;
  const lap = timer();
  let bytes = 0;
  const points = ['address', 'stop', 'poi'];
  for (const table of ['parcel', ...points, ...hazards.map((name) => `${name}_whole`)]) {
    const path = join(folder, `${table}.copy`);
    bytes += statSync(path).size;
    const columns = points.includes(table) ? 'id int, kind int, geom geometry' : 'id int, geom geometry';
    await client.query(`drop table if exists ${table}`);
    await client.query(`create unlogged table ${table} (${columns})`);
    await pipeline(createReadStream(path), client.query(copyFrom(`copy ${table} from stdin`)));
  }
  const load_s = lap();
  for (const name of hazards) await subdivide(client, name);
  for (const table of ['parcel', ...points, ...hazards]) await indexTable(client, table);
  const index_s = lap();
  await makeSamples(baseline, every);
  lap();
  for (const [table, query] of Object.entries(RESULTS)) {
    await client.query(`drop table if exists ${table}`);
    await client.query(`create unlogged table ${table} as ${query}`);
  }
  return { load_s, index_s, compute_s: lap() * every, bytes };
}

/** Seconds since the last call. */
function timer(): () => number {
  let last = performance.now();
  return () => {
    const now = performance.now();
    const seconds = (now - last) / 1000;
    last = now;
    return seconds;
  };
}
