import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { until } from '../waiting.ts';
import { makeCertificate } from './certificate.ts';

/** A PgBouncer of a test's own, in front of the server of a database. */
export interface Pooler {
  /** URL of the same database through the pooler. */
  url: string;
  stop(): Promise<void>;
}

/** Whether a pgbouncer is on the PATH, or where Debian puts it. */
export const hasPgBouncer = (): boolean => programOf() !== undefined;

const programOf = (): string | undefined =>
  ['pgbouncer', '/usr/sbin/pgbouncer'].find((path) => spawnSync(path, ['--version']).status === 0);

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts a PgBouncer for the database of `url`, which takes connections with and without TLS. `more`: further settings, as lines of its file. */
export async function startPgBouncer(
  url: string,
  mode: 'session' | 'transaction' | 'statement',
  more: readonly string[] = [],
): Promise<Pooler> {
  const dir = await mkdtemp(join(tmpdir(), 'pgbouncer-test-'));
  const [server, port] = [new URL(url), await freePort()];
  const name = server.pathname.slice(1);
  const [user, password] = [decodeURIComponent(server.username), decodeURIComponent(server.password)];
  const file = join(dir, 'pgbouncer.ini');
  makeCertificate(dir);
  await writeFile(join(dir, 'users'), `"${user}" "${password}"\n`);
  await writeFile(
    file,
    [
      '[databases]',
      `${name} = host=127.0.0.1 port=${server.port} user=${user} password='${password}'`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = trust',
      `auth_file = ${join(dir, 'users')}`,
      `pool_mode = ${mode}`,
      `logfile = ${join(dir, 'log')}`,
      'default_pool_size = 30',
      ...(more.some((line) => line.startsWith('client_tls_sslmode')) ? [] : ['client_tls_sslmode = allow']),
      `client_tls_key_file = ${join(dir, 'key')}`,
      `client_tls_cert_file = ${join(dir, 'certificate')}`,
      ...more,
    ].join('\n'),
  );
  // PgBouncer does not run as root.
  const as = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  if ('uid' in as) spawnSync('chown', ['-R', '65534:65534', dir]);
  const child = spawn(programOf()!, [file], { stdio: 'ignore', ...as });
  const over = new Promise((resolve) => child.once('exit', resolve));
  const to = new URL(url);
  to.host = `127.0.0.1:${port}`;
  await until('PgBouncer', async () => {
    if (child.exitCode !== null) throw new Error(await readFile(join(dir, 'log'), 'utf8'));
    const client = new pg.Client({ connectionString: to.href, ssl: { rejectUnauthorized: false } });
    client.on('error', () => undefined);
    return client.connect().then(
      () => client.end().then(() => true),
      () => false,
    );
  });
  return {
    url: to.href,
    stop: async () => {
      child.kill('SIGKILL');
      await over;
      await rm(dir, { recursive: true, force: true });
    },
  };
}
