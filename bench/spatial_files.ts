import { spawn } from 'node:child_process';
import { createReadStream, createWriteStream, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { from as copyFrom } from 'pg-copy-streams';
import type { RunReport } from '../pipelines/report.ts';
import { SAMPLE_CRS } from '../sample/crs.ts';
import { number, text } from '../sample/formats/dbf_writer.ts';
import { ShapefileWriter } from '../sample/formats/shapefile_writer.ts';
import { PLACE_CATEGORIES } from '../schema/records/place.ts';
import type { MultiPolygon } from '../transforms/geo/geometry.ts';
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
import { writeSyntheticState } from './synthetic_state.ts';

const CLI = fileURLToPath(new URL('../cli/main.ts', import.meta.url));
const MODES = ['train', 'tram', 'bus'] as const;
const ID = [number('ID', 10), text('NAME', 20)];

function writeShapes(path: string, kind: 'polygon' | 'point', shapes: Iterable<MultiPolygon>): void {
  const file = new ShapefileWriter(path, ID, SAMPLE_CRS.gda2020.prj, 'UTF-8', kind);
  let i = 0;
  for (const { coords, ringEnds } of shapes) file.write({ coords, ringEnds, holes: 0 }, [i, `n${i++}`]);
  file.close();
}

function* points(lonlat: Float64Array, isTaken: (i: number) => boolean): Iterable<MultiPolygon> {
  for (let i = 0; i < lonlat.length / 2; i++) {
    if (isTaken(i)) yield { coords: lonlat.slice(i * 2, i * 2 + 2), ringEnds: [1], polygonEnds: [1] };
  }
}

/** Writes the city as releases in the publishers' formats, with a configuration: addresses, parcels, two hazards, stops, places. */
export async function writeReleases(city: City, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await writeSyntheticState(join(folder, 'gnaf.zip'), city.addresses.length / 2, city.addresses);
  writeShapes(join(folder, 'parcels'), 'polygon', city.parcels);
  for (const { name, features } of city.hazards) writeShapes(join(folder, name), 'polygon', features);
  MODES.forEach((mode, m) => {
    writeShapes(
      join(folder, mode),
      'point',
      points(city.stops, (i) => city.stopMode[i] === m),
    );
  });
  const places = ['id,name,kind,lon,lat'];
  for (let i = 0; i < city.pois.length / 2; i++)
    places.push(
      `${i},n${i},${PLACE_CATEGORIES[city.poiCategory[i]!]},${city.pois[i * 2]},${city.pois[i * 2 + 1]}`,
    );
  writeFileSync(join(folder, 'places.csv'), places.join('\n'));
  const datasets: Record<string, { adapter: string; path: string; crs?: string; options?: object }> = {
    gnaf: { adapter: 'gnaf', path: 'gnaf.zip', crs: 'EPSG:7844' },
    parcels: {
      adapter: 'cadastre',
      path: 'parcels.shp',
      options: { state: 'VIC', field_map: { parcel_id: 'ID' } },
    },
    places: {
      adapter: 'places_csv',
      path: 'places.csv',
      options: {
        field_map: {
          id: 'id',
          name: 'name',
          kind: 'kind',
          categories: Object.fromEntries(PLACE_CATEGORIES.map((category) => [category, category])),
        },
      },
    },
  };
  for (const { name } of city.hazards) {
    datasets[name] = {
      adapter: 'hazards',
      path: `${name}.shp`,
      options: { state: 'VIC', layer: name, field_map: { label: name } },
    };
  }
  for (const mode of MODES)
    datasets[mode] = {
      adapter: 'stops',
      path: `${mode}.shp`,
      options: { mode, field_map: { stop_id: 'ID', label: 'NAME' } },
    };
  for (const each of Object.values(datasets)) Object.assign(each, { licence: 'generated' });
  // YAML takes JSON as it is
  writeFileSync(join(folder, 'config.yaml'), JSON.stringify({ datasets }));
}

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

/** Files to published tables: one refresh from nothing, by the command, into an embedded server of its own. */
export async function refreshFromFiles(folder: string, workers: number): Promise<RefreshTimes> {
  const started = performance.now();
  const dataDir = join(folder, `data-${Date.now()}`);
  const config = join(folder, 'config.yaml');
  const args = ['--import', 'tsx', CLI, 'refresh', '--json', '-c', config, '--data-dir', dataDir];
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
