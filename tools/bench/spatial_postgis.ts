import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

/** A throw-away PostgreSQL with PostGIS. */
export interface Baseline {
  client: pg.Client;
  version: string;
  port: number;
  /** Number of the server's first process. */
  pid: number;
  /** Another session. */
  connect: () => Promise<pg.Client>;
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
  const { rows } = await client.query('select postgis_lib_version() v, current_setting($1) s', [
    'server_version',
  ]);
  return {
    client,
    version: `PostGIS ${rows[0].v} on PostgreSQL ${rows[0].s}`,
    port,
    pid: server.pid!,
    connect: () => connect(port),
    async stop() {
      await client.end();
      server.kill('SIGINT');
      await once(server, 'exit');
      rmSync(dir, { recursive: true });
    },
  };
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
