/**
 * What nights cost beside the first refresh of the sample country: a night of listings, one of a cadastre (0.1 % of a state's parcels are
 * split, merged or moved), one of a quarterly G-NAF (0.3 % of the addresses have another point, another building name or are gone), and
 * one in which nothing changed; each as CPU seconds of the command and the server, and as a share of the first refresh.
 * The folder is kept, with the database in `db/postgres`; begun with an empty one.
 * With several sizes (`25000,50000,100000`) the same number of rows changes in each: a stage whose night costs more in a larger country, although
 * no more changed, is named, with the seconds that it takes for each further 100,000 properties.
 * Run: npx tsx tools/bench/nights.ts <folder> [properties,…] [state] [listings]
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunReport } from '../../pipelines/report/report.ts';
import { startEmbedded } from '../../store/embedded/server.ts';
import { embeddedStatus } from '../../test/embedded_status.ts';
import { changeAddresses, changeCadastre, deliverListings } from '../../test/pipelines/night_deliveries.ts';
import { writeSampleConfig } from '../sample/config.ts';
import { generateSampleCountry } from '../sample/generate.ts';
import { cpuOf, cpuWithChildren } from './server_cpu.ts';

const [dir, many = '50000', state = 'vic', listed] = process.argv.slice(2);
if (dir === undefined)
  throw new Error('usage: npx tsx tools/bench/nights.ts <folder> [properties,…] [state] [listings]');
const root = dir;
const sizes = many.split(',').map(Number);
const CLI = fileURLToPath(new URL('../../cli/start.mjs', import.meta.url));
const SEED = 1;

interface Cost {
  command: number;
  server: number;
  report: RunReport;
}

/** Runs a command once, with all that it says. */
async function refresh(folder: string, url: string, postmaster: number): Promise<Cost> {
  const [own, there] = [await cpuOf(process.pid), await cpuWithChildren(postmaster)];
  const gates = ['rows_change', 'null_share_rise', 'median_shift', 'coverage_drop'].flatMap((gate) => [
    '--set',
    `gates.${gate}_max=100`,
  ]);
  const child = spawn(
    process.execPath,
    [CLI, 'refresh', '--json', '-c', join(folder, 'config.yaml'), ...gates],
    {
      env: { ...process.env, DATABASE_URL: url },
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  let out = '';
  child.stdout.on('data', (data) => {
    out += data;
  });
  await new Promise((resolve) => child.once('close', resolve));
  const report = JSON.parse(out.slice(0, out.indexOf('\n'))) as RunReport;
  if (report.error) throw new Error(report.error.message);
  return {
    command: (await cpuOf(process.pid)) - own,
    server: (await cpuWithChildren(postmaster)) - there,
    report,
  };
}

let whole: number | null = null;
function print(title: string, { command, server: there, report }: Cost): void {
  const both = command + there;
  whole ??= both;
  console.log(
    `${title}: ${report.state}, ${report.seconds.toFixed(1)} s, CPU ${command.toFixed(1)} + ${there.toFixed(1)} = ${both.toFixed(1)} s, ${((both / whole) * 100).toFixed(1)} %, peak ${report.peak_memory_mb} MB, database ${Math.round(report.database_mb ?? 0)} MB`,
  );
  const slow = report.stages
    .filter(({ partitions_run }) => partitions_run > 0)
    .sort((a, b) => b.seconds - a.seconds);
  for (const { stage, partitions_run, partitions_unchanged, rows_written, seconds } of slow.slice(0, 14))
    console.log(
      `  ${stage.padEnd(29)} ${partitions_run} of ${partitions_run + partitions_unchanged} partitions, ${rows_written} rows, ${seconds.toFixed(2)} s`,
    );
  const changed = report.tables
    .filter(({ inserted, updated, deleted }) => inserted + updated + deleted > 0)
    .sort((a, b) => b.updated + b.inserted - a.updated - a.inserted);
  if (whole !== both)
    for (const { table, inserted, updated, deleted } of changed.slice(0, 6))
      console.log(`  published ${table}: +${inserted} ~${updated} -${deleted}`);
  for (const { dataset, rows, seconds } of report.datasets)
    if (rows > 0 && whole !== both) console.log(`  load ${dataset}: ${rows} rows, ${seconds.toFixed(2)} s`);
}

/** Seconds of each stage in each night, by `night: stage`. */
type Nights = Map<string, number>;

/** First refresh and nights of a country of a size; `listings` change whatever the size. */
async function nights(folder: string, properties: number, listings: number): Promise<Nights> {
  const dataDir = join(folder, 'db', 'postgres');
  const server = await startEmbedded({ dataDir });
  const took: Nights = new Map();
  whole = null;
  try {
    const postmaster = embeddedStatus(dataDir).pid!;
    const night = async (title: string, name: string | null): Promise<void> => {
      const cost = await refresh(folder, server.connectionString, postmaster);
      print(title, cost);
      if (name !== null)
        for (const { stage, seconds, partitions_run } of cost.report.stages)
          took.set(`${name}: ${stage}`, partitions_run > 0 ? seconds : 0);
    };
    await generateSampleCountry({ properties, seed: SEED, out: folder, market_homes: properties });
    await writeSampleConfig(folder, { properties, seed: SEED });
    await night(`first refresh, ${properties} properties`, null);
    await deliverListings(folder, Math.round(properties / listings));
    await night(`a night of ${listings} listings`, 'listings');
    const changed = await changeCadastre(join(folder, 'cadastre', state), state);
    await night(`a night of a cadastre, ${state} ${JSON.stringify(changed)}`, 'cadastre');
    await changeAddresses(join(folder, 'gnaf'));
    await night('a night of G-NAF, 0.3 %', 'G-NAF');
    await night('nothing changed', null);
  } finally {
    await server.release();
  }
  return took;
}

/** Growth of a stage's night below which it is noise: seconds for 100,000 properties. */
const NOISE_S = 0.3;

const all: Nights[] = [];
for (const properties of sizes) {
  const listings = Number(listed || Math.round(sizes[0]! / 400));
  const folder = sizes.length === 1 ? root : join(root, String(properties));
  all.push(await nights(folder, properties, listings));
}
if (sizes.length > 1) {
  const mean = (values: readonly number[]): number => values.reduce((sum, n) => sum + n, 0) / values.length;
  const middle = mean(sizes);
  console.log(
    'seconds for each further 100,000 properties, of stages whose night of listings grows with the country:',
  );
  for (const name of all[0]!.keys()) {
    if (!name.startsWith('listings')) continue;
    const seconds = all.map((each) => each.get(name) ?? 0);
    const own = mean(seconds);
    const slope =
      sizes.reduce((sum, n, i) => sum + (n - middle) * (seconds[i]! - own), 0) /
      sizes.reduce((sum, n) => sum + (n - middle) ** 2, 0);
    if (slope * 100_000 > NOISE_S) console.log(`  ${name}: ${(slope * 100_000).toFixed(2)} s`);
  }
}
