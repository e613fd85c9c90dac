/**
 * Kills refreshes of the whole sample country over and over, at seeded moments: half of them at a random time of what is left of
 * the run, half just as a dataset or a stage has ended. A kill ends the process (SIGKILL), one of its sessions on the server, or the
 * server itself (SIGKILL to the postmaster). Each database takes several kills, then its run is let through; what it serves must have
 * the digest of the undisturbed run, its books must balance, and no process or session of a run may outlive it.
 * Every second database is an embedded server of the run's own, the others are on one shared server.
 * Two databases at a time. Usage: npx tsx tools/kills/kill.ts [kills=54] [seed=1] [properties=120]; exits 1 where anything differs
 */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { digests } from '../../pipelines/views/status.ts';
import { startEmbedded } from '../../store/embedded/server.ts';
import { embeddedStatus } from '../../test/embedded_status.ts';
import { type ChildRun, isOver, pipeline, seeded } from '../../test/pipelines/child_run.ts';
import { makeSample } from '../../test/pipelines/sample_run.ts';
import { withClient, wrongBooks } from './kill_checks.ts';

const KILLS = Number(process.argv[2] ?? 54);
const SEED = Number(process.argv[3] ?? 1);
const PROPERTIES = Number(process.argv[4] ?? 120);
/** Kills that one database takes before its run is let through and compared. */
const PER_DATABASE = 6;
/** What a run needs before its first line, in milliseconds; kills fall after half of it. */
const START_MS = 1500;
/** How long processes and sessions of a killed run may take to notice. */
const GONE_MS = 20_000;
const ARGS = ['--verbose', '--workers', '1', '--set', 'batch_rows=60', '--set', 'retry.backoff_ms=10'];

/** Runs at the same time: one leaves a core idle. */
const LANES = 2;
type Random = () => number;
const below = (random: Random, n: number): number => Math.floor(random() * n);
/** Datasets and stages that a run has finished so far: each prints a line as it ends. */
const finished = (run: ChildRun): string[] => run.output().match(/^(load|stage) \w+: .*(?<! left)$/gm) ?? [];

/** A database that takes kills. */
interface Target {
  name: string;
  kinds: readonly ('process' | 'session' | 'server')[];
  start(): ChildRun;
  /** Ends something other than the process; false where there is nothing yet. */
  end(kind: 'session' | 'server', random: Random): Promise<boolean>;
  /** What is left of runs that are over; empty in the end. */
  left(): Promise<string[]>;
  /** Does something on the database when no run is under way. */
  use<T>(work: (client: pg.Client) => Promise<T>): Promise<T>;
  remove(): Promise<void>;
}

const dir = await mkdtemp(join(tmpdir(), 'kill-'));
const server = await startEmbedded({ dataDir: join(dir, 'shared') });
const admin = new pg.Client({ connectionString: server.connectionString });
await admin.connect();
const refresh = (args: readonly string[], env: Record<string, string> = {}): ChildRun =>
  pipeline(['refresh', '-c', join(dir, 'config.yaml'), ...ARGS, ...args], env);

/** A database on the shared server. */
async function shared(name: string): Promise<Target> {
  await admin.query(`CREATE DATABASE ${name} TEMPLATE template0`);
  const url = new URL(server.connectionString);
  url.pathname = `/${name}`;
  const sessions = async (): Promise<{ pid: number; query: string }[]> =>
    (
      await admin.query(
        `SELECT pid, left(query, 80) AS query FROM pg_stat_activity
         WHERE datname = $1 AND application_name LIKE 'property-data-pipeline%' ORDER BY pid`,
        [name],
      )
    ).rows;
  return {
    name,
    kinds: ['process', 'session'],
    start: () => refresh([], { DATABASE_URL: url.toString() }),
    end: async (_, random) => {
      const all = await sessions();
      const one = all[below(random, Math.max(all.length, 1))];
      if (one) await admin.query('SELECT pg_terminate_backend($1)', [one.pid]);
      return one !== undefined;
    },
    left: async () => (await sessions()).map(({ pid, query }) => `session ${pid}: ${query}`),
    use: (work) => withClient(url.toString(), work),
    remove: async () => {
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

/** An embedded server that the runs start and stop. */
function own(name: string): Target {
  const dataDir = join(dir, name);
  const place = join(dataDir, 'postgres');
  return {
    name,
    kinds: ['process', 'server'],
    start: () => refresh(['--data-dir', dataDir]),
    end: async () => {
      const { pid } = embeddedStatus(place);
      if (pid !== null) process.kill(pid, 'SIGKILL');
      return pid !== null;
    },
    left: async () =>
      execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' })
        .split('\n')
        .filter((line) => line.includes(`${dataDir}/`) || line.endsWith(dataDir)),
    use: async (work) => {
      const again = await startEmbedded({ dataDir: place });
      try {
        return await withClient(again.connectionString, work);
      } finally {
        await again.release();
      }
    },
    remove: () => rm(dataDir, { recursive: true, force: true }),
  };
}

/** Waits until nothing of a run that is over is left; gives what is left all the same. */
async function outlived(target: Target): Promise<string[]> {
  const until = Date.now() + GONE_MS;
  for (;;) {
    const left = await target.left();
    if (left.length === 0 || Date.now() > until) return left;
    await sleep(20);
  }
}

const digestOf = async (client: pg.Client): Promise<string[]> =>
  (await digests(client)).map(({ table, rows, digest }) => `${table} ${rows} rows ${digest}`);
const failures: string[] = [];
const began = performance.now();

await makeSample(dir, { properties: PROPERTIES, seed: SEED, datasets: 'all' });
const undisturbed = await shared('undisturbed');
const started = performance.now();
const whole = undisturbed.start();
if ((await whole.ended).code !== 0) throw new Error(`the undisturbed run failed\n${whole.output()}`);
const length = performance.now() - started - START_MS;
const lines = finished(whole).length;
const expected = await undisturbed.use(digestOf);
console.log(
  `undisturbed: ${((length + START_MS) / 1000).toFixed(1)} s, ${lines} datasets and stages, ${expected.length} tables`,
);

const counts = { process: 0, session: 0, server: 0, survived: 0, at_an_end: 0, databases: 0, equal: 0 };

/** Kills one run of a target. `done`: lines of the runs before. Returns how many it finished, or null where it got through. */
async function killOne(target: Target, done: number, random: Random): Promise<number | null> {
  const run = target.start();
  let kind = target.kinds[below(random, target.kinds.length)]!;
  const left = Math.max(lines - done, 3);
  const atEnd = random() < 0.5;
  if (atEnd) {
    const wanted = 1 + below(random, left - 2);
    while (!isOver(run) && finished(run).length < wanted) await sleep(3);
  } else {
    const ms = START_MS / 2 + random() * (START_MS / 2 + (length * left) / lines);
    await Promise.race([run.ended, sleep(ms)]);
  }
  const at = finished(run).at(-1) ?? 'nothing yet';
  if (kind !== 'process' && !(await target.end(kind, random))) kind = 'process';
  if (kind === 'process') run.child.kill('SIGKILL');
  const { code } = await run.ended;
  console.log(`  ${target.name}: ${kind} after ${at}${code === 0 ? ', got through' : ''}`);
  if (code === 0) {
    counts.survived++;
    return null;
  }
  counts[kind]++;
  if (atEnd) counts.at_an_end++;
  return finished(run).length;
}

const killed = (): number => counts.process + counts.session + counts.server;

/** Lets a run through, again where something of a killed one is still in its way. */
async function finish(target: Target): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const run = target.start();
    const { code } = await run.ended;
    if (code === 0) return;
    if (attempt === 3) {
      failures.push(`${target.name}: the last run ends with ${code}: ${run.output().slice(-400)}`);
      return;
    }
    await sleep(500);
  }
}

/** Kills runs on one database, lets the last one through and looks at what is there. */
async function takeKills(index: number): Promise<void> {
  const random = seeded(SEED * 1000 + index);
  const onShared = index % 2 === 0;
  const target = onShared ? await shared(`kill_${index}`) : own(`kill_${index}`);
  let done = 0;
  for (let i = 0; i < PER_DATABASE && killed() < KILLS; i++) {
    const got = await killOne(target, done, random);
    // The embedded server is left to notice by itself; on the shared one the lock goes with the last session.
    if (onShared) failures.push(...(await outlived(target)));
    if (got === null) break;
    done += got;
  }
  await finish(target);
  failures.push(...(await outlived(target)));
  const { digest, wrong } = await target.use(async (client) => ({
    digest: await digestOf(client),
    wrong: await wrongBooks(client),
  }));
  failures.push(...wrong.map((each) => `${target.name}: ${each}`));
  const others = digest.filter((line) => !expected.includes(line));
  if (others.length === 0 && digest.length === expected.length) counts.equal++;
  else failures.push(`${target.name}: other digests than in the undisturbed run: ${others.join(', ')}`);
  failures.push(...(await outlived(target)));
  await target.remove();
  console.log(JSON.stringify(counts));
}

const lane = async (): Promise<void> => {
  while (killed() < KILLS) await takeKills(counts.databases++);
};
await Promise.all(Array.from({ length: LANES }, lane));
await admin.end();
await server.release();
await rm(dir, { recursive: true, force: true });
for (const failure of failures) console.error(failure);
console.log(
  `seed ${SEED}, ${PROPERTIES} properties, ${((performance.now() - began) / 1000).toFixed(0)} s: ${killed()} runs killed ` +
    `(${counts.process} processes, ${counts.session} sessions, ${counts.server} servers; ${counts.at_an_end} as a dataset or stage ended), ` +
    `${counts.survived} got through all the same; ${counts.equal} of ${counts.databases} databases equal the undisturbed one; ` +
    `${failures.length} failures`,
);
if (failures.length > 0) process.exitCode = 1;
