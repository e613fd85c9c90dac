/**
 * The 95th percentile of a paying caller alone, and while the public sandbox key does its worst over 16 connections: finders of all samples, batches
 * of tools/list, reads as of an earlier publication, bundles.
 * Usage: npx tsx tools/bench/service_public_key.ts <database url> [seconds]
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { addCredit, createKey, openAccount } from '../../store/accounts/accounts.ts';
import { openPool } from '../../store/database.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const [url, seconds = '8'] = process.argv.slice(2);
if (url === undefined)
  throw new Error('usage: npx tsx tools/bench/service_public_key.ts <database url> [seconds]');
const ROUNDS = 3;
const PAYING = 4;
const PUBLIC = 16;

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
const client = new Pool(base_url, { connections: PAYING + PUBLIC, pipelining: 1 });

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

/** The 95th percentile of paid points in milliseconds, while so many connections use the public key. */
async function p95(others: number): Promise<number> {
  const end = performance.now() + Number(seconds) * 1000;
  const times: number[] = [];
  const paying = Array.from({ length: PAYING }, async (_, i) => {
    for (let n = i; performance.now() < end; n += PAYING) {
      const started = performance.now();
      await ask({ path: `/v1/properties/${homes[n % homes.length]!.pid}/profile`, method: 'GET' }, key);
      times.push(performance.now() - started);
    }
  });
  const public_ = Array.from({ length: others }, async (_, i) => {
    for (let n = i; performance.now() < end; n++) {
      const status = await ask(WORST[n % WORST.length]!, sandbox_key);
      // A stranger may ask again at once; the bench needs a core for the service.
      if (status === 429) await new Promise((resolve) => setTimeout(resolve, 5));
    }
  });
  await Promise.all([...paying, ...public_]);
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.95)]!;
}

await p95(0);
for (let round = 0; round < ROUNDS; round++) {
  const alone = await p95(0);
  const beside = await p95(PUBLIC);
  console.log(
    `p95 alone ${alone.toFixed(1)} ms, beside the public key ${beside.toFixed(1)} ms: ${(beside / alone).toFixed(2)} x`,
  );
}
await client.destroy();
await pool.end();
