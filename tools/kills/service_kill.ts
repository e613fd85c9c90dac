/**
 * Kills the service, or a session of the database server so that all of it recovers from a crash, while 16 callers pay for calls: whether
 * every 200 that was seen is in the ledger once, and the ledger adds up to balance and spend.
 * Usage: npx tsx tools/kills/service_kill.ts <database url> [kills]; the server must run on this machine, under this user or for root.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { addCredit, createKey, openAccount } from '../../store/accounts/accounts.ts';
import { openPool } from '../../store/database.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const [url, kills = '50'] = process.argv.slice(2);
if (url === undefined) throw new Error('usage: npx tsx tools/kills/service_kill.ts <database url> [kills]');
const CALLERS = 16;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const pool = openPool(url, 1);

/** Asks the server, which may be recovering. */
async function query<T extends object>(sql: string, values: unknown[] = []): Promise<T[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return (await pool.query<T>(sql, values)).rows;
    } catch (error) {
      if (attempt === 100) throw error;
      await pause(100);
    }
  }
}

/** A service that listens; one that starts while the server recovers ends, and is started again. */
async function serve(): Promise<{ child: ChildProcess; base_url: string }> {
  for (let attempt = 1; ; attempt++) {
    const service = await serveOnce().catch(() => null);
    if (service !== null) return service;
    if (attempt === 20) throw new Error('the service does not start');
    await pause(500);
  }
}

function serveOnce(): Promise<{ child: ChildProcess; base_url: string }> {
  const child = spawn(process.execPath, ['cli/start.mjs', 'serve', '--port', '0', '--json'], {
    cwd: ROOT,
    env: {
      ...process.env,
      DATABASE_URL: url,
      PIPELINE_SERVICE__RATE_PER_S: '1000000',
      PIPELINE_SERVICE__RATE_BURST: '1000000',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    child.on('exit', (code) => reject(new Error(`ended with ${code}`)));
    child.stdout!.once('data', (chunk) => {
      const { base_url } = JSON.parse(String(chunk)) as { base_url?: string };
      if (base_url !== undefined) resolve({ child, base_url });
    });
  });
}

const pids = (
  await query<{ gnaf_pid: string }>(
    'SELECT gnaf_pid FROM serving.property_profile ORDER BY gnaf_pid LIMIT 500',
  )
).map((row) => row.gnaf_pid);
const { account } = await openAccount(pool, `kill-${Date.now()}`);
const { key } = await createKey(pool, account.account_id, 'bench');
await addCredit(pool, account.account_id, 'topup', 90_000_000, null);
const seen = new Set<string>();
const refused = new Map<number, number>();

let service = await serve();
for (let kill = 0; kill < Number(kills); kill++) {
  const client = new Pool(service.base_url, { connections: CALLERS, pipelining: 1 });
  let isOver = false;
  const callers = Array.from({ length: CALLERS }, async (_, i) => {
    while (!isOver) {
      try {
        const { statusCode, headers, body } = await client.request({
          path: `/v1/properties/${pids[(kill * CALLERS + i) % pids.length]}/profile`,
          method: 'GET',
          headers: { authorization: `Bearer ${key}` },
        });
        const text = await body.text();
        if (statusCode === 200 && text.startsWith('{"data":{')) seen.add(headers['x-request-id'] as string);
        else refused.set(statusCode, (refused.get(statusCode) ?? 0) + 1);
      } catch {
        await pause(20);
      }
    }
  });
  await pause(200 + Math.random() * 400);
  if (kill % 2 === 0) {
    service.child.removeAllListeners('exit').kill('SIGKILL');
  } else {
    const [row] = await query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database() ORDER BY random() LIMIT 1`,
    );
    if (row) process.kill(row.pid, 'SIGKILL');
    // The service goes on by itself when the server is back.
    await pause(1500);
  }
  isOver = true;
  await Promise.all(callers);
  await client.destroy();
  if (kill % 2 === 0) service = await serve();
}
await pause(2000);
service.child.removeAllListeners('exit').kill('SIGTERM');
const [books] = await query<{ charges: number; answered: number; doubled: number; adds_up: boolean }>(
  `SELECT count(*) FILTER (WHERE kind = 'charge')::int AS charges,
     count(*) FILTER (WHERE kind = 'charge' AND request_id = ANY ($2::uuid[]))::int AS answered,
     (count(*) FILTER (WHERE kind = 'charge') - count(DISTINCT request_id) FILTER (WHERE kind = 'charge'))::int AS doubled,
     sum(cents) = max(a.balance_cents) AND -sum(cents) FILTER (WHERE kind = 'charge') = max(a.spent_cents) AS adds_up
   FROM account.ledger JOIN account.account a USING (account_id) WHERE account_id = $1`,
  [account.account_id, [...seen]],
);
console.log(
  `${kills} kills: ${seen.size} answers seen, ${books!.answered} of them in the ledger once, ${books!.doubled} doubled, ` +
    `${books!.charges - books!.answered} charges whose answer the kill cut off, ledger adds up: ${books!.adds_up}; refused ${JSON.stringify([...refused])}`,
);
if (books!.answered !== seen.size || books!.doubled !== 0 || !books!.adds_up) process.exitCode = 1;
await pool.end();
