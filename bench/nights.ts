/**
 * What nights cost beside the first refresh of the sample country: a night of listings, one of a cadastre (0.1 % of a state's parcels are
 * split, merged or moved), one of a quarterly G-NAF (0.3 % of the addresses have another point, another building name or are gone), and
 * one in which nothing changed; each as CPU seconds of the command and the server, and as a share of the first refresh.
 * The folder is kept, with the database in `db/postgres`; begun with an empty one.
 * With `evidence` last, the sales are written down after the first refresh, as `pipeline evidence` does each month, and loaded; the nights come after.
 * Run: npx tsx bench/nights.ts <folder> [properties] [state] [listings] [evidence]
 */
import { spawn } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { appendFile, mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { intersect } from '@turf/intersect';
import { union } from '@turf/union';
import { parse as parseCsv } from 'csv-parse';
import type { Feature, Polygon } from 'geojson';
import yazl from 'yazl';
import type { RunReport } from '../pipelines/report/report.ts';
import { writeSampleConfig } from '../sample/config.ts';
import { generateSampleCountry } from '../sample/generate.ts';
import { listZip, readMember } from '../sources/formats/zip.ts';
import { embeddedStatus, startEmbedded } from '../store/embedded/server.ts';
import { editShapefile, type PolygonFeature } from '../test/pipelines/edit_shapefile.ts';
import { cpuOf, cpuWithChildren } from './server_cpu.ts';

const [dir, many = '50000', state = 'vic', listed, written] = process.argv.slice(2);
if (dir === undefined)
  throw new Error('usage: npx tsx bench/nights.ts <folder> [properties] [state] [listings] [evidence]');
const properties = Number(many);
const listings = Number(listed || Math.round(properties / 400));
const CLI = fileURLToPath(new URL('../cli/start.mjs', import.meta.url));
const SEED = 1;
/** Columns that say which parcel it is, by state; the part that a split adds has others. */
const IDS: Readonly<Record<string, readonly string[]>> = { vic: ['PARCEL_PFI', 'PARCEL_SPI'] };

/** One ring, closed, of a polygon without holes; null: it has holes or several parts. */
const ringOf = ({ geometry }: Pick<PolygonFeature, 'geometry'>): [number, number][] | null => {
  return geometry?.type === 'Polygon' && geometry.coordinates.length === 1
    ? (geometry.coordinates[0] as [number, number][])
    : null;
};
const polygon = (ring: [number, number][]): Feature<Polygon> => ({
  type: 'Feature',
  properties: {},
  geometry: { type: 'Polygon', coordinates: [ring] },
});

/** The western and the eastern half. */
function halves(ring: [number, number][]): [number, number][][] {
  const [xs, ys] = [ring.map(([x]) => x), ring.map(([, y]) => y)];
  const [west, east, south, north] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const middle = (west + east) / 2;
  const box = (from: number, to: number) =>
    polygon([
      [from, south],
      [to, south],
      [to, north],
      [from, north],
      [from, south],
    ]);
  return [box(west, middle), box(middle, east)].flatMap((half) => {
    const part = intersect({ type: 'FeatureCollection', features: [polygon(ring), half] });
    const found = part === null ? null : ringOf(part);
    return found === null ? [] : [found];
  });
}

/** Splits, merges and moves every 1000th parcel of a shapefile in turn; gives how many there were of each. */
async function changeCadastre(folder: string): Promise<Record<string, number>> {
  const done = { split: 0, merged: 0, moved: 0 };
  const withRing = (feature: PolygonFeature, ring: [number, number][]): PolygonFeature => ({
    ...feature,
    geometry: polygon(ring).geometry,
  });
  /** Waits for the next parcel, to become one with it. */
  let held: PolygonFeature | null = null;
  const file = (await readdir(folder)).find((each) => each.endsWith('.shp'))!;
  await editShapefile(join(folder, file), (feature, i) => {
    if (feature === null) return held === null ? [] : [held];
    const ring = ringOf(feature);
    if (ring === null) return [feature];
    if (held !== null) {
      const first: PolygonFeature = held;
      held = null;
      const both = union({ type: 'FeatureCollection', features: [polygon(ringOf(first)!), polygon(ring)] });
      const one = both === null ? null : ringOf(both);
      if (one === null) return [first, feature];
      done.merged++;
      return [withRing(first, one)];
    }
    const kind = i % 1000 === 500 ? ((i - 500) / 1000) % 3 : null;
    if (kind === 0) {
      done.split++;
      return halves(ring).map((part, n) => {
        const { properties } = feature;
        const ids = IDS[state]!.map((id) => [
          id,
          n === 0 ? properties[id] : `9${String(properties[id]).slice(1)}`,
        ]);
        return { ...withRing(feature, part), properties: { ...properties, ...Object.fromEntries(ids) } };
      });
    }
    if (kind === 1) {
      held = feature;
      return [];
    }
    if (kind !== 2) return [feature];
    done.moved++;
    return [
      withRing(
        feature,
        ring.map(([x, y]) => [x + 5e-6, y]),
      ),
    ];
  });
  return done;
}

/** Changes the text of members of a zip. */
async function editZip(path: string, edit: (name: string, text: string) => string): Promise<void> {
  const zip = new yazl.ZipFile();
  for (const member of await listZip(path, () => true)) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of readMember(member)) chunks.push(chunk);
    zip.addBuffer(Buffer.from(edit(member.name, Buffer.concat(chunks).toString('utf8'))), member.name, {
      mtime: new Date(Date.UTC(2026, 1, 17)),
    });
  }
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(`${path}.new`));
  await rename(`${path}.new`, path);
}

/** Changes 0.3 % of the addresses: a building name, a point 5 m on, or the address is gone. */
async function changeAddresses(folder: string): Promise<void> {
  const name = (await readdir(folder)).find((each) => each.endsWith('.zip'))!;
  const rowsOf = (
    text: string,
    change: (row: string[], columns: readonly string[], i: number) => string[] | null,
  ) => {
    const [header, ...lines] = text.split('\r\n');
    const columns = header!.split('|');
    const kept = lines.flatMap((line, i) => {
      const row = line === '' ? [line] : change(line.split('|'), columns, i);
      return row === null ? [] : [row.join('|')];
    });
    return [header, ...kept].join('\r\n');
  };
  const isGone = (pid: string): boolean => numberOf(pid) % 1000 === 1;
  const numberOf = (pid: string): number => Number(pid.replaceAll(/\D/g, ''));
  await editZip(join(folder, name), (member, text) => {
    if (/_ADDRESS_DETAIL_psv\.psv$/i.test(member))
      return rowsOf(text, (row, columns) => {
        const pid = row[columns.indexOf('ADDRESS_DETAIL_PID')]!;
        if (isGone(pid)) return null;
        if (numberOf(pid) % 1000 === 2) row[columns.indexOf('BUILDING_NAME')] = 'OTHER HOUSE';
        return row;
      });
    if (/_ADDRESS_DEFAULT_GEOCODE_psv\.psv$/i.test(member))
      return rowsOf(text, (row, columns) => {
        const pid = row[columns.indexOf('ADDRESS_DETAIL_PID')]!;
        if (isGone(pid)) return null;
        const at = columns.indexOf('LONGITUDE');
        if (numberOf(pid) % 1000 === 3 && row[at] !== '') row[at] = (Number(row[at]) + 5e-5).toFixed(8);
        return row;
      });
    return text;
  });
}

/** Delivers listings of homes all over the country. */
async function deliverListings(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const lines = [
    'source,source_id,event_type,channel,event_date,address,suburb,state,postcode,price,bedrooms,description',
  ];
  const step = Math.max(1, Math.round(properties / listings));
  const rows = createReadStream(join(dir!, 'truth/properties.csv')).pipe(parseCsv({ columns: true }));
  let i = 0;
  for await (const home of rows as AsyncIterable<Record<string, string>>) {
    if (!/^(true|1)$/.test(home.is_live!) || home.alias_principal !== 'P' || home.number_first === '')
      continue;
    if (i++ % step !== 0) continue;
    const unit = home.flat_number === '' ? '' : `${home.flat_number}/`;
    const address = `${unit}${home.number_first} ${home.street_name} ${home.street_type}`;
    const price = 400_000 + ((i * 7919) % 900) * 1000;
    lines.push(
      `agency,night${i},listed,sale,2026-06-30,${address},${home.locality_name},${home.state},${home.postcode},${price},${2 + (i % 3)},"Close to schools and shops."`,
    );
  }
  await writeFile(join(folder, 'night_2026-07-01.csv'), `${lines.join('\n')}\n`);
}

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
  if (written === 'evidence') {
    print('evidence is written down', await run('evidence', '--out', join(folder, 'evidence')));
    const dataset = 'adapter: evidence\n    path: evidence/*.csv\n    licence: generated\n';
    await appendFile(join(folder, 'config.yaml'), `\n  evidence:\n    ${dataset}`);
    print('and loaded', await refresh());
  }
  await deliverListings(join(folder, 'listings'));
  print(`a night of ${listings} listings`, await refresh());
  const changed = await changeCadastre(join(folder, 'cadastre', state));
  print(`a night of a cadastre, ${state} ${JSON.stringify(changed)}`, await refresh());
  await changeAddresses(join(folder, 'gnaf'));
  print('a night of G-NAF, 0.3 %', await refresh());
  print('nothing changed', await refresh());
} finally {
  await server.release();
}
