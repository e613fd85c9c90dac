/**
 * The 95th percentile of a paying caller alone, and under each attack: the public sandbox key at its worst, bodies that are never closed,
 * answers that nobody reads, abandoned batches and reads of an earlier publication, bodies that are no object.
 * Usage: npx tsx tools/bench/service_attacks.ts <database url> [seconds]
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { addCredit, createKey, openAccount } from '../../store/accounts/accounts.ts';
import { openPool } from '../../store/database.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const [url, seconds = '8'] = process.argv.slice(2);
if (url === undefined)
  throw new Error('usage: npx tsx tools/bench/service_attacks.ts <database url> [seconds]');
const ROUNDS = 3;
const PAYING = 4;
const HOSTILE = 16;
/** Wait between two calls of a hostile connection: a stranger needs none, but the bench needs a core for the service. */
const WAIT_MS = 5;

const child = spawn(
  process.execPath,
  [
    'cli/start.mjs',
    'serve',
    '--port',
    '0',
    '--json',
    '--set',
    'service.rate_per_s=1000000',
    '--set',
    'service.rate_burst=1000000',
  ],
  { cwd: ROOT, env: { ...process.env, DATABASE_URL: url }, stdio: ['ignore', 'pipe', 'inherit'] },
);
process.on('exit', () => child.kill('SIGTERM'));
const { base_url, sandbox_key } = await new Promise<{ base_url: string; sandbox_key: string }>((resolve) => {
  child.stdout!.once('data', (chunk) => resolve(JSON.parse(String(chunk))));
});
const pool = openPool(url, 1);
const { account } = await openAccount(pool, `public-${Date.now()}`);
const { key } = await createKey(pool, account.account_id, 'bench');
await addCredit(pool, account.account_id, 'topup', 90_000_000, null);
const { rows: homes } = await pool.query<{ pid: string }>(
  'SELECT gnaf_pid AS pid FROM serving.property_profile ORDER BY gnaf_pid LIMIT 500',
);
const samples = (await (
  await fetch(`${base_url}/api/sandbox_sample`, { headers: { authorization: `Bearer ${sandbox_key}` } })
).json()) as { gnaf_pid: string; sal: string }[];
const suburbs = encodeURIComponent(samples.map(({ sal }) => sal).join(','));
const first = samples[0]!.gnaf_pid;
const batch = JSON.stringify(
  Array.from({ length: 20 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list', params: {} })),
);
const WORST = [
  { path: `/api/property_finder?suburbs=${suburbs}&limit=5000&min_price=0`, method: 'GET' as const },
  { path: '/mcp', method: 'POST' as const, body: batch },
  { path: `/v1/properties/${first}/all?as_of=1`, method: 'GET' as const },
  { path: `/v1/properties/${first}/all`, method: 'GET' as const },
  { path: '/v1/suburbs/list', method: 'GET' as const },
];
const client = new Pool(base_url, { connections: PAYING + HOSTILE, pipelining: 1 });

async function ask(of: { path: string; method: 'GET' | 'POST'; body?: string }, by: string): Promise<number> {
  const headers = {
    authorization: `Bearer ${by}`,
    accept: 'application/json, text/event-stream',
    ...(of.body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const { statusCode, body } = await client.request({ ...of, headers });
  await body.arrayBuffer();
  return statusCode;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const port = Number(new URL(base_url).port);

/** Sends a request on a connection of its own, and hangs up after so long; null: reads nothing until the attack ends. */
async function send(text: string, hangUpMs: number | null, end: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.pause();
  socket.write(text);
  await pause(hangUpMs ?? Math.max(0, end - performance.now()));
  socket.destroy();
}

const { key: hostile } = await createKey(pool, account.account_id, 'hostile');
const request = (path: string, by: string, body: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${by}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const bigBatch = JSON.stringify({ ids: homes.map(({ pid }) => pid), endpoints: ['all'] });
const unclosed = `"${'\\"'.repeat(120_000)}`;
const text = JSON.stringify('x'.repeat(60_000));
const plain = { 'content-type': 'application/json' };

/** What one hostile connection does next: `n` counts its calls. */
const ATTACKS: Readonly<Record<string, (n: number, end: number) => Promise<unknown>>> = {
  'the public key at its worst': (n) => ask(WORST[n % WORST.length]!, sandbox_key),
  'bodies that are never closed': () =>
    fetch(`${base_url}/v1/watches`, { method: 'POST', headers: plain, body: unclosed }).catch(() => null),
  'answers that nobody reads': (_n, end) =>
    send(
      'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20),
      null,
      Math.min(end, performance.now() + 500),
    ),
  'abandoned batches': (_n, end) => send(request('/v1/batch', hostile, bigBatch), 20, end),
  'abandoned reads of an earlier publication': (n, end) =>
    send(
      `GET /v1/properties/${homes[n % homes.length]!.pid}/all?as_of=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${hostile}\r\n\r\n`,
      20,
      end,
    ),
  'bodies that are no object': () => ask({ path: '/api/avm', method: 'POST', body: text }, sandbox_key),
};

/** The 95th percentile of paid points in milliseconds, under an attack or alone. */
async function p95(attack: (typeof ATTACKS)[string] | null): Promise<number> {
  const end = performance.now() + Number(seconds) * 1000;
  const times: number[] = [];
  const paying = Array.from({ length: PAYING }, async (_, i) => {
    for (let n = i; performance.now() < end; n += PAYING) {
      const started = performance.now();
      await ask({ path: `/v1/properties/${homes[n % homes.length]!.pid}/profile`, method: 'GET' }, key);
      times.push(performance.now() - started);
    }
  });
  const attacking = Array.from({ length: attack === null ? 0 : HOSTILE }, async (_, i) => {
    for (let n = i; performance.now() < end; n++) {
      await attack!(n, end);
      await pause(WAIT_MS);
    }
  });
  await Promise.all([...paying, ...attacking]);
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.95)]!;
}

const median = (of: number[]): number => of.sort((a, b) => a - b)[Math.floor(of.length / 2)]!;
await p95(null);
for (const [name, attack] of Object.entries(ATTACKS)) {
  const rounds: [number, number][] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push([await p95(null), await p95(attack)]);
  const [alone, under] = [median(rounds.map(([ms]) => ms)), median(rounds.map(([, ms]) => ms))];
  console.log(
    `${name}: p95 alone ${alone.toFixed(1)} ms, under it ${under.toFixed(1)} ms, ${(under / alone).toFixed(2)} x`,
  );
}
await client.destroy();
await pool.end();
