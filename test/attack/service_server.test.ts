import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type EmbeddedServer, startEmbedded } from '../../store/embedded/server.ts';
import { createDatabase } from '../database.ts';
import { embeddedStatus } from '../embedded_status.ts';
import { refreshSample } from '../pipelines/sample_run.ts';
import { sampleFolder } from '../published_sample.ts';
import { startChildService } from '../service/child_service.ts';
import { type Scene, setScene } from '../service/scene.ts';
import { ROOT } from '../source_tree.ts';
import { HANG_MS, PATIENT, until } from '../waiting.ts';

const QUERY_TIMEOUT_S = 2;
/** Seconds that the database server is stopped: longer than every timeout of the service. DATABASE_STOP_S=30 for more. */
const STOP_S = Number(process.env.DATABASE_STOP_S ?? 20);
const CALLERS = 100;
/** Maximum duration of a call while the server is stopped: three times the wait for a statement, and time for a busy machine. */
const LONGEST_MS = 16_000;

describe('a database server that is killed under the service', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'killed-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each([1, 2])(
    'ends it with an error, so that a supervisor starts both again (%i processes)',
    async (processes) => {
      const dataDir = join(folder, `serve-${processes}`);
      const config = join(folder, 'serve.yaml');
      await writeFile(config, `data_dir: ${dataDir}\n`);
      const child = spawn(
        process.execPath,
        [
          'cli/start.mjs',
          'serve',
          '--config',
          config,
          '--json',
          '--port',
          '0',
          '--processes',
          `${processes}`,
        ],
        { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] },
      );
      let [printed, errors] = ['', ''];
      child.stdout!.on('data', (chunk) => {
        printed += chunk;
      });
      child.stderr!.on('data', (chunk) => {
        errors += chunk;
      });
      await until('its address', () => printed.includes('\n'));
      const { base_url } = JSON.parse(printed) as { base_url: string };
      expect((await fetch(`${base_url}/v1/ping`)).status).toBe(200);
      expect(errors).toContain('lacks the security fixes');
      const pid = Number(
        (await readFile(join(dataDir, 'postgres/cluster/pgdata/postmaster.pid'), 'utf8')).split('\n')[0],
      );
      process.kill(pid, 'SIGKILL');
      const [code] = (await once(child, 'exit')) as [number | null];
      expect(code).toBe(1);
      expect(printed).toContain('database_lost');
    },
    HANG_MS,
  );
});

/** A session of its own, its process, and a promise that settles when the server or the network ends it. */
async function session(url: string): Promise<{ pid: number; ended: Promise<void> }> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => client.once('end', resolve));
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return { pid: rows[0]!.pid, ended };
}

describe('a server that is stopped or loses what it has not written', () => {
  let folder: string;
  let server: EmbeddedServer;
  let scene: Scene;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lossy-'));
    server = await startEmbedded({ dataDir: folder });
    const database = await createDatabase(server.connectionString);
    const dir = await sampleFolder();
    expect((await refreshSample(database, dir)).error).toBeNull();
    scene = await setScene({ database, dir });
  });
  afterAll(async () => {
    await scene?.close();
    await server?.release();
    await rm(folder, { recursive: true, force: true });
  });

  it(
    'answers 503 in bounded time and memory while the database server is stopped, charges nothing for it, and recovers without a restart',
    async () => {
      const { child, base_url, memoryMb } = await startChildService(folder, scene.database.url, [
        'service.rate_per_s=100000',
        'service.rate_burst=100000',
        `service.query_timeout_s=${QUERY_TIMEOUT_S}`,
      ]);
      const { key, account_id } = await scene.funded('stopped', 10_000_000);
      const answered: string[] = [];
      const statuses = new Map<number, number>();
      let longestMs = 0;
      const call = async (): Promise<number> => {
        const started = performance.now();
        const response = await fetch(`${base_url}/v1/properties/${scene.pid}/profile`, {
          headers: { authorization: `Bearer ${key}` },
        });
        await response.arrayBuffer();
        longestMs = Math.max(longestMs, performance.now() - started);
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
        if (response.status === 200) answered.push(response.headers.get('x-request-id')!);
        return response.status;
      };
      const { pid } = embeddedStatus(folder);
      const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
      const server = [pid!, ...children.trim().split(/\s+/).map(Number)];
      const signal = (name: NodeJS.Signals): void => {
        for (const process_id of server) {
          try {
            process.kill(process_id, name);
          } catch {
            // A process of the server may have ended.
          }
        }
      };
      try {
        let isOver = false;
        const callers = Array.from({ length: CALLERS }, async () => {
          while (!isOver) if ((await call()) !== 200) await sleep(20);
        });
        await until('answers', () => answered.length >= 2 * CALLERS);
        const memoryBefore = memoryMb();
        signal('SIGSTOP');
        const end = Date.now() + STOP_S * 1000;
        let memoryMax = 0;
        while (Date.now() < end) {
          memoryMax = Math.max(memoryMax, memoryMb());
          const ping = await fetch(`${base_url}/v1/ping`);
          expect([ping.status, await ping.json()]).toEqual([200, { status: 'ok' }]);
          await sleep(200);
        }
        const answeredBefore = answered.length;
        signal('SIGCONT');
        await until('answers again', () => answered.length > answeredBefore + CALLERS);
        isOver = true;
        await Promise.all(callers);
        console.log(
          `${[...statuses].map(([status, count]) => `${count} x ${status}`).join(', ')}; longest ${Math.round(longestMs)} ms; ${memoryBefore.toFixed(0)} to ${memoryMax.toFixed(0)} MB`,
        );
        expect([...statuses.keys()].sort()).toEqual([200, 503]);
        // Some wait for a statement that others wait for, and then for their own: it took until the end of the stop.
        expect(longestMs).toBeLessThan(LONGEST_MS);
        expect(statuses.get(503)).toBeGreaterThan(CALLERS);
        expect(memoryMax).toBeLessThan(memoryBefore + 100);
        await vi.waitFor(
          async () => expect(await scene.database.query('SELECT 1 FROM account.unsent')).toEqual([]),
          PATIENT,
        );
        // A charge that the stopped server commits when it goes on, after its call was refused, is refunded.
        await vi.waitFor(async () => {
          const rows = await scene.database.query<{ id: string; cents: number }>(
            `SELECT request_id AS id, sum(cents)::int AS cents FROM account.ledger
             WHERE account_id = $1 AND kind IN ('charge', 'adjustment') GROUP BY 1 HAVING sum(cents) < 0`,
            [account_id],
          );
          expect(rows.map(({ id }) => id).sort()).toEqual([...answered].sort());
        }, PATIENT);
        expect((await scene.wallet(account_id)).adds_up).toBe(true);
      } finally {
        signal('SIGCONT');
        child.kill('SIGKILL');
      }
    },
    HANG_MS,
  );

  it(
    'refunds no charge whose answer has left',
    async () => {
      const service = await scene.start(['service.rate_per_s=100000', 'service.rate_burst=100000']);
      const { key, account_id } = await scene.funded('lossy', 1_000_000);
      const call = () =>
        fetch(`${service.base_url}/v1/properties/${scene.pid}/profile`, {
          headers: { authorization: `Bearer ${key}` },
        }).then(
          async (response) => {
            await response.arrayBuffer();
            return response.status === 200 ? response.headers.get('x-request-id')! : null;
          },
          () => null,
        );
      const answered: string[] = [];
      for (let crash = 0; crash < 3; crash++) {
        for (let i = 0; i < 40; i++) answered.push(...[await call()].filter((id) => id !== null));
        // The server restarts when a session is killed, and loses the commits that it had not written. It ends all
        // other sessions when it notices, which can be after the next answer.
        const victim = await session(scene.database.url);
        const other = await session(scene.database.url);
        process.kill(victim.pid, 'SIGKILL');
        await Promise.all([victim.ended, other.ended]);
        await until('an answer', async () => {
          const id = await call();
          if (id !== null) answered.push(id);
          return id !== null;
        });
      }
      await vi.waitFor(
        async () => expect(await scene.database.query('SELECT 1 FROM account.unsent')).toEqual([]),
        PATIENT,
      );
      await service.close();
      // Another process looks for charges of processes that have ended, twice.
      const next = await scene.start();
      await new Promise((resolve) => setTimeout(resolve, 5000));
      const refunded = await scene.database.query<{ request_id: string }>(
        `SELECT request_id FROM account.ledger WHERE account_id = ${account_id} AND kind = 'adjustment'`,
      );
      const free = refunded.filter(({ request_id }) => answered.includes(request_id));
      expect(free).toEqual([]);
      expect(answered.length).toBeGreaterThan(100);
      expect((await scene.wallet(account_id)).adds_up).toBe(true);
      await next.close();
    },
    HANG_MS,
  );
});
