/**
 * From the same release files to tables: a refresh of the spatial tables on a seeded synthetic city, against PostGIS with its own loaders
 * and indexes. Both compute the same: what they sum to is compared. PostGIS answers for every n-th parcel and address where that is slow,
 * and its time is multiplied by n; without PostGIS only the refresh runs. Times of the processor are those of all threads and processes:
 * on a machine that does other things too, their ratio is the steadier one.
 * Parts: `files`, the spatial tables against PostGIS; `whole`, a refresh of every serving table there is.
 * `--sessions`: PostGIS computes in two sessions, which use both cores throughout, or in one with two parallel workers.
 * `--hazards`: all ten layers of risks/all, or two.
 * Run: npm run bench:spatial -- [--parts files,whole] [--parcels 200000] [--every 20] [--seed 1] [--sessions 2] [--hazards all] [--no-postgis]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { postgisFromFiles, type Spent } from './spatial_baseline_files.ts';
import { missingTools } from './spatial_baseline_load.ts';
import { type City, syntheticCity } from './spatial_data.ts';
import { type RefreshTimes, refreshFromFiles, SPATIAL_TABLES } from './spatial_files.ts';
import { HAZARD_FILES, TWO_HAZARD_FILES } from './spatial_hazards.ts';
import { startPostgis } from './spatial_postgis.ts';
import { writeReleases } from './spatial_releases.ts';
import { baselineTotals, printTotals, publishedTotals } from './spatial_totals.ts';

const { values } = parseArgs({
  options: {
    parcels: { type: 'string', default: '200000' },
    every: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    sessions: { type: 'string', default: '2' },
    hazards: { type: 'string', default: 'all' },
    'no-postgis': { type: 'boolean', default: false },
    parts: { type: 'string', default: 'files' },
  },
});
const [parcels, every, seed] = [values.parcels, values.every, values.seed].map(Number) as [
  number,
  number,
  number,
];
/** Worker threads of the refresh. */
const THREADS = 2;

/** Hazard layers of the files. */
const hazards = values.hazards === 'two' ? TWO_HAZARD_FILES : HAZARD_FILES;
/** Sessions in which PostGIS computes from files. */
const sessions = values.sessions === '1' ? 1 : 2;

/** Runs something over a folder with the releases of the city, and removes the folder. */
async function withReleases(city: City, run: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-spatial-'));
  try {
    await writeReleases(city, folder, seed, hazards);
    await run(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A refresh of all serving tables, or of the named ones. */
async function refresh(folder: string, tables: readonly string[] | null): Promise<RefreshTimes> {
  const own = await refreshFromFiles(folder, THREADS, tables);
  console.log(
    `files to ${tables === null ? 'all' : 'spatial'} published tables: ${own.run_s.toFixed(1)} s (whole command ${own.whole_s.toFixed(1)} s, ${own.cpu_s.toFixed(1)} s of CPU), peak ${own.peak_mb} MB`,
  );
  for (const [step, seconds] of Object.entries(own.steps).sort((a, b) => b[1] - a[1])) {
    if (seconds >= own.run_s / 50)
      console.log(`  ${step.padEnd(28)} ${seconds.toFixed(1).padStart(7)} s ${own.rows[step] ?? ''}`);
  }
  return own;
}

async function files(folder: string): Promise<void> {
  const own = await refresh(folder, SPATIAL_TABLES);
  const missing = missingTools();
  if (missing.length > 0)
    console.log(`PostGIS is left out: there is no ${missing.join(', ')} (Debian: postgis)`);
  const baseline = values['no-postgis'] || missing.length > 0 ? null : await startPostgis();
  if (baseline === null) return;
  try {
    const { load, index, results } = await postgisFromFiles(baseline, folder, hazards, every, sessions);
    const compute = sumOf(results);
    const total = sumOf([load, index, compute]);
    console.log(
      `files to tables in ${baseline.version}: load ${shown(load)}, project, subdivide and index ${shown(index)}, compute and write ${shown(compute)}: ${shown(total)}`,
    );
    for (const each of results)
      console.log(
        `  ${each.table.padEnd(28)} ${shown(each)}${each.isWhole ? '' : `, every ${every}th × ${every}`}`,
      );
    console.log(
      `ratio ${(total.seconds / own.run_s).toFixed(1)}, of CPU ${(total.cpu_s / own.cpu_s).toFixed(1)}\ntotals of the refresh, of PostGIS, difference (the same ${every}th rows where PostGIS computed those)`,
    );
    const sampled = new Set(results.filter(({ isWhole }) => !isWhole).map(({ table }) => table));
    printTotals(await publishedTotals(own.data_dir, sampled, every), await baselineTotals(baseline.client));
  } finally {
    await baseline.stop();
  }
}

const sumOf = (parts: readonly Spent[]): Spent => ({
  seconds: parts.reduce((sum, { seconds }) => sum + seconds, 0),
  cpu_s: parts.reduce((sum, { cpu_s }) => sum + cpu_s, 0),
});
const shown = ({ seconds, cpu_s }: Spent): string => `${seconds.toFixed(1)} s (${cpu_s.toFixed(1)} s of CPU)`;

const PARTS = ['files', 'whole'] as const;
const wanted = values.parts.split(',');
const unknown = wanted.filter((part) => !(PARTS as readonly string[]).includes(part));
if (unknown.length > 0)
  throw new Error(`unknown parts: ${unknown.join(', ')}; there are ${PARTS.join(', ')}`);

console.log(
  `${availableParallelism()} × ${cpus()[0]?.model}; Node ${process.version}; ${new Date().toISOString()}`,
);
const city = syntheticCity(parcels, seed);
const vertices = city.parcels.reduce((sum, { coords }) => sum + coords.length / 2, 0);
console.log(
  `${parcels.toLocaleString('en')} parcels, ${vertices.toLocaleString('en')} vertices, ${(city.addresses.length / 2).toLocaleString('en')} addresses, ${hazards.length} hazard layers, seed ${seed}`,
);
if (wanted.includes('files')) await withReleases(city, files);
if (wanted.includes('whole'))
  await withReleases(city, async (folder) => {
    await refresh(folder, null);
  });
