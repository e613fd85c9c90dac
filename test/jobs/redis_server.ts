import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';

/** A Redis of a test's own, which keeps nothing on disk. */
export interface RedisServer {
  url: string;
  pid: number;
  /** Forgets everything. */
  flush(): Promise<void>;
  /** Ends the server and starts it again on the same port; it has kept nothing. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Whether a redis-server is on the PATH. */
export const hasRedis = (): boolean => spawnSync('redis-server', ['--version']).status === 0;

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const ended = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once('exit', () => resolve());
  });

/** `more`: further options of the command line, which replace those of the tests. */
export async function startRedis(more: readonly string[] = []): Promise<RedisServer> {
  const dir = await mkdtemp(join(tmpdir(), 'redis-test-'));
  const port = await freePort();
  const options = {
    port,
    bind: '127.0.0.1',
    save: '',
    appendonly: 'no',
    'maxmemory-policy': 'noeviction',
    dir,
  };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const launch = (): ChildProcess => spawn('redis-server', [...args, ...more], { stdio: 'ignore' });
  let child = launch();
  const client = new Redis(port, '127.0.0.1', { maxRetriesPerRequest: null, retryStrategy: () => 20 });
  client.on('error', () => undefined);
  await client.ping();
  return {
    url: `redis://127.0.0.1:${port}/0`,
    pid: child.pid!,
    flush: async () => {
      await client.flushall();
    },
    restart: async () => {
      child.kill('SIGKILL');
      await ended(child);
      child = launch();
      await client.ping();
    },
    stop: async () => {
      client.disconnect();
      child.kill('SIGKILL');
      await ended(child);
      await rm(dir, { recursive: true, force: true });
    },
  };
}
