import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { deserialize } from 'flatgeobuf/lib/mjs/geojson.js';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { open as openShapefile } from 'shapefile';
import type { SourceAdapter } from '../../sources/adapter.ts';
import { censusAdapter } from '../../sources/census/adapter.ts';
import { listZip, readMember } from '../../sources/formats/archive/zip.ts';
import type { FeatureFormat } from '../../sources/formats/feature.ts';
import { readCsvRows } from '../../sources/formats/table/csv_rows.ts';
import { readDelimited } from '../../sources/formats/table/delimited.ts';
import { openFeatureFile } from '../../sources/formats/vector/feature_file.ts';
import { gtfsAdapter } from '../../sources/transport/gtfs/adapter.ts';
import { PARCEL_FIELDS, writeDataPack, writeFeed, writeParcels } from './format_files.ts';
import { cpuWithChildren } from './server_cpu.ts';
import { writeSyntheticState } from './synthetic_state.ts';

/**
 * CPU time of every format beside a public reader of the same seeded file, in turn, best of the rounds: a busy machine
 * changes it little. That of processes that a reader starts counts; Linux only. "Validated" is from the file to valid shapes in GDA2020; the public readers check none.
 * Usage: npx tsx tools/bench/formats.ts [features] [rounds] [part of a name]
 */
const FEATURES = Number(process.argv[2] ?? 60_000);
const ROUNDS = Number(process.argv[3] ?? 4);
const ONLY = process.argv[4] ?? '';

/** Readings of one kind of input; the last is the public reader that the others are compared with. */
interface Group {
  readonly name: string;
  readonly path: string;
  readonly runs: readonly (readonly [name: string, run: (path: string) => Promise<number>])[];
}

const features =
  (format: FeatureFormat, isValidated: boolean) =>
  async (path: string): Promise<number> => {
    const layer = format === 'geopackage' ? 'layer' : null;
    const file = await openFeatureFile({ path, format, member: null, layer, file: path, crs: 'EPSG:7844' });
    const wanted = file.fields.filter(({ name }) => PARCEL_FIELDS.includes(name as never));
    let count = 0;
    for await (const batch of file.batches(wanted)) {
      for (let row = 0; row < batch.count; row++) {
        for (const field of wanted) batch.id(row, field);
        if (!isValidated || batch.shape(row).kind === 'polygon') count++;
      }
    }
    return count;
  };

const vector = (name: string, format: FeatureFormat, path: string, ...references: Group['runs']): Group => ({
  name,
  path,
  runs: [['attributes', features(format, false)], ['validated', features(format, true)], ...references],
});

async function npmShapefile(path: string): Promise<number> {
  const source = await openShapefile(path);
  for (let count = 0; ; count++) if ((await source.read()).done) return count;
}

/** JSON.parse of each feature of a file that is in memory as a whole. */
async function jsonParse(path: string): Promise<number> {
  const bytes = await readFile(path.replace(/\.geojson$/, '.ndjson'));
  let count = 0;
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(0x0a, from);
    const to = end < 0 ? bytes.length : end;
    if (JSON.parse(bytes.toString('utf8', from, to))) count++;
    from = to + 1;
  }
  return count;
}

async function npmFlatgeobuf(path: string): Promise<number> {
  const stream = Readable.toWeb(createReadStream(path, { highWaterMark: 1 << 18 })) as ReadableStream;
  let count = 0;
  for await (const each of deserialize(stream)) if (each) count++;
  return count;
}

const csvParse =
  (delimiter: string) =>
  async (path: string): Promise<number> => {
    let count = -1;
    const options = delimiter === '|' ? { delimiter, quote: false as const } : { delimiter };
    for await (const row of createReadStream(path).pipe(parse(options))) if (row) count++;
    return count;
  };

async function csv(path: string): Promise<number> {
  let count = -1;
  for await (const { cells } of readCsvRows(path, 'rows.csv')) count += cells.length > 0 ? 1 : 0;
  return count;
}

/** Ten of the 35 columns of ADDRESS_DETAIL. */
const PSV_COLUMNS =
  'ADDRESS_DETAIL_PID,DATE_RETIRED,NUMBER_FIRST,FLAT_NUMBER,STREET_LOCALITY_PID,LOCALITY_PID,POSTCODE,LEGAL_PARCEL_ID,CONFIDENCE,PRIMARY_SECONDARY';

async function psv(path: string): Promise<number> {
  const columns = PSV_COLUMNS.split(',');
  const source = { file: path, chunks: createReadStream(path, { highWaterMark: 1 << 18 }), delimiter: '|' };
  let count = 0;
  for await (const cursor of readDelimited(source, columns, () => {})) {
    while (cursor.next()) {
      for (let column = 0; column < columns.length; column++) cursor.text(column);
      count++;
    }
  }
  return count;
}

/** Rows that an adapter reads. */
const adapted =
  (adapter: SourceAdapter, options: Record<string, unknown> = {}) =>
  async (path: string): Promise<number> => {
    const files = await Promise.all(
      (path.endsWith('stop_times.txt')
        ? ['routes', 'trips', 'stops', 'stop_times'].map((name) => path.replace('stop_times', name))
        : [path]
      ).map(async (each) => ({ path: each, bytes: (await stat(each)).size, sha256: '' })),
    );
    const dataset = { id: adapter.name, files, release: null, crs: null, options };
    const { release, parts } = await adapter.discover(dataset);
    let count = 0;
    for (const part of parts) {
      for await (const { accounts } of adapter.readPart(release, part, {})) {
        for (const { file, rows_in } of accounts ?? [])
          if (path.endsWith(file.split(' › ').at(-1)!)) count += rows_in;
      }
    }
    return count;
  };

async function addressDetail(folder: string): Promise<string> {
  const zip = join(folder, 'g-naf_nov25_synthetic_gda2020_psv.zip');
  await writeSyntheticState(zip, 200_000);
  const [member] = await listZip(zip, (name) => name.endsWith('VIC_ADDRESS_DETAIL_psv.psv'));
  const chunks: Uint8Array[] = [];
  for await (const chunk of readMember(member!)) chunks.push(chunk);
  const path = join(folder, 'VIC_ADDRESS_DETAIL_psv.psv');
  await writeFile(path, Buffer.concat(chunks));
  return path;
}

async function groups(folder: string): Promise<Group[]> {
  const { shapefile, geojson, geojsonGz, ndjson, geopackage, flatgeobuf, parquet } = await writeParcels(
    folder,
    FEATURES,
  );
  const feed = join(folder, 'feed');
  await mkdir(feed);
  await writeFeed(feed);
  const hyparquet = async (path: string) =>
    (await parquetReadObjects({ file: await asyncBufferFromFile(path) })).length;
  const dataPack = await writeDataPack(folder, 20_000);
  return [
    vector('shapefile', 'shapefile', shapefile, ['npm shapefile', npmShapefile]),
    vector('geojson', 'geojson', geojson, ['JSON.parse of features in memory', jsonParse]),
    vector('geojson (.gz)', 'geojson', geojsonGz),
    vector('ndjson', 'ndjson', ndjson, ['JSON.parse of features in memory', jsonParse]),
    vector('geopackage', 'geopackage', geopackage),
    vector('flatgeobuf', 'flatgeobuf', flatgeobuf, ['npm flatgeobuf', npmFlatgeobuf]),
    vector('parquet', 'parquet', parquet, ['hyparquet', hyparquet]),
    {
      name: 'psv',
      path: await addressDetail(folder),
      runs: [
        ['ten columns of ADDRESS_DETAIL', psv],
        ['csv-parse', csvParse('|')],
      ],
    },
    {
      name: 'gtfs',
      path: join(feed, 'stop_times.txt'),
      runs: [
        ['adapter, stop_times and the rest', adapted(gtfsAdapter)],
        ['csv-parse, stop_times alone', csvParse(',')],
      ],
    },
    {
      name: 'csv, quoted or odd',
      path: join(feed, 'stop_times.txt'),
      runs: [
        ['rows', csv],
        ['csv-parse', csvParse(',')],
      ],
    },
    {
      name: 'datapack',
      path: dataPack,
      runs: [
        ['adapter, G01 of 20,000 SA1s', adapted(censusAdapter)],
        ['csv-parse', csvParse(',')],
      ],
    },
  ];
}

const folder = await mkdtemp(join(tmpdir(), 'bench-formats-'));
try {
  const wanted = (await groups(folder)).filter(({ name }) => name.includes(ONLY));
  const best = wanted.map(({ runs }) => runs.map(() => ({ us: Number.POSITIVE_INFINITY, count: 0 })));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [g, { path, runs }] of wanted.entries()) {
      for (const [r, [, run]] of runs.entries()) {
        const start = await cpuWithChildren(process.pid);
        const count = await run(path);
        const us = ((await cpuWithChildren(process.pid)) - start) * 1e6;
        if (us < best[g]![r]!.us) best[g]![r] = { us, count };
      }
    }
  }
  console.log(`CPU time, best of ${ROUNDS} rounds; the rate beside the last reader of each group`);
  for (const [g, { name, path, runs }] of wanted.entries()) {
    const { size } = await stat(path);
    const own = best[g]!;
    for (const [r, [what]] of runs.entries()) {
      const { us, count } = own[r]!;
      console.log(
        `${`${name}, ${what}`.padEnd(52)} ${(us / count).toFixed(2).padStart(7)} us/record ${(size / us).toFixed(0).padStart(5)} MB/s ${(own.at(-1)!.us / us).toFixed(1).padStart(6)} x`,
      );
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
