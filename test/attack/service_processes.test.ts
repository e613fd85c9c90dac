import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openPool } from '../../store/database.ts';
import { type Scene, setScene } from '../service/scene.ts';
import { ROOT } from '../source_tree.ts';
import { HANG_MS, PATIENT, until } from '../waiting.ts';

/** SERVICE_KILLS=50 npx vitest run test/attack/service_processes.test.ts */
const KILLS = Number(process.env.SERVICE_KILLS ?? 3);
const FREEZE_MS = 30_000;
const PROCESSES = 4;
const CALLERS = 16;
const ANSWERS_BEFORE_A_KILL = 40;
const SANDBOX_BURST = 10;

/** A service of several processes. */
interface Several {
  parent: ChildProcess;
  base_url: string;
  sandbox_key: string;
  children(): number[];
}

describe(`a service of ${PROCESSES} processes`, () => {
  let scene: Scene;
  const parents: ChildProcess[] = [];

  async function serve(set: readonly string[]): Promise<Several> {
    const config = join(scene.dir, 'processes.yaml');
    writeFileSync(config, `database:\n  url: ${scene.database.url}\n`);
    const all = ['service.port=0', `service.processes=${PROCESSES}`, 'service.loop_delay_ms=60000', ...set];
    const parent = spawn(
      process.execPath,
      ['cli/start.mjs', 'serve', '--config', config, '--json', ...all.flatMap((one) => ['--set', one])],
      { cwd: ROOT, stdio: ['ignore', 'pipe', 'ignore'] },
    );
    parents.push(parent);
    let line = '';
    for await (const chunk of parent.stdout!) {
      line += chunk;
      if (line.includes('\n')) break;
    }
    const children = (): number[] =>
      execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
        .trim()
        .split('\n')
        .map((row) => row.trim().split(/\s+/).map(Number))
        .filter(([, ppid]) => ppid === parent.pid)
        .map(([pid]) => pid!);
    expect(line).toContain('base_url');
    return { parent, children, ...(JSON.parse(line) as { base_url: string; sandbox_key: string }) };
  }
  const isAlive = (pid: number): boolean => {
    // A process that has ended and that nothing has waited for is a zombie.
    const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
    return /^[^Z\s]/.test(stdout);
  };
  /** A call on a connection of its own, so that the processes take turns. */
  const call = async (url: string, key: string, body?: object): Promise<Response> => {
    const response = await fetch(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${key}`, connection: 'close', 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    await response.arrayBuffer();
    return response;
  };
  const statusesOf = async (calls: readonly Promise<Response>[]): Promise<Record<number, number>> => {
    const counts: Record<number, number> = {};
    for (const { status } of await Promise.all(calls)) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  };

  beforeAll(async () => {
    scene = await setScene();
  });
  afterAll(async () => {
    for (const parent of parents) parent.kill('SIGKILL');
    await scene?.close();
  });

  describe('allows an account no more than one process does', () => {
    let several: Several;
    let ids: string[];
    beforeAll(async () => {
      several = await serve([
        'service.rate_per_s=1000000',
        'service.rate_burst=1000000',
        'service.sandbox_rate_per_s=0.01',
        `service.sandbox_rate_burst=${SANDBOX_BURST}`,
      ]);
      expect(several.children()).toHaveLength(PROCESSES);
      ids = (
        await scene.database.query<{ pid: string }>('SELECT gnaf_pid AS pid FROM serving.property ORDER BY 1')
      ).map(({ pid }) => pid);
    });
    afterAll(() => several.parent.kill('SIGKILL'));
    const batch = () => ({
      ids: ids.slice(0, 150),
      endpoints: ['all'],
    });

    it('limits the rate of a key across all processes', async () => {
      const me = Array.from({ length: 4 * SANDBOX_BURST }, () =>
        call(`${several.base_url}/v1/me`, several.sandbox_key),
      );
      expect(await statusesOf(me)).toEqual({ 200: SANDBOX_BURST, 429: 3 * SANDBOX_BURST });
    });

    it('runs one long call and queues five, also after processes with long calls were killed', async () => {
      const { key } = await scene.funded('long_calls', 90_000_000);
      const post = () => call(`${several.base_url}/v1/batch`, key, batch());
      const some = (n: number) => Array.from({ length: n }, post);
      const first = some(3).map((answer) => answer.catch(() => null));
      await sleep(300);
      for (const pid of several.children()) process.kill(pid, 'SIGKILL');
      await Promise.all(first);
      await vi.waitFor(() => expect(several.children()).toHaveLength(PROCESSES), PATIENT);
      await vi.waitFor(
        async () => expect((await call(`${several.base_url}/v1/me`, key)).status).toBe(200),
        PATIENT,
      );
      expect(await statusesOf(some(12))).toEqual({ 200: 6, 503: 6 });
    });
  });

  const FAST = ['service.rate_per_s=1000000', 'service.rate_burst=1000000'];

  it('divides the maximum of calls and of connections among its processes', async () => {
    const [calls, connections] = [2 * PROCESSES, 6 * PROCESSES];
    const few = await serve([...FAST, `service.calls_max=${calls}`, 'service.query_timeout_s=60']);
    const { key } = await scene.funded('calls_max', 1_000_000);
    const pool = openPool(scene.database.url, 1);
    await pool.query('BEGIN; LOCK TABLE serving.property_profile IN ACCESS EXCLUSIVE MODE');
    const posts = Array.from({ length: 10 * PROCESSES }, () =>
      call(`${few.base_url}/v1/properties/${scene.pid}/profile`, key),
    );
    // Refusals come at once; the calls in progress wait for the table.
    const isRefused = posts.map(() => false);
    posts.forEach((post, i) => void post.then(({ status }) => (isRefused[i] = status === 503)));
    await until('the refusals', () => isRefused.filter(Boolean).length === posts.length - calls);
    await pool.query('ROLLBACK');
    await pool.end();
    expect(await statusesOf(posts)).toEqual({ 200: calls, 503: posts.length - calls });
    few.parent.kill('SIGKILL');

    const tight = await serve([`service.connections_max=${connections}`]);
    const open = Array.from({ length: 2 * connections }, () => {
      const socket = connect(Number(new URL(tight.base_url).port), '127.0.0.1');
      socket.on('error', () => undefined);
      socket.resume();
      return socket;
    });
    const remaining = () => open.filter((socket) => !socket.destroyed && !socket.connecting).length;
    await until('closed connections', () => remaining() === connections);
    await sleep(300);
    expect(remaining()).toBe(connections);
    for (const socket of open) socket.destroy();
    tight.parent.kill('SIGKILL');
  });

  it(
    `charges each answer that was received once, and nothing else, while processes are frozen, and they and their parents are killed ${KILLS} times`,
    async () => {
      const { key, account_id } = await scene.funded('killed_processes', 90_000_000);
      const received = new Set<string>();
      for (let kill = 0; kill < KILLS; kill++) {
        const { parent, base_url, children } = await serve(FAST);
        const client = new Pool(base_url, { connections: CALLERS, pipelining: 1 });
        let isOver = false;
        const callers = Array.from({ length: CALLERS }, async () => {
          while (!isOver) {
            try {
              const { statusCode, headers, body } = await client.request({
                path: `/v1/properties/${scene.pid}/profile`,
                method: 'GET',
                headers: { authorization: `Bearer ${key}` },
              });
              if ((await body.text()).startsWith('{"data":{') && statusCode === 200)
                received.add(headers['x-request-id'] as string);
            } catch {
              await sleep(20);
            }
          }
        });
        const more = async (): Promise<void> => {
          const enough = received.size + ANSWERS_BEFORE_A_KILL;
          await until('answers', () => received.size >= enough);
        };
        await more();
        const [child] = children();
        if (kill === 0) {
          // Longer than a lease or a heartbeat: nobody may take its charges for those of a dead process.
          process.kill(child!, 'SIGSTOP');
          await sleep(FREEZE_MS);
          await more();
          process.kill(child!, 'SIGCONT');
          await more();
        }
        process.kill(child!, 'SIGKILL');
        await more();
        const left = await until('the replaced process', () =>
          children().length === PROCESSES && !children().includes(child!) ? children() : undefined,
        );
        await more();
        const ended = once(parent, 'exit');
        parent.kill('SIGKILL');
        await ended;
        await sleep(1000);
        expect(left.filter(isAlive)).toEqual([]);
        isOver = true;
        await Promise.all(callers);
        await client.destroy();
      }
      expect(received.size).toBeGreaterThanOrEqual(3 * KILLS * ANSWERS_BEFORE_A_KILL);
      const last = await scene.start(FAST);
      await vi.waitFor(
        async () => expect(await scene.database.query('SELECT 1 FROM account.unsent')).toEqual([]),
        PATIENT,
      );
      const rows = await scene.database.query<{ request_id: string; cents: number; charges: number }>(
        `SELECT request_id, sum(cents)::int AS cents, count(*) FILTER (WHERE kind = 'charge')::int AS charges
         FROM account.ledger WHERE account_id = $1 AND kind IN ('charge', 'adjustment') GROUP BY 1`,
        [account_id],
      );
      const paid = new Set(rows.filter(({ cents }) => cents < 0).map(({ request_id }) => request_id));
      expect([...received].filter((id) => !paid.has(id))).toEqual([]);
      expect(rows.filter(({ charges }) => charges !== 1)).toEqual([]);
      const unseen = [...paid].filter((id) => !received.has(id));
      console.log(`${received.size} answers received and paid, ${unseen.length} paid and on their way`);
      // One kill may strike between the removal of a batch of charges and the writing of their answers, at most one for each caller.
      expect(unseen.length).toBeLessThanOrEqual(Math.max(CALLERS, 2 * KILLS * CALLERS * 0.05));
      expect((await scene.wallet(account_id)).adds_up).toBe(true);
      await last.close();
    },
    HANG_MS,
  );

  it('ends its processes within a second when the parent is killed, although they are in the middle of long calls', async () => {
    const { parent, base_url, children } = await serve(FAST);
    const { key } = await scene.funded('orphans', 90_000_000);
    const ids = await scene.database.query<{ pid: string }>('SELECT gnaf_pid AS pid FROM serving.property');
    const body = { ids: ids.map(({ pid }) => pid), endpoints: ['all', 'risks/all'] };
    const calls = Array.from({ length: 8 }, () => call(`${base_url}/v1/batch`, key, body).catch(() => null));
    await sleep(500);
    const pids = children();
    expect(pids).toHaveLength(PROCESSES);
    parent.kill('SIGKILL');
    await sleep(1000);
    expect(pids.filter(isAlive)).toEqual([]);
    await Promise.all(calls);
  });
});
