/**
 * What nights cost beside the first refresh of the sample country: a night of listings, one of a cadastre (0.1 % of a state's parcels are
 * split, merged or moved), one of a quarterly G-NAF (0.3 % of the addresses have another point, another building name or are gone), and
 * one in which nothing changed; each as CPU seconds of the command and the server, and as a share of the first refresh.
 * The folder is kept, with the database in `db/postgres`; begun with an empty one.
 * Run: npx tsx bench/nights.ts <folder> [properties] [state] [listings]
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunReport } from '../pipelines/report/report.ts';
import { writeSampleConfig } from '../sample/config.ts';
import { generateSampleCountry } from '../sample/generate.ts';
import { embeddedStatus, startEmbedded } from '../store/embedded/server.ts';
import { changeAddresses, changeCadastre, deliverListings } from '../test/pipelines/night_deliveries.ts';
import { cpuOf, cpuWithChildren } from './server_cpu.ts';

const [dir, many = '50000', state = 'vic', listed] = process.argv.slice(2);
if (dir === undefined)
  throw new Error('usage: npx tsx bench/nights.ts <folder> [properties] [state] [listings]');
const properties = Number(many);
const listings = Number(listed || Math.round(properties / 400));
const CLI = fileURLToPath(new URL('../cli/start.mjs', import.meta.url));
const SEED = 1;
const folder = dir;
const dataDir = join(folder, 'db', 'postgres');
const server = await startEmbedded({ dataDir });
const postmaster = embeddedStatus(dataDir).pid!;

interface Cost {
  command: number;
  server: number;
  report: RunReport;
}

/** Runs a command once, with all that it says. */
async function run(command: string, ...more: string[]): Promise<Cost> {
  const [own, there] = [await cpuOf(process.pid), await cpuWithChildren(postmaster)];
  const gates = ['rows_change', 'null_share_rise', 'median_shift', 'coverage_drop'].flatMap((gate) => [
    '--set',
    `gates.${gate}_max=100`,
  ]);
  const child = spawn(
    process.execPath,
    [CLI, command, '--json', '-c', join(folder, 'config.yaml'), ...gates, ...more],
    {
      env: { ...process.env, DATABASE_URL: server.connectionString },
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

const refresh = (): Promise<Cost> => run('refresh');

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

try {
  await generateSampleCountry({ properties, seed: SEED, out: folder, market_homes: properties });
  await writeSampleConfig(folder, { properties, seed: SEED });
  print(`first refresh, ${properties} properties`, await refresh());
  await deliverListings(folder, Math.round(properties / listings));
  print(`a night of ${listings} listings`, await refresh());
  const changed = await changeCadastre(join(folder, 'cadastre', state), state);
  print(`a night of a cadastre, ${state} ${JSON.stringify(changed)}`, await refresh());
  await changeAddresses(join(folder, 'gnaf'));
  print('a night of G-NAF, 0.3 %', await refresh());
  print('nothing changed', await refresh());
} finally {
  await server.release();
}
