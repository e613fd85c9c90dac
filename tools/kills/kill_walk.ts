/**
 * Walks through every point of a refresh (each dataset as it begins, is read and is active; each stage as it begins, is under way and
 * ends) and kills something at each: the process of the run, one session of it, all of them, the PostgreSQL server; and, in a run that
 * distributes by way of Redis, that Redis and a worker with batches in hand. The run stands still at the point while that
 * happens. Killed runs are begun again and go on from where they ended, up to the next point. In the end the digest
 * must be that of the undisturbed run, the books must balance, and no session may be left. Linux only.
 * Usage: npx tsx tools/kills/kill_walk.ts [--victims coordinator,session,sessions,server,redis,worker] [--properties 100] [--lanes 2]
 * [--datasets kinds|all] [--only <part of a point>] [--json <file>]; exits 1 where anything differs. `kinds`: one dataset for each adapter
 * and hazard, which has every stage and a third fewer points.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pLimit from 'p-limit';
import { loadConfig } from '../../cli/load_config.ts';
import { openTaskExecutor } from '../../jobs/task_executor.ts';
import type { RefreshOptions } from '../../pipelines/run/refresh.ts';
import { digests } from '../../pipelines/views/status.ts';
import { seeded } from '../../test/pipelines/child_run.ts';
import { withClient, wrongBooks } from './kill_checks.ts';
import type { Point } from './walk_points.ts';
import { type EndingRun, refreshWatched } from './walk_run.ts';
import { makeWalkSample } from './walk_sample.ts';
import { BatchWorkers, Redis, Scene } from './walk_scene.ts';

const VICTIMS = ['coordinator', 'session', 'sessions', 'server', 'redis', 'worker'] as const;
type Victim = (typeof VICTIMS)[number];
const { values } = parseArgs({
  options: {
    victims: { type: 'string', default: VICTIMS.join(',') },
    properties: { type: 'string', default: '100' },
    lanes: { type: 'string', default: '2' },
    datasets: { type: 'string', default: 'kinds' },
    only: { type: 'string', default: '' },
    json: { type: 'string' },
  },
});
const SET = ['workers=1', 'batch_rows=20', 'retry.backoff_ms=10'];
const CHILD = fileURLToPath(new URL('./walk_run.ts', import.meta.url));
/** A dataset may become active while another point ends the run; its own point is then met in another database. */
const PASSES = 6;
/** Runs in a row that may end before they come to a new point. */
const TRIES = 4;
/** How long the sessions of a run that is over may take to notice. */
const GONE_MS = 20_000;

/** What came of killing the victim at one point. */
interface Met {
  victim: Victim;
  point: Point;
  outcome: string;
}

const met: Met[] = [];
const failures: string[] = [];
const dir = mkdtempSync(join(tmpdir(), 'walk-'));
const file = join(dir, 'sample', 'config.yaml');
const note = (victim: Victim, point: Point, outcome: string): void => {
  met.push({ victim, point, outcome });
  console.log(`  ${victim.padEnd(11)} ${point.padEnd(50)} ${outcome}`);
};
const digestOf = (url: string): Promise<string[]> =>
  withClient(url, async (client) =>
    (await digests(client)).map(({ table, rows, digest }) => `${table} ${rows} rows ${digest}`),
  );

/** Sessions that outlive their run. */
async function outlived(scene: Scene): Promise<number> {
  for (const until = Date.now() + GONE_MS; scene.sessions().length > 0 && Date.now() < until; )
    await sleep(10);
  return scene.sessions().length;
}

/** Compares what a database holds with the undisturbed one. */
async function compare(name: string, scene: Scene, expected: readonly string[]): Promise<void> {
  const left = await outlived(scene);
  if (left > 0) failures.push(`${name}: ${left} sessions outlived their run`);
  const digest = await digestOf(scene.url);
  const others = digest.filter((line) => !expected.includes(line));
  if (others.length > 0 || digest.length !== expected.length)
    failures.push(`${name}: other digests than in the undisturbed run: ${others.join(', ')}`);
  failures.push(
    ...(await withClient(scene.url, (client) => wrongBooks(client, 1))).map((each) => `${name}: ${each}`),
  );
}

/** One run in a process of its own that ends at the first wanted point; true where it got through. */
async function endingRun(scene: Scene, wanted: Set<Point>): Promise<boolean> {
  const run: EndingRun = { ...scene.run(SET), wanted: [...wanted] };
  const child = spawn(process.execPath, ['--import', 'tsx', CHILD, JSON.stringify(run)], { stdio: 'pipe' });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (said += text));
  const signal = await new Promise((resolve) => child.once('close', (_, by) => resolve(by)));
  const point = /"point":"([^"]*)"/.exec(said)?.[1];
  if (point !== undefined && signal === 'SIGKILL') {
    wanted.delete(point);
    const left = await outlived(scene);
    note('coordinator', point, left === 0 ? 'ended' : `ended, ${left} sessions outlived it`);
    if (left > 0) failures.push(`coordinator, ${point}: ${left} sessions outlived it`);
    return false;
  }
  if (/"state":"(published|unchanged)"/.test(said)) return true;
  failures.push(`coordinator: a run that was not killed ends with ${said.slice(-500)}`);
  return false;
}

/**
 * One run in this process, with something killed at each wanted point that it comes to; true where it got through. A point stays wanted
 * where there is nothing to kill: the run has not noticed yet what was killed at the point before.
 */
async function struckRun(
  victim: Victim,
  scene: Scene,
  wanted: Set<Point>,
  strike: () => string | null,
  set: readonly string[],
  more: Partial<RefreshOptions>,
): Promise<boolean> {
  const struck: { point: Point; what: string }[] = [];
  const end = await refreshWatched(
    scene.run(set),
    (point) => {
      if (!wanted.has(point)) return;
      const what = strike();
      if (what === null) return;
      wanted.delete(point);
      struck.push({ point, what });
    },
    more,
  ).then(
    (report) => ({ code: report.error?.code ?? report.state, said: report.error?.message }),
    (error) => ({ code: (error as { code?: string }).code ?? 'internal', said: String(error) }),
  );
  const ended = end.code;
  if (ended === 'internal') {
    console.error(`  ${victim.padEnd(11)} a run ended without a code: ${end.said}`);
    failures.push(`${victim}, ${struck.at(-1)?.point}: a run ended without a code: ${end.said}`);
  }
  const through = ended === 'published' || ended === 'unchanged';
  for (const [i, { point, what }] of struck.entries()) {
    const last = i === struck.length - 1;
    note(
      victim,
      point,
      `${what}; ${through ? 'the run went on' : last ? `run ended: ${ended}` : 'the run came to the next point'}`,
    );
  }
  if (!through && struck.length === 0) console.log(`  ${victim.padEnd(11)} a run ended with ${ended}`);
  return through;
}

/** Kills one kind of victim at each of the points. */
async function walk(victim: Victim, points: readonly Point[], expected: readonly string[]): Promise<void> {
  const scene = await Scene.open(join(dir, victim), file);
  const wanted = new Set(points);
  const random = seeded(VICTIMS.indexOf(victim) + 1);
  const distributes = victim === 'redis' || victim === 'worker';
  const redis = distributes ? await Redis.start(scene.dir) : null;
  const set = redis ? [...SET, 'queue.distribute=true', `queue.redis_url=${redis.url}`] : SET;
  const { config } = await loadConfig({ config: file, set: [...set] }, {});
  const workers = new BatchWorkers(scene, { ...config, datasets: {} });
  const end = (pids: readonly number[]): string | null => {
    for (const pid of pids) process.kill(pid, 'SIGTERM');
    return pids.length === 0 ? null : `${pids.length} cut`;
  };
  const strikes: Record<Exclude<Victim, 'coordinator'>, () => string | null> = {
    session: () => {
      const all = scene.sessions();
      return end(all.slice(Math.floor(random() * all.length)).slice(0, 1));
    },
    sessions: () => end(scene.sessions()),
    server: () => (scene.killServer() ? 'killed' : null),
    redis: () => {
      redis!.killAndRestart();
      return 'killed, back empty';
    },
    worker: () => {
      workers.killOne();
      return 'killed, another started';
    },
  };
  try {
    for (let pass = 0; pass < PASSES && wanted.size > 0; pass++) {
      const name = `walk_${pass}`;
      await scene.fresh(name);
      if (distributes) workers.start(2);
      for (let tries = 0, through = false; !through && tries < TRIES; tries++) {
        const before = wanted.size;
        await scene.serve();
        const { url } = scene;
        const more: Partial<RefreshOptions> = redis
          ? { openExecutor: (here) => openTaskExecutor(url, config, here) }
          : {};
        through =
          victim === 'coordinator'
            ? await endingRun(scene, wanted)
            : await struckRun(victim, scene, wanted, strikes[victim], set, more);
        if (wanted.size < before) tries = -1;
        if (!through && tries === TRIES - 1) failures.push(`${victim}, pass ${pass}: no run gets through`);
      }
      const done = workers.computed();
      workers.stop();
      await compare(`${victim}, pass ${pass}`, scene, expected);
      if (distributes) console.log(`  ${victim}: workers computed ${done} partitions so far`);
    }
    for (const point of wanted) failures.push(`${victim}: never came to ${point}`);
  } finally {
    workers.stop();
    redis?.stop();
    await scene.close();
  }
}

/** The points of a run that nothing happens to, and what it leaves. */
async function undisturbed(): Promise<{ points: Point[]; expected: string[] }> {
  const scene = await Scene.open(join(dir, 'undisturbed'), file);
  try {
    const points: Point[] = [];
    await scene.fresh('walk_whole');
    const report = await refreshWatched(scene.run(SET), (point) => points.push(point));
    if (report.state !== 'published') throw new Error(JSON.stringify(report.error));
    return { points, expected: await digestOf(scene.url) };
  } finally {
    await scene.close();
  }
}

const began = performance.now();
await makeWalkSample(join(dir, 'sample'), Number(values.properties), values.datasets === 'all');
const { points, expected } = await undisturbed();
const chosen = points.filter((point) => point.includes(values.only));
console.log(`${points.length} points, ${chosen.length} of them chosen`);
const victims = values.victims.split(',') as Victim[];
const lane = pLimit(Number(values.lanes));
await Promise.all(
  victims.map((victim) => {
    const there =
      victim === 'redis' || victim === 'worker' ? chosen.filter((p) => p.startsWith('stage ')) : chosen;
    return lane(() => walk(victim, there, expected));
  }),
);
await rm(dir, { recursive: true, force: true });
const table = victims.map((victim) => {
  const own = met.filter((each) => each.victim === victim);
  const outcomes: Record<string, number> = {};
  for (const { outcome } of own) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  return { victim, kills: own.length, outcomes };
});
for (const { victim, kills, outcomes } of table)
  console.log(
    `${victim.padEnd(11)} ${String(kills).padStart(4)} points: ${Object.entries(outcomes)
      .map(([outcome, n]) => `${n} ${outcome}`)
      .join(', ')}`,
  );
for (const failure of failures) console.error(failure);
console.log(
  `${met.length} kills in ${((performance.now() - began) / 1000).toFixed(0)} s: every database equals the undisturbed one, with balanced books and no session left, but for ${failures.length} failures`,
);
if (values.json)
  writeFileSync(values.json, `${JSON.stringify({ points: points.length, table, met, failures }, null, 1)}\n`);
if (failures.length > 0) process.exitCode = 1;
