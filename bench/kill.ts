/**
 * Kills refreshes at seeded random moments, over and over, and compares what is served in the end with an undisturbed run. Half of
 * the kills end the process (SIGKILL), half one of its sessions on the server.
 * Usage: npx tsx bench/kill.ts [kills] [seed]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { digests } from '../pipelines/status.ts';
import { startEmbedded } from '../store/embedded/server.ts';
import { refreshInChild, seeded } from '../test/pipelines/child_run.ts';
import { makeSample } from '../test/pipelines/sample_run.ts';

const KILLS = Number(process.argv[2] ?? 50);
const SEED = Number(process.argv[3] ?? 1);
/** Kills that one database takes before its run is let through and compared. */
const PER_DATABASE = 10;
const ARGS = ['--workers', '1', '--set', 'batch_rows=40', '--set', 'retry.backoff_ms=10'];

const dir = await mkdtemp(join(tmpdir(), 'kill-'));
const server = await startEmbedded({ dataDir: join(dir, 'postgres') });
const admin = new pg.Client({ connectionString: server.connectionString });
await admin.connect();

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function fresh(name: string): Promise<string> {
  await admin.query(`CREATE DATABASE ${name} TEMPLATE template0`);
  const url = new URL(server.connectionString);
  url.pathname = `/${name}`;
  return url.toString();
}

const digestOf = (url: string): Promise<string> =>
  withClient(url, async (client) => JSON.stringify(await digests(client)));

/** Ends one session of the run, picked by `random`. */
async function endSession(name: string, random: () => number): Promise<void> {
  const { rows } = await admin.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE datname = $1 AND application_name = 'property-data-pipeline' ORDER BY pid`,
    [name],
  );
  const one = rows[Math.floor(random() * rows.length)];
  if (one) await admin.query('SELECT pg_terminate_backend($1)', [one.pid]);
}

await makeSample(dir, 200, SEED);
const undisturbed = await fresh('undisturbed');
const started = performance.now();
if ((await refreshInChild(undisturbed, dir, ARGS).ended).code !== 0)
  throw new Error('the undisturbed run failed');
const length = performance.now() - started;
const whole = await digestOf(undisturbed);

const random = seeded(SEED);
const counts = { killed: 0, survived: 0, databases: 0, equal: 0 };
while (counts.killed < KILLS) {
  const name = `kill_${counts.databases++}`;
  const url = await fresh(name);
  for (let i = 0; i < PER_DATABASE && counts.killed < KILLS; i++) {
    const run = refreshInChild(url, dir, ARGS);
    await Promise.race([run.ended, sleep(random() * length * 0.9)]);
    if (random() < 0.5) run.child.kill('SIGKILL');
    else await endSession(name, random);
    const { code } = await run.ended;
    if (code !== 0) {
      counts.killed++;
      continue;
    }
    // It got through all the same; what comes after has nothing to compute.
    counts.survived++;
    break;
  }
  for (let attempt = 0; attempt < 5; attempt++) {
    if ((await refreshInChild(url, dir, ARGS).ended).code === 0) break;
    await sleep(500);
  }
  if ((await digestOf(url)) === whole) counts.equal++;
  console.log(JSON.stringify(counts));
  await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
}
await admin.end();
await server.release();
await rm(dir, { recursive: true, force: true });
console.log(
  `${counts.killed} runs ended early, ${counts.survived} got through all the same; ${counts.equal} of ${counts.databases} databases equal the undisturbed one`,
);
if (counts.equal !== counts.databases) process.exitCode = 1;
