/**
 * Speed of the spatial kernels on a seeded synthetic city, in two worker threads, against PostGIS with two parallel workers, the
 * two taking turns. Both compute the same: what they sum to is compared. PostGIS answers for every n-th parcel and address, and
 * its time is multiplied by n; without PostGIS only the kernels run. Times of the processor are those of all threads and processes:
 * on a machine that does other things too, their ratio is the steadier one.
 * Parts: `ratios`, the table, without the writing of results on either side; `cores`, two threads against one; `scaling`, 400,000
 * parcels against 100,000 in one thread, with peak memory; `files`, a refresh from release files to the published tables of spatial
 * stages against PostGIS from the same files to tables; `whole`, a refresh of every serving table there is.
 * `--sessions`: in files, PostGIS computes in two sessions, which use both cores throughout, or in one with two parallel workers.
 * `--hazards`: in files and whole, all ten layers of risks/all, or two.
 * Run: npm run bench:spatial -- [--parts ratios,cores,scaling,files,whole] [--parcels 200000] [--rounds 3] [--every 20] [--seed 1] [--sessions 2] [--hazards all] [--no-postgis]
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { postgisFromFiles, type Spent } from './spatial_baseline_files.ts';
import { missingTools } from './spatial_baseline_load.ts';
import { type City, syntheticCity } from './spatial_data.ts';
import { type RefreshTimes, refreshFromFiles, SPATIAL_TABLES } from './spatial_files.ts';
import { HAZARD_FILES, TWO_HAZARD_FILES } from './spatial_hazards.ts';
import { type Baseline, loadCity, makeSamples, runQueries, startPostgis } from './spatial_postgis.ts';
import { writeReleases } from './spatial_releases.ts';
import { prepare, type Sums, stagesOf } from './spatial_stages.ts';
import { THREADS, Threads } from './spatial_threads.ts';
import { baselineTotals, printTotals, publishedTotals } from './spatial_totals.ts';

const { values } = parseArgs({
  options: {
    parcels: { type: 'string', default: '200000' },
    rounds: { type: 'string', default: '3' },
    every: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    sessions: { type: 'string', default: '2' },
    hazards: { type: 'string', default: 'all' },
    'no-postgis': { type: 'boolean', default: false },
    parts: { type: 'string', default: 'ratios,cores,scaling,files' },
  },
});
const [parcels, rounds, every, seed] = [values.parcels, values.rounds, values.every, values.seed].map(
  Number,
) as [number, number, number, number];

/** Hazard layers of the files. */
const hazards = values.hazards === 'two' ? TWO_HAZARD_FILES : HAZARD_FILES;
/** Sessions in which PostGIS computes from files. */
const sessions = values.sessions === '1' ? 1 : 2;

const median = (list: readonly number[]): number => [...list].sort((a, b) => a - b)[list.length >> 1]!;

/** Median with the range of all rounds. */
const spread = (list: readonly number[], digits: number): string =>
  `${median(list).toFixed(digits)} (${Math.min(...list).toFixed(digits)}-${Math.max(...list).toFixed(digits)})`;

function row(cells: readonly string[]): void {
  const widths = [28, 17, 20, 14, 17, 20, 14, 10];
  console.log(
    cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join(' '),
  );
}

/** Greatest relative difference between what the kernels and PostGIS summed to; the sample's sums are scaled. */
function difference(own: Sums, sample: Sums): string {
  const parts = Object.keys(sample).map((key) => Math.abs((own[key] ?? 0) / (sample[key]! * every) - 1));
  return `${(Math.max(...parts) * 100).toFixed(2)} %`;
}

/** Seconds of one stage over all rounds. */
interface Times {
  readonly own: number[];
  readonly ownCpu: number[];
  readonly other: number[];
  readonly otherCpu: number[];
}

function report(stage: string, { own, ownCpu, other, otherCpu }: Times, worst: string): void {
  const ratios = (a: readonly number[], b: readonly number[]): string =>
    a.length === 0
      ? '-'
      : spread(
          a.map((value, i) => value / b[i]!),
          0,
        );
  const shown = (list: readonly number[], digits: number): string =>
    list.length === 0 ? '-' : spread(list, digits);
  row([
    stage,
    shown(own, 2),
    shown(other, 1),
    ratios(other, own),
    shown(ownCpu, 2),
    shown(otherCpu, 1),
    ratios(otherCpu, ownCpu),
    worst,
  ]);
}

async function compare(
  threads: Threads,
  baseline: Baseline | null,
  stages: readonly string[],
): Promise<void> {
  row([
    'stage',
    'kernels s',
    'PostGIS s',
    'ratio',
    'kernels cpu s',
    'PostGIS cpu s',
    'ratio of cpu',
    'difference',
  ]);
  for (const stage of stages) {
    // compiled code, as in a run over many cells
    await threads.run(stage, THREADS);
    const times: Times = { own: [], ownCpu: [], other: [], otherCpu: [] };
    let worst = '-';
    for (let round = 0; round < rounds; round++) {
      const mine = await threads.run(stage, THREADS);
      times.own.push(mine.seconds);
      times.ownCpu.push(mine.cpu_s);
      if (baseline === null) continue;
      const theirs = await runQueries(baseline, stage);
      times.other.push(theirs.seconds * every);
      times.otherCpu.push(theirs.cpu_s * every);
      worst = difference(mine.sums, theirs.sums);
    }
    report(stage, times, worst);
  }
}

async function twoAgainstOne(threads: Threads, stages: readonly string[]): Promise<void> {
  const one: number[] = [];
  const two: number[] = [];
  // the first round is for the compiler
  for (let round = -1; round < rounds; round++) {
    const sums = [0, 0];
    for (const stage of stages) {
      for (const count of [1, THREADS]) sums[count - 1]! += (await threads.run(stage, count)).seconds;
    }
    if (round < 0) continue;
    one.push(sums[0]!);
    two.push(sums[THREADS - 1]!);
  }
  console.log(
    `all stages: ${spread(one, 2)} s in one thread, ${spread(two, 2)} s in two: ${spread(
      one.map((value, i) => value / two[i]!),
      2,
    )} times`,
  );
}

/** What one thread in a process of its own took for all stages of a city of so many parcels, and that process's memory. */
interface Alone {
  readonly seconds: number;
  readonly cpu_s: number;
  readonly peak_mb: number;
}

function measureAlone(count: number): Alone {
  const args = ['--import', 'tsx', fileURLToPath(new URL('./spatial_alone.ts', import.meta.url))];
  const out = execFileSync(process.execPath, [...args, String(count), String(rounds), String(seed)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(out) as Alone;
}

function scaling(): void {
  const small = measureAlone(100_000);
  const large = measureAlone(400_000);
  const shown = ({ seconds, cpu_s }: Alone): string =>
    `${seconds.toFixed(2)} s (${cpu_s.toFixed(2)} s of CPU)`;
  console.log(
    `all stages in one thread: ${shown(small)} for 100,000 parcels, ${shown(large)} for 400,000: ${(large.seconds / small.seconds).toFixed(2)} times (${(large.cpu_s / small.cpu_s).toFixed(2)} by CPU)`,
  );
  console.log(
    `peak memory of the process with all inputs of 400,000 parcels: ${large.peak_mb} MB; of 100,000: ${small.peak_mb} MB`,
  );
}

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

async function ratios(city: City, threads: Threads, stages: readonly string[]): Promise<void> {
  const baseline = values['no-postgis'] ? null : await startPostgis();
  try {
    if (baseline) {
      console.log(`${baseline.version}, every ${every}th row, time × ${every}`);
      await loadCity(baseline, city);
      await makeSamples(baseline, every);
    }
    await compare(threads, baseline, stages);
  } finally {
    await baseline?.stop();
  }
}

const PARTS = ['ratios', 'cores', 'scaling', 'files', 'whole'] as const;
const wanted = values.parts.split(',');
const unknown = wanted.filter((part) => !(PARTS as readonly string[]).includes(part));
if (unknown.length > 0)
  throw new Error(`unknown parts: ${unknown.join(', ')}; there are ${PARTS.join(', ')}`);
const started = performance.now();
/** Runs a part where it is wanted, and says how long it took. */
async function part(name: (typeof PARTS)[number], run: () => Promise<void> | void): Promise<void> {
  if (!wanted.includes(name)) return;
  const before = performance.now();
  console.log(`\n${name}`);
  await run();
  console.log(`(${((performance.now() - before) / 1000).toFixed(0)} s)`);
}

console.log(
  `${availableParallelism()} × ${cpus()[0]?.model}; Node ${process.version}; ${new Date().toISOString()}`,
);
// first: the city of this process is not there yet
await part('scaling', scaling);
if (wanted.some((name) => name !== 'scaling')) {
  const city = syntheticCity(parcels, seed);
  const vertices = city.parcels.reduce((sum, { coords }) => sum + coords.length / 2, 0);
  console.log(
    `\n${parcels.toLocaleString('en')} parcels, ${vertices.toLocaleString('en')} vertices, ${(city.addresses.length / 2).toLocaleString('en')} addresses, two hazard layers of 320,000 vertices (files: ${hazards.length} layers), seed ${seed}; median (range) of ${rounds} rounds`,
  );
  if (wanted.includes('ratios') || wanted.includes('cores')) {
    const stages = Object.keys(stagesOf(prepare(city)));
    const threads = new Threads(city);
    await threads.ready();
    await part('cores', () => twoAgainstOne(threads, stages));
    await part('ratios', () => ratios(city, threads, stages));
    await threads.stop();
  }
  await part('files', () => withReleases(city, files));
  await part('whole', () =>
    withReleases(city, async (folder) => {
      await refresh(folder, null);
    }),
  );
}
console.log(`\n${((performance.now() - started) / 1000).toFixed(0)} s in all`);
