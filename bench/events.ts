/**
 * A night of market events: refreshes a sample country with a history of events, delivers a night of further ones as one more file,
 * refreshes again, and prints what each step of the second run computed and how long it took. The history has one event for every
 * second property; the night is spread over all. Addresses and regions only, so that the figures are those of the events. With `tables`:
 * of these the tables of events alone (refresh --tables), as they are brought up to date through the day. With `all`:
 * every dataset of the sample country, with its own listings and sales as the history. A folder that is named is kept, with the
 * database in `db/postgres`.
 * Run: npx tsx bench/events.ts [properties] [events] [few|tables|all] [folder]
 */
import { spawn } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { parse as parseCsv } from 'csv-parse';
import { parse, stringify } from 'yaml';
import type { RunReport } from '../pipelines/report/report.ts';
import { writeSampleConfig } from '../sample/config.ts';
import { generateSampleCountry } from '../sample/generate.ts';

const SEED = 1;
const EVENT_TABLES = 'property_event,property_basics,listing,match_review';
const CLI = fileURLToPath(new URL('../cli/start.mjs', import.meta.url));
const HEADER =
  'source,source_id,event_type,channel,event_date,address,suburb,state,postcode,price,bedrooms,description\n';
const TEXT =
  'Light-filled three bedroom home with gourmet kitchen and ensuite. No pool. Close to schools and shops.';

interface Truth {
  gnaf_pid: string;
  alias_principal: string;
  is_live: string;
  flat_number: string;
  number_first: string;
  street_name: string;
  street_type: string;
  locality_name: string;
  postcode: string;
  state: string;
}

/** Event of a property as a line of the contract. */
function line(home: Truth, i: number, date: string, type: 'listed' | 'sold'): string {
  const unit = home.flat_number === '' ? '' : `${home.flat_number}/`;
  const address = `${unit}${home.number_first} ${home.street_name} ${home.street_type}`;
  const price = 400_000 + ((i * 7919) % 900) * 1000;
  return `agency,${type}${i},${type},sale,${date},${address},${home.locality_name},${home.state},${home.postcode},${price},${2 + (i % 3)},"${TEXT}"\n`;
}

async function* homes(dir: string): AsyncGenerator<Truth> {
  const rows = createReadStream(join(dir, 'truth/properties.csv')).pipe(parseCsv({ columns: true }));
  for await (const row of rows as AsyncIterable<Truth>)
    if (row.is_live === 'true' || row.is_live === '1')
      if (row.alias_principal === 'P' && row.number_first !== '') yield row;
}

/** Writes an event for every `step`th property. */
async function deliver(
  dir: string,
  file: string,
  step: number,
  lineOf: (home: Truth, i: number) => string,
): Promise<void> {
  await mkdir(join(dir, FOLDER), { recursive: true });
  async function* lines(): AsyncGenerator<string> {
    yield HEADER;
    let i = 0;
    for await (const home of homes(dir)) if (i++ % step === 0) yield lineOf(home, i);
  }
  await pipeline(lines(), createWriteStream(join(dir, FOLDER, file)));
}

/** Runs `refresh` once and gives its report. */
async function refresh(dir: string): Promise<RunReport> {
  const args = [CLI, 'refresh', '--json', '-c', join(dir, 'config.yaml'), '--data-dir', join(dir, 'db')];
  const more = ['rows_change', 'null_share_rise', 'median_shift', 'coverage_drop'].flatMap((gate) => [
    '--set',
    `gates.${gate}_max=100`,
  ]);
  const some = isTables ? ['--tables', EVENT_TABLES] : [];
  const child = spawn(process.execPath, [...args, ...more, ...some], { stdio: ['ignore', 'pipe', 'ignore'] });
  let out = '';
  child.stdout.on('data', (data) => {
    out += data;
  });
  await new Promise((resolve) => child.once('close', resolve));
  const report = JSON.parse(out) as RunReport;
  if (report.error) throw new Error(report.error.message);
  return report;
}

function print(title: string, report: RunReport): void {
  console.log(`\n${title}: ${report.seconds.toFixed(1)} s, peak ${report.peak_memory_mb} MB`);
  for (const { dataset, rows, seconds } of report.datasets)
    if (rows > 0)
      console.log(
        `  load ${dataset.padEnd(24)} ${String(rows).padStart(9)} rows ${seconds.toFixed(2).padStart(7)} s`,
      );
  for (const { stage, partitions_run, partitions_unchanged, rows_written, seconds, reasons } of report.stages)
    if (partitions_run > 0) {
      const byKey = Object.entries(reasons).filter(([reason]) => reason.endsWith(', by key'));
      const keys = byKey.reduce((sum, [, n]) => sum + n, 0);
      console.log(
        `  ${stage.padEnd(29)} ${String(partitions_run).padStart(5)} of ${String(partitions_run + partitions_unchanged).padStart(5)} partitions, ${String(keys).padStart(5)} by key ${String(rows_written).padStart(9)} rows ${seconds.toFixed(2).padStart(7)} s`,
      );
    }
  const changed = report.tables.filter((table) => table.inserted + table.updated + table.deleted > 0);
  for (const { table, inserted, updated, deleted } of changed)
    console.log(`  published ${table.padEnd(19)} +${inserted} ~${updated} -${deleted}`);
}

const properties = Number(process.argv[2] ?? 50_000);
const events = Number(process.argv[3] ?? Math.round(properties / 50));
const all = process.argv[4] === 'all';
const isTables = process.argv[4] === 'tables';
/** Where deliveries go: the datasets of the sample country have a folder of listings. */
const FOLDER = all ? 'listings' : 'feed';
const kept = process.argv[5];
const dir = kept ?? (await mkdtemp(join(tmpdir(), 'bench-events-')));
try {
  await generateSampleCountry({ properties, seed: SEED, out: dir, ...(all && { market_homes: properties }) });
  await writeSampleConfig(dir, { properties, seed: SEED });
  const path = join(dir, 'config.yaml');
  const { datasets } = parse(await readFile(path, 'utf8')) as { datasets: Record<string, unknown> };
  const feed = { adapter: 'listings', path: 'feed/*', licence: 'generated' };
  if (!all) {
    await writeFile(path, stringify({ datasets: { gnaf: datasets.gnaf, asgs: datasets.asgs, feed } }));
    await deliver(dir, 'history_2024-12-31.csv', 2, (home, i) =>
      line(
        home,
        i,
        `${2015 + (i % 10)}-${String(1 + (i % 12)).padStart(2, '0')}-15`,
        i % 3 === 0 ? 'listed' : 'sold',
      ),
    );
  }
  print('history', await refresh(dir));
  // The events of the sample country end in June 2026: a night is later than all that is known.
  const [delivered, listed] = all ? ['2026-07-01', '2026-06-30'] : ['2024-12-31', '2024-12-30'];
  await deliver(dir, `night_${delivered}.csv`, Math.max(1, Math.round(properties / events)), (home, i) =>
    line(home, i, listed, 'listed'),
  );
  print('night', await refresh(dir));
  print('nothing', await refresh(dir));
} finally {
  if (kept === undefined) await rm(dir, { recursive: true, force: true });
}
