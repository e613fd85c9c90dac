import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { appendFile, chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificate } from './certificate.ts';
import { freePort } from './pgbouncer.ts';

const PACKAGES = '/usr/lib/postgresql';

/** Folder of the programs of Debian's newest PostgreSQL; null: not installed (tools/scripts/ci_postgres.sh installs it). */
export const debianPrograms = (): string | null =>
  (existsSync(PACKAGES) ? readdirSync(PACKAGES) : [])
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(PACKAGES, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'initdb'))) ?? null;

/** A PostgreSQL of a test's own, which takes connections by TLS and password only, with a certificate that nobody has signed. */
export interface DebianPostgres {
  port: number;
  /** A folder that its programs may write. */
  dir: string;
  /** URL of a database for the superuser `admin`, or another user with the password `pw`. */
  urlOf(database: string, user?: string): string;
  /** Runs a program of PostgreSQL, such as pg_dump, beside the server. */
  run(program: string, ...args: string[]): string;
  /** Starts a standby of this server, which reads what this one writes. */
  startStandby(): Promise<DebianPostgres>;
  stop(): Promise<void>;
}

const USER = 'admin';
const isRoot = process.getuid?.() === 0;

/** Runs a program as a user that is not root, which PostgreSQL refuses. */
function runProgram(program: string, args: readonly string[], dir: string): string {
  const [file, all] = isRoot
    ? ['setpriv', ['--reuid=postgres', '--regid=postgres', '--clear-groups', '--', program, ...args]]
    : [program, args];
  return execFileSync(file, all, {
    cwd: dir,
    encoding: 'utf8',
    // HOME: the folder of root is closed to other users.
    env: { ...process.env, HOME: dir, PGPASSWORD: 'pw', PGSSLMODE: 'require' },
    // pg_ctl passes its streams on to the server, which would keep a pipe open.
    stdio: ['ignore', program.endsWith('pg_ctl') ? 'ignore' : 'pipe', 'pipe'],
  });
}

/** Starts the server of a folder, and returns it. */
async function start(bin: string, dir: string): Promise<DebianPostgres> {
  const port = await freePort();
  const run = (program: string, ...args: string[]) => runProgram(join(bin, program), args, dir);
  const data = join(dir, 'data');
  const options = [
    `-p ${port}`,
    ...['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off'].map((each) => `-c ${each}`),
  ];
  run('pg_ctl', '-D', data, '-l', join(dir, 'log'), '-w', '-o', options.join(' '), 'start');
  return {
    port,
    dir,
    urlOf: (database, user = USER) =>
      `postgresql://${user}:pw@127.0.0.1:${port}/${encodeURIComponent(database)}?sslmode=require`,
    run,
    startStandby: async () => {
      const other = await makeFolder();
      const from = ['-h', '127.0.0.1', '-p', String(port), '-U', USER, '-R', '-X', 'stream', '-c', 'fast'];
      runProgram(join(bin, 'pg_basebackup'), [...from, '-D', join(other, 'data')], other);
      return start(bin, other);
    },
    stop: async () => {
      run('pg_ctl', '-D', data, '-m', 'immediate', '-w', 'stop');
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function makeFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'debian-postgres-'));
  if (isRoot) execFileSync('chown', ['postgres:postgres', dir]);
  return dir;
}

/** Makes a cluster with the programs in `bin`, and starts it. */
export async function startDebianPostgres(bin: string): Promise<DebianPostgres> {
  const dir = await makeFolder();
  const data = join(dir, 'data');
  await writeFile(join(dir, 'password'), 'pw');
  await chmod(join(dir, 'password'), 0o644);
  const options = [
    '-A',
    'scram-sha-256',
    '-E',
    'UTF8',
    '--locale=C.UTF-8',
    '--pwfile',
    join(dir, 'password'),
  ];
  runProgram(join(bin, 'initdb'), ['-D', data, '-U', USER, ...options], dir);
  makeCertificate(data);
  if (isRoot) execFileSync('chown', ['-R', 'postgres:postgres', data]);
  const settings = [
    'ssl = on',
    "ssl_cert_file = 'certificate'",
    "ssl_key_file = 'key'",
    'hot_standby_feedback = on',
  ];
  await appendFile(join(data, 'postgresql.conf'), settings.join('\n'));
  const hosts = ['all', 'replication'].map((what) => `hostssl ${what} all 127.0.0.1/32 scram-sha-256`);
  await writeFile(join(data, 'pg_hba.conf'), `${hosts.join('\n')}\n`);
  return start(bin, dir);
}
