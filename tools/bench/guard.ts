/**
 * Compares the CPU time of this checkout with that of an earlier commit: files to tables, a night of listings, matching, training, calls of
 * the service for one property, pages of the finder, and the publication of a new model. Each round runs both, because the speed of a shared machine changes from round to round. Exits with 1
 * if the median ratio of a case is above LIMIT after ROUNDS rounds; a case that is below it earlier is not run again. The commit is in
 * tools/bench/guard_base.txt. Move it with a release, and with a change that costs more on purpose.
 * Run: npm run bench:guard
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, symlinkSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { startEmbedded } from '../../store/embedded/server.ts';
import { embeddedStatus } from '../../test/embedded_status.ts';
import { deliverListings } from '../../test/pipelines/night_deliveries.ts';
import { median } from '../../transforms/stats/quantile.ts';
import { NEW_MODEL_GATES, stageModel } from './new_model.ts';
import { cpuOf, cpuWithChildren } from './server_cpu.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LIMIT = 1.15;
const ROUNDS = 5;
const PROPERTIES = 3000;
const CALLS = 2500;
const SEARCHES = 300;
const MODELS = 3;
const TEXTS = 20_000;
/** Few rows of the last file of listings are not to be rejected. */
const SETTINGS = ['gates.rejects_share_max=1', 'datasets.listings.accept_all_rejected=true'];

const CASES = [
  'files to tables',
  'a night',
  'matching',
  'training',
  'points of the service',
  'pages of the finder',
  'new models published',
] as const;
type Case = (typeof CASES)[number];

const git = (...args: string[]): string =>
  execFileSync('git', ['-C', ROOT, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();

/** One of the two programs, with a database of its own. */
interface Side {
  name: string;
  /** Its checkout. */
  root: string;
  folder: string;
  /** CPU seconds of the last round. */
  seconds: Map<Case, number>;
}

/** Runs a command of a side to its end; its output. */
async function run({ root }: Side, url: string, args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [join(root, 'cli/start.mjs'), ...args], {
    cwd: root,
    env: { ...process.env, DATABASE_URL: url },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let failure = '';
  child.stdout.on('data', (data) => {
    out += data;
  });
  child.stderr.on('data', (data) => {
    failure = (failure + data).slice(-2000);
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`${args[0]} of ${root} ended with ${code}: ${failure}`);
  return out;
}

/** A key of the service with credit, by the side's own books. */
async function fundedKey({ root }: Side, url: string): Promise<string> {
  const { addCredit, createKey, openAccount } = await import(join(root, 'store/accounts/accounts.ts'));
  const { openPool } = await import(join(root, 'store/database.ts'));
  const pool = openPool(url, 1);
  try {
    const { account } = await openAccount(pool, 'guard');
    const { key } = await createKey(pool, account.account_id, 'guard');
    await addCredit(pool, account.account_id, 'topup', 10_000_000, null);
    return key;
  } finally {
    await pool.end();
  }
}

/** Path of the call with a number, and how many calls make a case. */
interface Calls {
  path: (i: number) => string;
  count: number;
}

const POINTS: Calls = {
  path: (i) => `/v1/properties/GAVIC${900000001 + (i % 200)}/basics/land-area-sqm`,
  count: CALLS,
};

const SORTED = ['price', 'yield', 'school_distance', 'park_distance', 'sqm', 'score'];
const STATES = ['Victoria', 'New South Wales', 'Queensland'];
/** Pages of a state's homes with four criteria, by different sorts. */
const SEARCHED: Calls = {
  path: (i) =>
    `/api/property_finder?regions=${encodeURIComponent(STATES[i % STATES.length]!)}&min_price=${300_000 + i}&max_price=3000000` +
    `&max_distance_to_school=4000&max_distance_to_park=4000&sort_by=${SORTED[i % SORTED.length]}&limit=50`,
  count: SEARCHES,
};

/** CPU seconds that the service and the server of a side take for calls, one after the other. */
async function called(
  side: Side,
  url: string,
  config: string,
  postmaster: number,
  { path, count }: Calls,
): Promise<number> {
  const flags = [
    '-c',
    config,
    '--port',
    '0',
    '--processes',
    '1',
    '--json',
    '--set',
    'service.rate_per_s=100000',
  ];
  const child = spawn(process.execPath, [join(side.root, 'cli/start.mjs'), 'serve', ...flags], {
    cwd: side.root,
    env: { ...process.env, DATABASE_URL: url },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const base = await new Promise<string>((resolve, reject) => {
      let said = '';
      child.stdout.on('data', (data) => {
        said += data;
        const at = said.indexOf('\n');
        if (at >= 0) resolve((JSON.parse(said.slice(0, at)) as { base_url: string }).base_url);
      });
      child.once('close', () => reject(new Error(`serve of ${side.root} ended: ${said}`)));
    });
    const headers = { authorization: `Bearer ${await fundedKey(side, url)}` };
    const ask = async (i: number): Promise<void> => {
      const response = await fetch(`${base}${path(i)}`, { headers });
      await response.arrayBuffer();
      if (response.status !== 200) throw new Error(`${path(i)} answers ${response.status}`);
    };
    const cpu = async (): Promise<number> => (await cpuOf(child.pid!)) + (await cpuWithChildren(postmaster));
    for (let i = 0; i < count / 10; i++) await ask(count + i);
    const before = await cpu();
    for (let i = 0; i < count; i++) await ask(i);
    return (await cpu()) - before;
  } finally {
    child.kill('SIGTERM');
    await new Promise((resolve) => child.once('close', resolve));
  }
}

/** Publishes new values of every home by the side's own program. */
async function publishModels({ root }: Side, url: string, config: string): Promise<void> {
  const { loadConfig } = await import(join(root, 'cli/load_config.ts'));
  const { graph } = await import(join(root, 'pipelines/graph.ts'));
  const { publish } = await import(join(root, 'pipelines/publish/publish.ts'));
  const loaded = await loadConfig({ config, set: [...NEW_MODEL_GATES] }, {});
  const client = new pg.Client(url);
  await client.connect();
  try {
    const accepted = { gates: [], reason: '' };
    for (let i = 0; i < MODELS; i++) {
      await stageModel(client);
      const options = { runId: 1, kind: 'refresh', accepted, tables: null };
      const { publication } = await publish(client, graph(loaded.config), loaded.config, options);
      if (publication === null) throw new Error(`${root} publishes no new model`);
    }
  } finally {
    await client.end();
  }
}

/** Keeps the server from vacuuming by itself: which case that falls into is chance. */
async function withoutVacuum(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query('ALTER SYSTEM SET autovacuum = off');
    await client.query('SELECT pg_reload_conf()');
  } finally {
    await client.end();
  }
}

/** One round of a side: its cases in turn, on a new database. */
async function round(side: Side, wanted: ReadonlySet<Case>): Promise<void> {
  const folder = await mkdtemp(join(side.folder, 'round-'));
  await cp(join(side.folder, 'sample'), join(folder, 'sample'), { recursive: true });
  const server = await startEmbedded({ dataDir: join(folder, 'postgres') });
  try {
    const url = server.connectionString;
    await withoutVacuum(url);
    const config = join(folder, 'sample', 'config.yaml');
    const postmaster = embeddedStatus(join(folder, 'postgres')).pid!;
    const timed = async (each: Case, work: () => Promise<number | undefined>): Promise<void> => {
      const cpu = async (): Promise<number> =>
        (await cpuOf(process.pid)) + (await cpuWithChildren(postmaster));
      const before = await cpu();
      const own = await work();
      const seconds = own ?? (await cpu()) - before;
      if (wanted.has(each)) side.seconds.set(each, seconds);
    };
    const command =
      (...args: string[]) =>
      async (): Promise<undefined> => {
        await run(side, url, [...args, '-c', config]);
        return undefined;
      };
    const refresh = command('refresh', ...SETTINGS.flatMap((setting) => ['--set', setting]));
    await timed('files to tables', refresh);
    if (wanted.has('a night')) {
      await deliverListings(join(folder, 'sample'), 40);
      await timed('a night', refresh);
    }
    if (wanted.has('matching'))
      await timed('matching', command('match', '--file', join(side.folder, 'texts.csv')));
    if (wanted.has('training')) await timed('training', command('evaluate', '--folds', '1'));
    for (const [each, calls] of [
      ['points of the service', POINTS],
      ['pages of the finder', SEARCHED],
    ] as const)
      if (wanted.has(each)) await timed(each, () => called(side, url, config, postmaster, calls));
    if (wanted.has('new models published'))
      await timed('new models published', async () => {
        await publishModels(side, url, config);
        return undefined;
      });
  } finally {
    await server.release();
    await rm(folder, { recursive: true, force: true });
  }
}

const base = (await readFile(join(ROOT, 'tools/bench/guard_base.txt'), 'utf8')).trim();
try {
  git('cat-file', '-e', `${base}^{commit}`);
} catch {
  console.log(`Skipped: this clone has no commit ${base}.`);
  process.exit(0);
}
const folder = await mkdtemp(join(tmpdir(), 'guard-'));
const before = join(folder, 'before');
try {
  git('worktree', 'add', '--detach', before, base);
  if (!existsSync(join(before, 'node_modules')))
    symlinkSync(join(ROOT, 'node_modules'), join(before, 'node_modules'), 'dir');
  const sides: Side[] = [];
  for (const [name, root] of [
    ['before', before],
    ['now', ROOT],
  ] as const) {
    const seconds = new Map<Case, number>();
    const side: Side = { name, root, folder: join(folder, `of-${name}`), seconds };
    // Both read what the earlier program has made.
    await run({ ...side, root: before }, '', [
      'sample',
      '--out',
      join(side.folder, 'sample'),
      '--properties',
      `${PROPERTIES}`,
    ]);
    const texts = Array.from(
      { length: TEXTS },
      (_, i) =>
        `${1 + (i % 90)} ${['Church', 'Station', 'High', 'Mill'][i % 4]} Street Springfield ${i % 2 ? 'VIC' : 'NSW'}`,
    );
    await writeFile(join(side.folder, 'texts.csv'), `address\n${texts.join('\n')}\n`);
    sides.push(side);
  }
  const [was, is] = sides as [Side, Side];
  const ratios = new Map<Case, number[]>(CASES.map((each) => [each, []]));
  const ratio = (each: Case): number => median(ratios.get(each)!);
  let slow: Case[] = [...CASES];
  for (let i = 0; i < ROUNDS && slow.length > 0; i++) {
    const wanted = new Set(slow);
    for (const side of i % 2 === 0 ? sides : sides.toReversed()) await round(side, wanted);
    for (const each of slow) ratios.get(each)!.push(is.seconds.get(each)! / was.seconds.get(each)!);
    slow = CASES.filter((each) => ratio(each) > LIMIT);
  }
  console.log(`CPU seconds, ${base.slice(0, 7)} and now, ${availableParallelism()} cores:`);
  for (const each of CASES)
    console.log(
      `  ${each.padEnd(22)} ${was.seconds.get(each)!.toFixed(2)} ${is.seconds.get(each)!.toFixed(2)}  ${ratio(each).toFixed(2)} x${slow.includes(each) ? `: more than ${LIMIT} x` : ''}`,
    );
  process.exitCode = slow.length > 0 ? 1 : 0;
} finally {
  git('worktree', 'remove', '--force', before);
  await rm(folder, { recursive: true, force: true });
}
