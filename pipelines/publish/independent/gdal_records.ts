import { fork } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FeatureCollection, MultiPolygon, Polygon } from 'geojson';
import type { FeaturePlace } from '../../../sources/formats/feature.ts';

/** Maximum size of a file: GDAL reads a FlatGeobuf file from its start. */
const BYTES_MAX = 256 * 1024 * 1024;
/** Maximum seconds of the process, and its maximum heap. */
const SECONDS = 60;
const HEAP_MB = 512;

/** A record as another library reads it, with the rings of its polygons. */
export interface RereadRecord {
  row: Readonly<Record<string, unknown>>;
  polygons: MultiPolygon['coordinates'];
}

/** Selects features by their numbers in the file, from 1; their ids have the same order. */
function queryOf({ format, layer }: FeaturePlace, numbers: readonly number[]): string[] {
  if (format === 'flatgeobuf')
    return ['-preserve_fid', '-where', `FID IN (${numbers.map((no) => no - 1).join(', ')})`];
  const table = `"${layer!.replaceAll('"', '""')}"`;
  const numbered = `SELECT rowid AS row, row_number() OVER (ORDER BY rowid) AS no FROM ${table}`;
  const where = `rowid IN (SELECT row FROM (${numbered}) WHERE no IN (${numbers.join(', ')}))`;
  return ['-preserve_fid', '-where', where, layer!];
}

/** Runs GDAL in a process of its own. @throws Error that says why it failed */
async function runGdal(request: { path: string; query: string[]; out: string }): Promise<void> {
  const child = fork(fileURLToPath(new URL('./gdal_process.mjs', import.meta.url)), [], {
    execArgv: [`--max-old-space-size=${HEAP_MB}`],
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    const failure = await new Promise<string | null>((resolve) => {
      timer = setTimeout(() => resolve(`GDAL needs more than ${SECONDS} s`), SECONDS * 1000);
      child.on('message', (reply) => resolve(reply as string | null));
      child.on('error', ({ message }) => resolve(message));
      child.on('exit', (code, signal) => resolve(`GDAL ended (${signal ?? code})`));
      child.send(request);
    });
    if (failure !== null) throw new Error(failure);
  } finally {
    clearTimeout(timer);
    child.kill('SIGKILL');
  }
}

/**
 * Reads features of a FlatGeobuf file or a GeoPackage with GDAL, the optional package `gdal3.js`, by their numbers in the file, from 1.
 * Coordinates are in the CRS of the file. Features without polygons are left out. @throws Error that says why they cannot be read
 */
export async function readWithGdal(
  location: FeaturePlace,
  numbers: readonly number[],
): Promise<Map<number, RereadRecord>> {
  if ((await stat(location.path)).size > BYTES_MAX) throw new Error('it is larger than 256 MB');
  const out = await mkdtemp(join(tmpdir(), 'pipeline-audit-'));
  try {
    await runGdal({ path: location.path, query: queryOf(location, numbers), out });
    const text = await readFile(join(out, 'records.geojson'), 'utf8');
    const { features } = JSON.parse(text) as FeatureCollection<Polygon | MultiPolygon | null>;
    // A number beyond the file is larger than all others, so the found ones are the first of the sorted numbers.
    const ordered = [...new Set(numbers)].sort((x, y) => x - y);
    return new Map(
      features
        .sort((x, y) => Number(x.id) - Number(y.id))
        .flatMap(({ properties, geometry }, i): [number, RereadRecord][] => {
          if (geometry?.type !== 'Polygon' && geometry?.type !== 'MultiPolygon') return [];
          const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates;
          return [[ordered[i]!, { row: properties ?? {}, polygons }]];
        }),
    );
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}
