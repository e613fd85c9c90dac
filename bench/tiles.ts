/**
 * How long tiles of a city view take, and how large they are, at 1,000,000 properties: parcels of nine corners at 1,190 for a square
 * kilometre, with an address each. Views of 1280 by 800 at seeded places and zooms are asked for as a browser asks, six tiles at a time,
 * over HTTP; nothing is kept from the view before but what the console itself keeps. With `--changed` a second publication changed that
 * share of parcels and addresses: tiles of it, of the first one, and of what differs.
 * Run: npx tsx bench/tiles.ts [--side 1000] [--views 40] [--seed 1] [--changed 0.05] [--pause 0] [--url postgresql://…]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pLimit from 'p-limit';
import { loadConfig } from '../cli/load_config.ts';
import { startOps } from '../ops/server.ts';
import { setUp } from '../pipelines/run/refresh.ts';
import { openPool } from '../store/database.ts';
import { startEmbedded } from '../store/embedded/server.ts';
import { publishTwice } from './tiles_past.ts';

const { values } = parseArgs({
  options: {
    side: { type: 'string', default: '1000' },
    views: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
    changed: { type: 'string', default: '0' },
    pause: { type: 'string', default: '0' },
    url: { type: 'string' },
  },
});
const [side, views] = [Number(values.side), Number(values.views)];
/** South-west corner of the city, and degrees from parcel to parcel: 29 m. */
const [WEST, SOUTH] = [144.8, -37.95];
const [DX, DY] = [0.00033, 0.000261];
const PARALLEL = 6;

let state = Number(values.seed);
/** Seeded numbers from 0 to 1. */
const random = (): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
};

/** Nine corners from the south-west one, in shares of a parcel's 24 m. */
const CORNERS = [
  [0, 0],
  [0.5, 0.01],
  [1, 0],
  [0.99, 0.5],
  [1, 1],
  [0.5, 0.99],
  [0, 1],
  [0.01, 0.5],
  [0, 0],
] as const;
const vertices = CORNERS.map(
  ([x, y]) => `reverse(float8send(lon + ${x} * 0.00027)) || reverse(float8send(lat + ${y} * 0.00021))`,
);
/** WKB as the pipeline writes it, little-endian; PostgreSQL 18 can reverse bytes. */
const GEOM = `'\\x010600000001000000010300000001000000'::bytea || reverse(int4send(${CORNERS.length})) || ${vertices.join(' || ')}`;
const GRID = `SELECT x * ${side} + y AS n, ${WEST} + x * ${DX}::float8 AS lon, ${SOUTH} + y * ${DY}::float8 AS lat
  FROM generate_series(0, ${side - 1}) x, generate_series(0, ${side - 1}) y`;
const CELL = '(floor((lat + 56) / 0.05 + 1e-9) * 10000 + floor((lon - 96) / 0.05 + 1e-9))::int';

const folder = mkdtempSync(join(tmpdir(), 'bench-tiles-'));
const embedded = values.url === undefined ? await startEmbedded({ dataDir: join(folder, 'postgres') }) : null;
const url = values.url ?? embedded!.connectionString;
const { config } = await loadConfig({ set: ['ops.port=0'] }, {});
const pool = openPool(url, 1);
const client = await pool.connect();
await setUp(client, config);
await client.query(`INSERT INTO serving.parcel_shape (parcel_id, cell, state, min_lon, min_lat, max_lon, max_lat, geom)
  SELECT 'VIC:' || n, ${CELL}, 'VIC', lon, lat, lon + 0.00027, lat + 0.00021, ${GEOM} FROM (${GRID}) g`);
await client.query(`INSERT INTO serving.property (gnaf_pid, cell, state, address, number_first, locality, lon, lat, is_parcel_position, parcel_id, parcel_method, parcel_addresses, land_area_sqm, confidence)
  SELECT 'GAVIC' || n, ${CELL}, 'VIC', n || ' CITY STREET', (n % 400)::text, 'CITY', lon + 0.0001, lat + 0.0001, true, 'VIC:' || n, 'legal_id', 1, 600, 2 FROM (${GRID}) g`);
if (Number(values.changed) > 0) await publishTwice(client, side * side, Number(values.changed));
await client.query('VACUUM ANALYZE serving.parcel_shape');
await client.query('VACUUM ANALYZE serving.property');
client.release();
await pool.end();
const ops = await startOps(url, config);

const column = (lon: number, z: number): number => Math.floor(((lon + 180) / 360) * 2 ** z);
const line = (lat: number, z: number): number => {
  const rad = (lat * Math.PI) / 180;
  return Math.floor(((1 - Math.log(Math.tan(rad) + 1 / Math.cos(rad)) / Math.PI) / 2) * 2 ** z);
};
const FIRST_ZOOM = { parcel: 15, address: 16 } as const;
/** What is asked for, with what the address of a tile says then. */
const MOMENTS =
  Number(values.changed) > 0
    ? {
        'the last publication': '',
        'the one before': '?publication=1',
        'what differs': '?publication=2&since=1',
      }
    : { 'the last publication': '' };
const limit = pLimit(PARALLEL);

/** Milliseconds and bytes of the tiles of a layer and zoom. */
type Measured = Record<string, { took: number[]; sizes: number[] }>;
let left = 0;

async function ask(
  measured: Measured,
  when: string,
  layer: string,
  z: number,
  x: number,
  y: number,
): Promise<void> {
  const start = performance.now();
  const response = await fetch(`${ops.url}/map/tiles/${layer}/${z}/${x}/${y}${when}`);
  const bytes = (await response.arrayBuffer()).byteLength;
  if (response.status !== 200) throw new Error(`${response.status} of ${response.url}`);
  measured[`${layer} ${z}`] ??= { took: [], sizes: [] };
  const { took, sizes } = measured[`${layer} ${z}`]!;
  took.push(performance.now() - start);
  sizes.push(bytes);
  left += Number(response.headers.get('x-left-out'));
}

/** Asks for seeded views, the same ones each time; gives how long the first tile took, too. */
async function look(when: string): Promise<{ measured: Measured; first_ms: number }> {
  state = Number(values.seed);
  const measured: Measured = {};
  const start = performance.now();
  await ask({}, when, 'parcel', 15, column(WEST, 15), line(SOUTH, 15));
  const first_ms = performance.now() - start;
  for (let view = 0; view < views; view++) {
    const z = 15 + (view % 3);
    const x = column(WEST + random() * side * DX, z);
    const y = line(SOUTH + random() * side * DY, z);
    const asked: Promise<void>[] = [];
    for (const [layer, first] of Object.entries(FIRST_ZOOM)) {
      if (z < first) continue;
      // Tiles of 512 pixels: a view of 1280 by 800 touches four by three.
      for (let i = 0; i < 12; i++)
        asked.push(limit(() => ask(measured, when, layer, z, x + (i % 4), y + Math.floor(i / 4))));
    }
    await Promise.all(asked);
    await sleep(1000 * Number(values.pause));
  }
  return { measured, first_ms };
}

const at = (list: readonly number[], share: number): number =>
  [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(share * list.length))]!;
const show = (name: string, times: readonly number[], bytes: readonly number[]): void =>
  console.log(
    `${name.padEnd(12)} ${String(times.length).padStart(5)} tiles  median ${at(times, 0.5).toFixed(1)} ms  p95 ${at(times, 0.95).toFixed(1)} ms  most ${Math.max(...times).toFixed(0)} ms  largest ${(Math.max(...bytes) / 1000).toFixed(0)} KB`,
  );
for (const [name, when] of Object.entries(MOMENTS)) {
  left = 0;
  const { measured, first_ms } = await look(when);
  const all = Object.values(measured);
  console.log(
    `${name}: ${(side * side).toLocaleString('en-AU')} properties, ${views} views, ${left} shapes left out, the first tile in ${first_ms.toFixed(0)} ms`,
  );
  for (const [key, { took, sizes }] of Object.entries(measured).sort()) show(key, took, sizes);
  show(
    'all',
    all.flatMap(({ took }) => took),
    all.flatMap(({ sizes }) => sizes),
  );
}
await ops.close();
await embedded?.release();
rmSync(folder, { recursive: true, force: true });
