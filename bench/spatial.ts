/**
 * Speed of the spatial kernels on a seeded synthetic city, in two worker threads, against PostGIS with two parallel workers, the
 * two taking turns. Both compute the same: what they sum to is compared. PostGIS answers for every n-th parcel and address, and
 * its time is multiplied by n; without PostGIS only the kernels run. Times of the processor are those of all threads and processes:
 * on a machine that does other things too, their ratio is the steadier one. Writing of results is in neither.
 * Run: npm run bench:spatial -- [--parcels 200000] [--rounds 3] [--every 20] [--seed 1] [--no-postgis] [--no-scaling]
 */
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { type City, syntheticCity } from './spatial_data.ts';
import { type Baseline, loadCity, makeSamples, runQueries, startPostgis } from './spatial_postgis.ts';
import { prepare, type Sums, stagesOf } from './spatial_stages.ts';

const THREADS = 2;

const { values } = parseArgs({
  options: {
    parcels: { type: 'string', default: '200000' },
    rounds: { type: 'string', default: '3' },
    every: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    'no-postgis': { type: 'boolean', default: false },
    'no-scaling': { type: 'boolean', default: false },
  },
});
const [parcels, rounds, every, seed] = [values.parcels, values.rounds, values.every, values.seed].map(
  Number,
) as [number, number, number, number];

/** Worker threads that share the partitions of a stage. */
class Threads {
  readonly #workers: Worker[];
  readonly #next = new Int32Array(new SharedArrayBuffer(4));

  constructor(city: City) {
    this.#workers = Array.from(
      { length: THREADS },
      () =>
        new Worker(new URL('./spatial_worker.mjs', import.meta.url), {
          workerData: { city, next: this.#next },
          execArgv: [],
        }),
    );
  }

  async ready(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => once(worker, 'message')));
  }

  /** Runs a stage over all partitions by the first `threads` workers. */
  async run(stage: string, threads: number): Promise<{ seconds: number; cpu_s: number; sums: Sums }> {
    Atomics.store(this.#next, 0, 0);
    const before = process.cpuUsage();
    const started = performance.now();
    const results = await Promise.all(
      this.#workers.slice(0, threads).map(async (worker) => {
        worker.postMessage(stage);
        return ((await once(worker, 'message')) as [Sums])[0];
      }),
    );
    const sums: Sums = {};
    for (const own of results) {
      for (const [key, value] of Object.entries(own)) sums[key] = (sums[key] ?? 0) + value;
    }
    const { user, system } = process.cpuUsage(before);
    return { seconds: (performance.now() - started) / 1000, cpu_s: (user + system) / 1e6, sums };
  }

  async stop(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}

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

/** Seconds of all stages in this thread, the least of the rounds for each, and the greatest memory. */
function measureAlone(count: number): number {
  const prepared = prepare(syntheticCity(count, seed));
  let total = 0;
  for (const stage of Object.values(stagesOf(prepared))) {
    let best = Infinity;
    for (let round = 0; round < rounds; round++) {
      const started = performance.now();
      for (const cell of prepared.cells) stage(prepared, cell, {});
      best = Math.min(best, (performance.now() - started) / 1000);
    }
    total += best;
  }
  return total;
}

async function twoAgainstOne(threads: Threads, stages: readonly string[]): Promise<void> {
  let [one, two] = [0, 0];
  for (const stage of stages) {
    const alone: number[] = [];
    const both: number[] = [];
    for (let round = 0; round < rounds; round++) {
      alone.push((await threads.run(stage, 1)).seconds);
      both.push((await threads.run(stage, THREADS)).seconds);
    }
    one += Math.min(...alone);
    two += Math.min(...both);
  }
  console.log(
    `all stages: ${one.toFixed(2)} s in one thread, ${two.toFixed(2)} s in two: ${(one / two).toFixed(2)} times`,
  );
}

const city = syntheticCity(parcels, seed);
const vertices = city.parcels.reduce((sum, { coords }) => sum + coords.length / 2, 0);
console.log(
  `${parcels.toLocaleString('en')} parcels, ${vertices.toLocaleString('en')} vertices, ${(city.addresses.length / 2).toLocaleString('en')} addresses, two hazard layers of 320,000 vertices, seed ${seed}; median (range) of ${rounds} rounds`,
);
const threads = new Threads(city);
await threads.ready();
const stages = Object.keys(stagesOf(prepare(city)));
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
if (!values['no-scaling']) {
  await twoAgainstOne(threads, stages);
  await threads.stop();
  const small = measureAlone(100_000);
  const large = measureAlone(400_000);
  console.log(
    `all stages in one thread: ${small.toFixed(2)} s for 100,000 parcels, ${large.toFixed(2)} s for 400,000: ${(large / small).toFixed(2)} times`,
  );
  console.log(`peak memory of the process: ${Math.round(process.resourceUsage().maxRSS / 1024)} MB`);
}
await threads.stop();
