import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { MultiPolygon } from '../transforms/geo/geometry.ts';
import { localPlane } from '../transforms/geo/plane.ts';
import { encodeWkb } from '../transforms/geo/wkb.ts';
import { type City, LAT, LON } from './spatial_data.ts';

/** A throw-away PostgreSQL with PostGIS. */
export interface Baseline {
  client: pg.Client;
  version: string;
  port: number;
  /** Number of the server's first process. */
  pid: number;
  /** Another session. */
  connect: () => Promise<pg.Client>;
  /** Seconds of processor that server and parallel workers have used; workers count when they end. NaN: not known here. */
  cpu_s: () => number;
  stop: () => Promise<void>;
}

/** Settings under which PostGIS is fastest here: two parallel workers, all in memory, nothing synced. */
const SETTINGS = [
  'fsync=off',
  'shared_buffers=1GB',
  'work_mem=256MB',
  'maintenance_work_mem=512MB',
  'max_parallel_workers=2',
  'max_parallel_workers_per_gather=2',
  'parallel_setup_cost=0',
  'parallel_tuple_cost=0',
  'min_parallel_table_scan_size=0',
  'min_parallel_index_scan_size=0',
  'random_page_cost=1',
  'jit=off',
  'max_wal_size=4GB',
  'wal_level=minimal',
  'max_wal_senders=0',
];

/** Folder of the programs of the newest server that has PostGIS; null: there is none. */
function programs(): string | null {
  const root = '/usr/lib/postgresql';
  if (!existsSync(root)) return null;
  const versions = readdirSync(root).sort((a, b) => Number(b) - Number(a));
  const version = versions.find((v) => existsSync(`/usr/share/postgresql/${v}/extension/postgis.control`));
  return version === undefined ? null : `${root}/${version}/bin`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** PostgreSQL refuses to run as root: then the account `postgres` runs it. */
function accountIds(): { uid: number; gid: number } | Record<string, never> {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** Starts a server in a temporary folder; null where PostGIS is not installed (Debian: postgresql-15-postgis-3). */
export async function startPostgis(): Promise<Baseline | null> {
  const bin = programs();
  if (bin === null) return null;
  const ids = accountIds();
  const dir = mkdtempSync(join(tmpdir(), 'bench-postgis-'));
  if ('uid' in ids) chownSync(dir, ids.uid!, ids.gid!);
  const data = join(dir, 'data');
  execFileSync(
    `${bin}/initdb`,
    ['-D', data, '-U', 'bench', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8'],
    { ...ids, cwd: '/', stdio: 'ignore' },
  );
  const port = await freePort();
  const options = [
    '-D',
    data,
    '-p',
    String(port),
    '-c',
    'listen_addresses=127.0.0.1',
    '-c',
    `unix_socket_directories=${dir}`,
  ];
  for (const setting of SETTINGS) options.push('-c', setting);
  const server = spawn(`${bin}/postgres`, options, { ...ids, cwd: '/', stdio: 'ignore' });
  const client = await connect(port);
  await client.query('create extension postgis');
  const backend = await client.query('select pg_backend_pid() pid');
  const { rows } = await client.query('select postgis_lib_version() v, current_setting($1) s', [
    'server_version',
  ]);
  return {
    client,
    version: `PostGIS ${rows[0].v} on PostgreSQL ${rows[0].s}`,
    port,
    pid: server.pid!,
    connect: () => connect(port),
    cpu_s: () => processorTime(backend.rows[0].pid, 0) + processorTime(server.pid!, 2),
    async stop() {
      await client.end();
      server.kill('SIGINT');
      await once(server, 'exit');
      rmSync(dir, { recursive: true });
    },
  };
}

/** Seconds of processor of a process (`from` 0), or of its children that have ended (`from` 2), in Linux's units of 10 ms. */
function processorTime(pid: number, from: 0 | 2): number {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return Number.NaN;
  // the name of the program may hold spaces; it ends with the last parenthesis
  const fields = readFileSync(path, 'utf8').split(')').at(-1)!.trim().split(' ');
  return (Number(fields[11 + from]) + Number(fields[12 + from])) / 100;
}

async function connect(port: number): Promise<pg.Client> {
  for (let attempt = 0; ; attempt++) {
    const client = new pg.Client({ host: '127.0.0.1', port, user: 'bench', database: 'postgres' });
    try {
      await client.connect();
      return client;
    } catch (error) {
      if (attempt === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

async function load(
  client: pg.Client,
  table: string,
  columns: string,
  rows: Iterable<string>,
): Promise<void> {
  await client.query(`create unlogged table ${table} (${columns})`);
  await pipeline(Readable.from(rows), client.query(copyFrom(`copy ${table} from stdin`)));
}

const PLANE = localPlane(LON + 0.07, LAT + 0.07);

function hex(geometry: MultiPolygon): string {
  const { ringEnds, polygonEnds } = geometry;
  return Buffer.from(encodeWkb({ coords: PLANE.project(geometry.coords), ringEnds, polygonEnds })).toString(
    'hex',
  );
}

/** Rows of polygons in COPY's text form: number, geometry on the plane. */
function* polygonRows(shapes: readonly MultiPolygon[]): Iterable<string> {
  for (const [i, shape] of shapes.entries()) yield `${i}\t${hex(shape)}\n`;
}

/** Rows of points in COPY's text form: number, category, geometry on the plane. */
function* pointRows(lonlat: Float64Array, category: Uint8Array | null): Iterable<string> {
  const xy = PLANE.project(lonlat);
  for (let i = 0; i < lonlat.length / 2; i++)
    yield `${i}\t${category?.[i] ?? 0}\tPOINT(${xy[i * 2]} ${xy[i * 2 + 1]})\n`;
}

/** Loads the city on a metric plane, subdivides hazards to 64 vertices, builds and clusters by spatial indexes. */
export async function loadCity({ client }: Baseline, city: City): Promise<void> {
  await load(client, 'parcel', 'id int, geom geometry', polygonRows(city.parcels));
  await load(client, 'address', 'id int, kind int, geom geometry', pointRows(city.addresses, null));
  for (const [table, points, category] of [
    ['school', city.schools, null],
    ['poi', city.pois, city.poiCategory],
    ['stop', city.stops, city.stopMode],
    ['sale', city.sales, null],
  ] as const) {
    await load(client, table, 'id int, kind int, geom geometry', pointRows(points, category));
  }
  for (const { name, features } of city.hazards) {
    await load(client, `${name}_whole`, 'id int, geom geometry', polygonRows(features));
    await subdivide(client, name);
  }
  for (const table of [
    'parcel',
    'address',
    'school',
    'poi',
    'stop',
    'sale',
    ...city.hazards.map(({ name }) => name),
  ]) {
    await indexTable(client, table);
  }
}

/** Makes a hazard table of pieces of at most 64 vertices. */
async function subdivide(client: pg.Client, name: string): Promise<void> {
  await client.query(`drop table if exists ${name}`);
  await client.query(
    `create unlogged table ${name} as select id, st_subdivide(geom, 64) geom from ${name}_whole`,
  );
}

/** Indexes a table by place, and puts it in that order. */
async function indexTable(client: pg.Client, table: string): Promise<void> {
  await client.query(`create index ${table}_geom on ${table} using gist (geom)`);
  await client.query(`cluster ${table} using ${table}_geom`);
  await client.query(`analyze ${table}`);
}

const nearest = (table: string, within_m: number, most: number, kinds: number): string => `
  select count(n.d) found, sum(n.d) found_m from sample_address s cross join generate_series(0, ${kinds - 1}) k(kind)
  cross join lateral (select p.geom <-> s.geom d from ${table} p
    where ${kinds > 1 ? 'p.kind = k.kind and' : ''} st_dwithin(p.geom, s.geom, ${within_m})
    order by p.geom <-> s.geom limit ${most}) n`;

const hazard = (layer: string, subject: string, isParcel: boolean): string => `
  select sum(n.d) filter (where n.d <= 1000) ${subject}_m, sum(c.n) ${subject}_features,
    count(*) filter (where o.sqm > ${isParcel ? 1 : 0}) ${subject}_on
  from sample_${subject} s
  left join lateral (select h.geom <-> s.geom d from ${layer} h order by h.geom <-> s.geom limit 1) n on true
  left join lateral (select count(distinct h.id) n from ${layer} h where st_dwithin(h.geom, s.geom, 1000)) c on true
  left join lateral (select max(a) sqm from (select sum(${isParcel ? 'st_area(st_intersection(h.geom, s.geom))' : '1'}) a
    from ${layer} h where st_intersects(h.geom, s.geom) group by h.id) f) o on true`;

/** Queries of the same stages by name, over the tables sample_parcel and sample_address; several are summed. */
export const QUERIES: Readonly<Record<string, readonly string[]>> = {
  'hazard bushfire': [hazard('bushfire', 'parcel', true), hazard('bushfire', 'address', false)],
  'hazard flood': [hazard('flood', 'parcel', true), hazard('flood', 'address', false)],
  neighbours: [
    `select count(*) pairs, sum(st_length(st_intersection(st_boundary(s.geom), st_buffer(p.geom, 0.2)))) shared_m
     from sample_parcel s join parcel p on st_dwithin(p.geom, s.geom, 0.2) and p.id <> s.id`,
  ],
  'address to parcel': [
    `select count(n.id) point_in_parcel from sample_address s
     left join lateral (select p.id from parcel p where st_intersects(p.geom, s.geom) order by st_area(p.geom), p.id limit 1) n on true`,
  ],
  'schools: 10 nearest in 5 km': [nearest('school', 5000, 10, 1)],
  'places: counts in 1 km': [
    `select sum(c.n) counted from sample_address s cross join lateral
     (select count(*) n from poi p where st_dwithin(p.geom, s.geom, 1000) group by p.kind) c`,
  ],
  'stops: nearest of each mode': [nearest('stop', 5000, 1, 3)],
  'sales: 20 nearest in 500 m': [nearest('sale', 500, 20, 1)],
};

/** Makes the sample tables of every n-th parcel and address; the cost of a row does not depend on the others. */
export async function makeSamples({ client }: Baseline, every: number): Promise<void> {
  for (const table of ['parcel', 'address']) {
    await client.query(`drop table if exists sample_${table}`);
    await client.query(
      `create unlogged table sample_${table} as select id, geom from ${table} where id % ${every} = 0 order by geom`,
    );
    await client.query(`alter table sample_${table} set (parallel_workers = 2)`);
    await client.query(`analyze sample_${table}`);
  }
}

/** Runs the queries of a stage; returns the seconds that they took, those of the processor, and what they summed. */
export async function runQueries(
  { client, cpu_s }: Baseline,
  stage: string,
): Promise<{ seconds: number; cpu_s: number; sums: Record<string, number> }> {
  const sums: Record<string, number> = {};
  const before = cpu_s();
  const started = performance.now();
  for (const query of QUERIES[stage]!) {
    const { rows } = await client.query(query);
    for (const [key, value] of Object.entries(rows[0]))
      sums[key.replace('address_', 'point_')] = Number(value);
  }
  const seconds = (performance.now() - started) / 1000;
  // a parallel worker ends a moment after its query
  await new Promise((resolve) => setTimeout(resolve, 200));
  return { seconds, cpu_s: cpu_s() - before, sums };
}
