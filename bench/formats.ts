import { createReadStream } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { gzipSync } from 'node:zlib';
import { parse } from 'csv-parse';
import { deserialize } from 'flatgeobuf/lib/mjs/geojson.js';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { open as openReference } from 'shapefile';
import { readCsvRows } from '../sources/formats/csv_rows.ts';
import type { FeatureFormat } from '../sources/formats/feature.ts';
import { openFeatureFile } from '../sources/formats/feature_file.ts';
import {
  collection,
  feature,
  flatGeobuf,
  geoPackage,
  geoParquet,
  lines,
  type Model,
} from '../test/sources/feature_writers.ts';
import { writeShapefile } from '../test/sources/shapefile_writer.ts';

/**
 * Features and megabytes per second of every format, read to four attributes and, in a second line, to valid shapes as well,
 * beside what a public reader does with the same seeded file (its features only: no shapes are checked).
 * Usage: npx tsx bench/formats.ts [features]
 */
const FEATURES = Number(process.argv[2] ?? 40_000);
const REPEATS = 3;

/** A small linear congruential generator: the same file every time. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Parcels of 5 to 12 vertices, as the cadastre bench has them. */
function parcels(): Model {
  const next = random(7);
  return Array.from({ length: FEATURES }, (_, i) => {
    const [x, y] = [144 + (i % 300) * 0.001, -38 + Math.floor(i / 300) * 0.001];
    const corners = 4 + Math.floor(next() * 8);
    const ring = Array.from({ length: corners + 1 }, (_each, k) => {
      const angle = (2 * Math.PI * (k % corners)) / corners;
      return [x + 0.0003 * Math.cos(angle), y + 0.0003 * Math.sin(angle)];
    });
    const properties = {
      PARCEL_PFI: String(200_000_000 + i),
      PARCEL_SPI: `${1 + (i % 90)}\\PS${600_000 + Math.floor(i / 90)}`,
      STATUS: 'A',
      AREA: Math.round(next() * 1e6) / 1000,
    };
    return feature(properties, { type: 'Polygon', coordinates: [ring] });
  });
}

async function own(path: string, format: FeatureFormat, shapes: boolean): Promise<number> {
  const layer = format === 'geopackage' ? 'layer' : null;
  const file = await openFeatureFile({ path, format, member: null, layer, file: path, crs: 'EPSG:7844' });
  const wanted = file.fields.filter(({ name }) => name !== 'fid');
  let count = 0;
  for await (const batch of file.batches(wanted)) {
    for (let row = 0; row < batch.count; row++) {
      for (const field of wanted) batch.id(row, field);
      if (!shapes || batch.shape(row).kind === 'polygon') count++;
    }
  }
  return count;
}

const REFERENCES: Readonly<Record<string, (path: string) => Promise<number>>> = {
  async 'npm shapefile'(path) {
    const source = await openReference(path);
    for (let count = 0; ; count++) if ((await source.read()).done) return count;
  },
  async 'JSON.parse, a line at a time'(path) {
    let count = 0;
    for await (const line of createInterface({ input: createReadStream(path) }))
      if (JSON.parse(line)) count++;
    return count;
  },
  async 'npm flatgeobuf'(path) {
    let count = 0;
    const stream = createReadStream(path, { highWaterMark: 1 << 18 });
    const { Readable } = await import('node:stream');
    for await (const each of deserialize(Readable.toWeb(stream) as ReadableStream)) if (each) count++;
    return count;
  },
  hyparquet: async (path) => (await parquetReadObjects({ file: await asyncBufferFromFile(path) })).length,
  async 'csv-parse'(path) {
    let count = 0;
    for await (const row of createReadStream(path).pipe(parse())) if (row) count++;
    return count;
  },
};

/** Best of the repeats, in seconds. */
async function seconds(run: () => Promise<number>): Promise<{ best: number; count: number }> {
  let best = Infinity;
  let count = 0;
  for (let i = 0; i < REPEATS; i++) {
    const start = process.hrtime.bigint();
    count = await run();
    best = Math.min(best, Number(process.hrtime.bigint() - start) / 1e9);
  }
  return { best, count };
}

function report(name: string, bytes: number, { best, count }: { best: number; count: number }): void {
  const rate = Math.round(count / best)
    .toLocaleString('en')
    .padStart(11);
  console.log(`${name.padEnd(44)} ${rate} records/s ${(bytes / best / 1e6).toFixed(1).padStart(7)} MB/s`);
}

async function csvOf(folder: string, model: Model): Promise<string> {
  const path = join(folder, 'rows.csv');
  const rows = model.map(({ properties }) => Object.values(properties ?? {}).join(','));
  await writeFile(path, ['pfi,spi,status,area', ...rows].join('\n'));
  return path;
}

async function csv(path: string): Promise<number> {
  let count = 0;
  for await (const { cells } of readCsvRows(path, 'rows.csv')) count += cells.length > 0 ? 1 : 0;
  return count;
}

async function writeShp(folder: string, model: Model): Promise<string> {
  await writeShapefile(join(folder, 'layer'), {
    shapeType: 5,
    fields: [
      ['PARCEL_PFI', 'C', 12],
      ['PARCEL_SPI', 'C', 30],
      ['STATUS', 'C', 1],
      ['AREA', 'N', 19, 4],
    ],
    rows: model.map(({ properties }) => Object.values(properties ?? {}).map(String)),
    shapes: model.map(({ geometry }) =>
      geometry?.type === 'Polygon' ? geometry.coordinates.map((ring) => ring.flat()) : null,
    ),
  });
  return join(folder, 'layer.shp');
}

const folder = await mkdtemp(join(tmpdir(), 'bench-formats-'));
try {
  const model = parcels();
  const write = async (name: string, bytes: string | Buffer): Promise<string> => {
    await writeFile(join(folder, name), bytes);
    return join(folder, name);
  };
  const geojson = collection(model);
  const ndjson = await write('a.ndjson', lines(model));
  const files: [FeatureFormat, string, string | null][] = [
    ['shapefile', await writeShp(folder, model), 'npm shapefile'],
    ['geojson', await write('a.geojson', geojson), null],
    ['geojson', await write('a.geojson.gz', gzipSync(geojson)), null],
    ['ndjson', ndjson, 'JSON.parse, a line at a time'],
    ['geopackage', await write('a.gpkg', await geoPackage(model)), null],
    ['flatgeobuf', await write('a.fgb', flatGeobuf(model)), 'npm flatgeobuf'],
    ['parquet', await write('a.parquet', geoParquet(model, { rowGroupSize: 20_000 })), 'hyparquet'],
  ];
  console.log(`${FEATURES} parcels, best of ${REPEATS}`);
  for (const [format, path, reference] of files) {
    const { size } = await stat(path);
    const name = `${format}${path.endsWith('.gz') ? ' (.gz)' : ''}`;
    report(name, size, await seconds(() => own(path, format, false)));
    report(`${name}, to valid shapes`, size, await seconds(() => own(path, format, true)));
    if (reference !== null) report(`  ${reference}`, size, await seconds(() => REFERENCES[reference]!(path)));
  }
  const path = await csvOf(folder, model);
  const { size } = await stat(path);
  report('csv rows', size, await seconds(() => csv(path)));
  report('  csv-parse', size, await seconds(() => REFERENCES['csv-parse']!(path)));
} finally {
  await rm(folder, { recursive: true, force: true });
}
