import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Pool } from 'undici';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Service } from '../../service/server.ts';
import { type Scene, setScene } from '../service/scene.ts';
import { ROOT } from '../source_tree.ts';
import { HANG_MS, PATIENT, until } from '../waiting.ts';

/** SERVICE_KILLS=200 SERVICE_HANG_UPS=10000 npx vitest run test/attack/service_kills.test.ts */
const KILLS = Number(process.env.SERVICE_KILLS ?? 6);
const HANG_UPS = Number(process.env.SERVICE_HANG_UPS ?? 600);
const CALLERS = 16;
const ANSWERS_BEFORE_A_KILL = 6;
const FAST = ['service.rate_per_s=1000000', 'service.rate_burst=1000000'];

/** Pseudo-random numbers below 1, the same in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('a service that is killed or hung up on', () => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await setScene();
  });
  afterAll(() => scene?.close());

  /** A service in a process of its own. */
  async function serve(): Promise<{ child: ChildProcess; base_url: string }> {
    const config = join(scene.dir, 'kills.yaml');
    writeFileSync(config, `database:\n  url: ${scene.database.url}\n`);
    const sets = [...FAST, 'service.port=0'].flatMap((set) => ['--set', set]);
    const child = spawn(process.execPath, ['cli/start.mjs', 'serve', '--config', config, '--json', ...sets], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let line = '';
    for await (const chunk of child.stdout!) {
      line += chunk;
      if (line.includes('\n')) break;
    }
    return { child, base_url: (JSON.parse(line) as { base_url: string }).base_url };
  }

  /** Charges of an account that were not given back, and those that were, by request. */
  async function charges(accountId: number): Promise<{ kept: Set<string>; returned: Set<string> }> {
    const rows = await scene.database.query<{ request_id: string; is_kept: boolean }>(
      `SELECT request_id, sum(cents) < 0 AS is_kept FROM account.ledger WHERE account_id = $1 AND kind IN ('charge', 'adjustment') GROUP BY 1`,
      [accountId],
    );
    const of = (is_kept: boolean) =>
      new Set(rows.filter((row) => row.is_kept === is_kept).map(({ request_id }) => request_id));
    return { kept: of(true), returned: of(false) };
  }
  const settled = () =>
    vi.waitFor(
      async () => expect(await scene.database.query('SELECT 1 FROM account.unsent')).toEqual([]),
      PATIENT,
    );

  it(
    `loses, doubles and gives away nothing in ${KILLS} kills`,
    async () => {
      const { key, account_id } = await scene.funded('killed', 90_000_000);
      const next = random(KILLS);
      /** Answers that were seen: by which kill and way, by id. */
      const seen = new Map<string, string>();
      const toolCall = JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'properties_profile', arguments: { gnaf_id: scene.pid } },
      });
      for (let kill = 0; kill < KILLS; kill++) {
        const { child, base_url } = await serve();
        const client = new Pool(base_url, { connections: CALLERS, pipelining: 1 });
        let isOver = false;
        /** A call over REST or MCP: its id where its whole answer was seen. */
        const call = async (isTool: boolean): Promise<string | null> => {
          const { statusCode, headers, body } = await client.request({
            path: isTool ? '/mcp' : `/v1/properties/${scene.pid}/profile`,
            method: isTool ? 'POST' : 'GET',
            headers: {
              authorization: `Bearer ${key}`,
              ...(isTool ? { 'content-type': 'application/json', accept: '*/*' } : {}),
            },
            body: isTool ? toolCall : null,
          });
          const text = await body.text();
          const isAnswer = isTool ? text.includes('"structuredContent"') : text.startsWith('{"data":{');
          return statusCode === 200 && isAnswer ? (headers['x-request-id'] as string) : null;
        };
        const callers = Array.from({ length: CALLERS }, async (_, i) => {
          while (!isOver) {
            try {
              const id = await call(i % 2 === 1);
              if (id !== null) seen.set(id, `kill ${kill}, ${i % 2 === 1 ? 'MCP' : 'REST'}`);
            } catch {
              await pause(20);
            }
          }
        });
        const ended = new Promise((resolve) => child.once('exit', resolve));
        const answered = seen.size + ANSWERS_BEFORE_A_KILL;
        await until('answers of the service to be killed', () => seen.size >= answered);
        await pause(next() * 300);
        child.kill('SIGKILL');
        await ended;
        isOver = true;
        await Promise.all(callers);
        await client.destroy();
      }
      const last = await scene.start(FAST);
      await settled();
      const { kept, returned } = await charges(account_id);
      expect(seen.size).toBeGreaterThanOrEqual(KILLS * ANSWERS_BEFORE_A_KILL);
      // Free: an answer that was seen, and is not paid for. Lost: a charge that stands, and whose answer nobody saw.
      expect([...seen].filter(([id]) => !kept.has(id))).toEqual([]);
      const lost = [...kept].filter((id) => !seen.has(id));
      process.stdout.write(
        `${KILLS} kills: ${seen.size} answers seen and paid once, ${returned.size} charges given back, ${lost.length} charged whose answer was on its way\n`,
      );
      // One kill may strike between the removal of a batch of charges and the writing of their answers, at most one for each caller.
      expect(lost.length).toBeLessThanOrEqual(Math.max(CALLERS, KILLS * CALLERS * 0.02));
      expect((await scene.wallet(account_id)).adds_up).toBe(true);
      await last.close();
    },
    HANG_MS + KILLS * 20_000,
  );

  it(
    `is as fast after ${HANG_UPS} hang-ups at random moments as before, with every charge in order`,
    async () => {
      const service = await scene.start(FAST);
      const { key, account_id } = await scene.funded('hung_up', 90_000_000);
      const port = Number(new URL(service.base_url).port);
      const next = random(HANG_UPS);
      const body = JSON.stringify({ id: scene.pid });
      const head = `Host: x\r\nAuthorization: Bearer ${key}\r\n`;
      const texts = [
        `GET /v1/properties/${scene.pid}/profile HTTP/1.1\r\n${head}\r\n`,
        `GET /v1/properties/${scene.pid}/all HTTP/1.1\r\n${head}\r\n`,
        `POST /api/avm HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        `GET /v1/ping HTTP/1.1\r\nHost: x\r\n\r\n`,
      ];
      const median = async (of: Service): Promise<number> => {
        const times: number[] = [];
        for (let i = 0; i < 60; i++) {
          const started = performance.now();
          const response = await fetch(`${of.base_url}/v1/properties/${scene.pid}/profile`, {
            headers: { authorization: `Bearer ${key}` },
          });
          await response.arrayBuffer();
          expect(response.status).toBe(200);
          times.push(performance.now() - started);
        }
        return times.sort((a, b) => a - b)[30]!;
      };
      const before = await median(service);
      let left = HANG_UPS;
      await Promise.all(
        Array.from({ length: CALLERS }, async () => {
          while (left-- > 0) {
            const text = texts[Math.floor(next() * texts.length)]!;
            const cut = next() < 0.3 ? Math.floor(next() * text.length) : text.length;
            const wait = next() * 8;
            await new Promise<void>((resolve) => {
              const socket = connect(port, '127.0.0.1', () => {
                socket.write(text.slice(0, cut));
                setTimeout(() => {
                  if (next() < 0.5) socket.resetAndDestroy();
                  else socket.destroy();
                }, wait);
              });
              socket.on('error', () => undefined);
              socket.on('close', () => resolve());
              socket.resume();
            });
          }
        }),
      );
      // What was asked for is answered, whether or not its client is still there.
      await settled();
      const after = await median(service);
      process.stdout.write(
        `median ${before.toFixed(2)} ms before, ${after.toFixed(2)} ms after ${HANG_UPS} hang-ups\n`,
      );
      const { returned } = await charges(account_id);
      expect(returned.size).toBe(0);
      expect((await scene.wallet(account_id)).adds_up).toBe(true);
      expect((await fetch(`${service.base_url}/readyz`)).status).toBe(200);
      await service.close();
    },
    HANG_MS + HANG_UPS * 100,
  );
});
