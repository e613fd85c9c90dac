/**
 * How fast the service answers, metered and durable, beside the read contract alone and beside a hand-written route; whether a wallet pays
 * exactly what it covers on two processes; how long a start takes. Client, services and server share this machine.
 * Usage: npx tsx tools/bench/service.ts <database url> [seconds]
 * The database holds a published country; the bench adds accounts of its own to it.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { ask } from '../../contract/answers/ask.ts';
import { ENDPOINTS } from '../../contract/index.ts';
import { addCredit, createKey, openAccount } from '../../store/accounts/accounts.ts';
import { openPool } from '../../store/database.ts';
import { openServing } from '../../store/read/serving.ts';
import { cpuWithChildren, parentOf } from './server_cpu.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const [url, seconds = '5'] = process.argv.slice(2);
if (url === undefined) throw new Error('usage: npx tsx tools/bench/service.ts <database url> [seconds]');
const SECONDS = Number(seconds);
const CONNECTIONS = 8;
const PATHS = ['profile', 'basics/land-area-sqm', 'valuation/avm'];

interface Started {
  child: ChildProcess;
  base_url: string;
  start_ms: number;
}

/** Starts a process and waits for its first line. */
function start(args: readonly string[], read: (line: string) => string): Promise<Started> {
  const began = performance.now();
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: {
      ...process.env,
      DATABASE_URL: url,
      PIPELINE_SERVICE__RATE_PER_S: '1000000',
      PIPELINE_SERVICE__RATE_BURST: '1000000',
      PIPELINE_SERVICE__SANDBOX_RATE_PER_S: '1000000',
      PIPELINE_SERVICE__SANDBOX_RATE_BURST: '1000000',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    let text = '';
    child.on('exit', (code) => reject(new Error(`ended with ${code}`)));
    child.stdout!.on('data', (chunk) => {
      text += chunk;
      if (text.includes('\n'))
        resolve({
          child,
          base_url: read(text.slice(0, text.indexOf('\n'))),
          start_ms: performance.now() - began,
        });
    });
  });
}
const serve = () =>
  start(
    ['cli/start.mjs', 'serve', '--port', '0', '--json'],
    (line) => (JSON.parse(line) as { base_url: string }).base_url,
  );
const plain = () => start(['--import', 'tsx', 'tools/bench/service_plain.ts', url], (line) => line);

/** Seconds of CPU of a process so far. */
function cpuSoFar({ child }: Started): number {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Calls of a process, and the milliseconds of its CPU that each took. */
async function loadOf(at: Started, call: (i: number) => Promise<void>): Promise<Measured & { cpu: number }> {
  let before = 0;
  const measured = await load(call, () => {
    before = cpuSoFar(at);
  });
  return { ...measured, cpu: ((cpuSoFar(at) - before) * 1000) / measured.calls };
}

const share = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!;

interface Measured {
  rate: number;
  p50: number;
  p95: number;
  calls: number;
}

/** Seconds of calls that are not measured: code is compiled and tables are read into memory as in a service that has run for a while. */
const WARM_S = 5;

/** Calls on 8 connections at once for some seconds, one after the other on each; `begin` is called when it is warm. */
async function load(
  call: (i: number) => Promise<void>,
  begin: () => void = () => undefined,
): Promise<Measured> {
  let next = 0;
  const during = async (seconds: number, took: number[]): Promise<void> => {
    const began = performance.now();
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        while (performance.now() - began < seconds * 1000) {
          const before = performance.now();
          await call(next++);
          took.push(performance.now() - before);
        }
      }),
    );
  };
  await during(WARM_S, []);
  begin();
  const took: number[] = [];
  const began = performance.now();
  await during(SECONDS, took);
  const rate = took.length / ((performance.now() - began) / 1000);
  took.sort((a, b) => a - b);
  return { rate, p50: share(took, 0.5), p95: share(took, 0.95), calls: took.length };
}

const text = ({ rate, p50, p95 }: Measured): string =>
  `${rate.toFixed(0).padStart(6)} calls/s  p50 ${p50.toFixed(1)} ms  p95 ${p95.toFixed(1)} ms`;

const pool = openPool(url, 2);
const { rows } = await pool.query<{ gnaf_pid: string }>(
  `SELECT gnaf_pid FROM serving.property_avm WHERE reason IS NULL ORDER BY md5(gnaf_pid) LIMIT 2000`,
);
const pids = rows.map((row) => row.gnaf_pid);
const [{ n }] = (await pool.query<{ n: string }>('SELECT count(*) AS n FROM serving.property')).rows as [
  { n: string },
];
const stamp = Date.now();

/** A key with credit. */
async function funded(name: string, cents: number): Promise<{ key: string; account_id: number }> {
  const { account } = await openAccount(pool, `bench-${stamp}-${name}`);
  const { key } = await createKey(pool, account.account_id, 'bench');
  await addCredit(pool, account.account_id, 'topup', cents, null);
  return { key, account_id: account.account_id };
}

function caller(
  at: Started,
  key: string,
  path: string,
): { call: (i: number) => Promise<void>; close: () => Promise<void> } {
  const client = new Pool(at.base_url, { connections: CONNECTIONS, pipelining: 1 });
  const headers = { authorization: `Bearer ${key}` };
  return {
    call: async (i) => {
      const { statusCode, body } = await client.request({
        path: `/v1/properties/${pids[i % pids.length]}/${path}`,
        method: 'GET',
        headers,
      });
      await body.text();
      if (statusCode !== 200) throw new Error(`status ${statusCode}`);
    },
    close: () => client.close(),
  };
}

/** A batch of 1,000 land areas beside single calls: time, CPU of service and database for each home, and what a single call notes of it. */
async function batches(at: Started, key: string): Promise<void> {
  const { rows: own } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const server = await parentOf(own[0]!.pid);
  const cpu = async (): Promise<number> => cpuSoFar(at) + (await cpuWithChildren(server));
  const single = caller(at, key, 'basics/land-area-sqm');
  const body = JSON.stringify({ ids: pids.slice(0, 1000), endpoints: ['basics/land-area-sqm'] });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const batch = async (): Promise<number> => {
    const began = performance.now();
    const response = await fetch(`${at.base_url}/v1/batch`, { method: 'POST', headers, body });
    await response.text();
    if (response.status !== 200) throw new Error(`status ${response.status}`);
    return performance.now() - began;
  };
  for (let i = 0; i < 5; i++) await batch();
  let before = await cpu();
  const took: number[] = [];
  for (let i = 0; i < 20; i++) took.push(await batch());
  const of_batch = ((await cpu()) - before) / 20_000;
  before = await cpu();
  for (let i = 0; i < 2000; i++) await single.call(i);
  const of_call = ((await cpu()) - before) / 2000;
  took.sort((a, b) => a - b);
  console.log(
    `a batch of 1,000 land areas: median ${share(took, 0.5).toFixed(0)} ms, p95 ${share(took, 0.95).toFixed(0)} ms; CPU a home ${(of_batch * 1000).toFixed(3)} ms, of a call ${(of_call * 1000).toFixed(2)} ms: ${(of_call / of_batch).toFixed(1)} ×`,
  );
  const alone = await load(single.call);
  let isOver = false;
  const beside = (async () => {
    while (!isOver) {
      await batch();
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  })();
  const disturbed = await load(single.call);
  isOver = true;
  await beside;
  await single.close();
  console.log(
    `a point alone ${text(alone)}\n  beside a batch a second ${text(disturbed)}: ${(disturbed.p95 / alone.p95).toFixed(2)} × at p95`,
  );
}

/** 64 callers on a wallet that covers 1,000 calls, on two processes. */
async function wallet(services: readonly Started[], round: number): Promise<boolean> {
  const { key, account_id } = await funded(`wallet-${round}`, 3000);
  const counts = new Map<number, number>();
  const clients = services.map((each) => new Pool(each.base_url, { connections: 32, pipelining: 1 }));
  let left = 1300;
  await Promise.all(
    Array.from({ length: 64 }, async (_, i) => {
      while (left-- > 0) {
        const { statusCode, body } = await clients[i % clients.length]!.request({
          path: `/v1/properties/${pids[i]}/profile`,
          method: 'GET',
          headers: { authorization: `Bearer ${key}` },
        });
        await body.text();
        counts.set(statusCode, (counts.get(statusCode) ?? 0) + 1);
      }
    }),
  );
  await Promise.all(clients.map((each) => each.close()));
  const [row] = (
    await pool.query<{ calls: number; balance: number; sum: number }>(
      `SELECT count(*) FILTER (WHERE kind = 'charge')::int AS calls, a.balance_cents::int AS balance, sum(cents)::int AS sum
       FROM account.ledger JOIN account.account a USING (account_id) WHERE account_id = $1 GROUP BY a.account_id`,
      [account_id],
    )
  ).rows;
  return (
    counts.get(200) === 1000 &&
    counts.get(402) === 300 &&
    row!.calls === 1000 &&
    row!.balance === 0 &&
    row!.sum === 0
  );
}

console.log(`${Number(n).toLocaleString('en')} properties, ${CONNECTIONS} connections, ${SECONDS} s each`);
const first = await serve();
console.log(`start to first answer: ${first.start_ms.toFixed(0)} ms`);
const { key } = await funded('load', 90_000_000);
// A service that has run for a while: else the path that is measured first pays for what all of them compile.
for (const path of PATHS) {
  const { call, close } = caller(first, key, path);
  await load(call);
  await close();
}
for (const path of PATHS) {
  const endpoint = ENDPOINTS.find((each) => each.subpath === path)!;
  const db = openServing(url, CONNECTIONS);
  const alone = await load(async (i) => void (await ask(endpoint, db, pids[i % pids.length]!)));
  await db.destroy();
  const { call, close } = caller(first, key, path);
  const metered = await loadOf(first, call);
  await close();
  console.log(`${path}\n  contract alone     ${text(alone)}`);
  console.log(
    `  over HTTP, metered ${text(metered)}  ${(metered.rate / alone.rate).toFixed(2)} × the contract alone, service CPU ${metered.cpu.toFixed(2)} ms`,
  );
}
const bare = await plain();
const { call, close } = caller(bare, '', 'profile');
const written = await loadOf(bare, call);
await close();
bare.child.removeAllListeners('exit').kill();
console.log(`hand-written route, unmetered: ${text(written)}  CPU ${written.cpu.toFixed(2)} ms`);
const { rows: keys } = await pool.query<{ public_text: string }>(
  'SELECT public_text FROM account.key WHERE public_text IS NOT NULL',
);
const sandboxKey = keys[0]!.public_text;
const samples = (await (
  await fetch(`${first.base_url}/api/sandbox_sample`, { headers: { authorization: `Bearer ${sandboxKey}` } })
).json()) as { gnaf_pid: string }[];
pids.splice(0, pids.length, samples[0]!.gnaf_pid);
const free = caller(first, sandboxKey, 'profile');
const unmetered = await loadOf(first, free.call);
await free.close();
console.log(
  `the service, unmetered (sandbox): ${text(unmetered)}  CPU ${unmetered.cpu.toFixed(2)} ms, ${(unmetered.cpu / written.cpu).toFixed(2)} × the hand-written route`,
);
pids.splice(0, pids.length, ...rows.map((row) => row.gnaf_pid));
await batches(first, key);
const second = await serve();
let exact = 0;
for (let round = 0; round < 20; round++) if (await wallet([first, second], round)) exact++;
console.log(`a wallet for 1,000 calls, 64 callers, two processes: exact in ${exact} of 20 rounds`);
for (const { child } of [first, second]) child.removeAllListeners('exit').kill('SIGTERM');
await pool.end();
