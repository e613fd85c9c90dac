/**
 * One run on several hosts, which are network namespaces of this machine: `db` has PostgreSQL and Redis, `run` the coordinator and the files
 * of the datasets, `one` and `two` a worker each, with another file system in the place of those files. While batches are in hand, host `one`
 * is unplugged (its link goes down, and nothing of it is closed) and host `two`, on a link of 20 Mbit/s, has its worker killed (SIGKILL) and
 * started again. What is served must have the digest of a run on `run` alone; plugged in again, host `one` takes part in the next run.
 * Linux, as root, with iproute2, redis-server, and PostgreSQL's initdb and postgres on the PATH; says what is missing and ends with 0.
 * Usage: npx tsx tools/kills/hosts.ts [--properties 300] [--queue redis|postgres]; exits 1 where anything differs
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { RunReport } from '../../pipelines/report/report.ts';
import { digests } from '../../pipelines/views/status.ts';
import { makeSample } from '../../test/pipelines/sample_run.ts';
import { withClient, wrongBooks } from './kill_checks.ts';

const { values } = parseArgs({
  options: { properties: { type: 'string', default: '300' }, queue: { type: 'string', default: 'redis' } },
});
const CLI = fileURLToPath(new URL('../../cli/start.mjs', import.meta.url));
const NODE = [process.execPath, CLI];
/** Hosts by name, each with its number in the addresses; `watch` is this process. */
const HOSTS = { run: 1, one: 2, two: 3, watch: 4 } as const;
type Host = keyof typeof HOSTS;
const LEASE_S = 10;
const DEADLINE_MS = 900_000;

/** Why this machine cannot, or null. */
function missing(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'needs root on Linux';
  for (const [command, flag] of [
    ['ip', '-V'],
    ['tc', '-V'],
    ['initdb', '-V'],
    ['postgres', '-V'],
    ['redis-server', '-v'],
  ] as const)
    if (spawnSync(command, [flag]).status !== 0) return `needs ${command} on the PATH`;
  const probe = spawnSync('ip', ['netns', 'add', 'pipeline-probe'], { encoding: 'utf8' });
  if (probe.status !== 0) return `cannot make network namespaces: ${probe.stderr.trim()}`;
  execFileSync('ip', ['netns', 'del', 'pipeline-probe']);
  return null;
}
const reason = missing();
if (reason !== null) {
  console.log(`SKIPPED: ${reason}`);
  process.exit(0);
}

const space = (host: Host | 'db'): string => `pipeline-${host}`;
const ip = (...args: string[]): void => {
  execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'inherit'] });
};
/** Address of `db` as a host sees it: each host has a wire of its own to it. */
const dbOf = (host: Host): string => `10.77.${HOSTS[host]}.1`;
const addressOf = (host: Host): string => `10.77.${HOSTS[host]}.2`;

function wire(): void {
  ip('netns', 'add', space('db'));
  ip('-n', space('db'), 'link', 'set', 'lo', 'up');
  for (const host of Object.keys(HOSTS) as Host[]) {
    const [here, there] = [`pl-${host}`, `pl-db-${host}`];
    ip('link', 'add', here, 'type', 'veth', 'peer', 'name', there);
    ip('link', 'set', there, 'netns', space('db'));
    ip('-n', space('db'), 'addr', 'add', `${dbOf(host)}/24`, 'dev', there);
    ip('-n', space('db'), 'link', 'set', there, 'up');
    const at: string[] = [];
    if (host !== 'watch') {
      ip('netns', 'add', space(host));
      ip('link', 'set', here, 'netns', space(host));
      at.push('-n', space(host));
      ip(...at, 'link', 'set', 'lo', 'up');
    }
    ip(...at, 'addr', 'add', `${addressOf(host)}/24`, 'dev', here);
    ip(...at, 'link', 'set', here, 'up');
  }
}
const unwire = (): void => {
  for (const host of ['db', ...Object.keys(HOSTS)] as (Host | 'db')[])
    spawnSync('ip', ['netns', 'del', space(host)], { stdio: 'ignore' });
  spawnSync('ip', ['link', 'del', 'pl-watch'], { stdio: 'ignore' });
};

/** A program on a host. */
interface Program {
  child: ChildProcess;
  said(): string;
  ended: Promise<number | null>;
}
const programs: Program[] = [];
function start(host: Host | 'db', command: readonly string[], env: Record<string, string> = {}): Program {
  const child = spawn('ip', ['netns', 'exec', space(host), ...command], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (said += text));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const program = { child, said: () => said, ended };
  programs.push(program);
  return program;
}

async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  program?: Program,
): Promise<void> {
  for (const end = Date.now() + DEADLINE_MS; !(await holds()); await sleep(20))
    if (Date.now() > end || program?.child.exitCode != null)
      throw new Error(`waited in vain for ${what}: ${program?.said().slice(-800) ?? ''}`);
}

const dir = mkdtempSync(join(tmpdir(), 'hosts-'));
chmodSync(dir, 0o755);
const files = join(dir, 'files');
const workerConfig = join(dir, 'worker.json');
const urlOf = (host: Host, database: string): string =>
  `postgresql://postgres@${dbOf(host)}:5432/${database}`;
const envOf = (host: Host, database: string): Record<string, string> => ({
  DATABASE_URL: urlOf(host, database),
  ...(values.queue === 'redis' ? { REDIS_URL: `redis://${dbOf(host)}:6379/0` } : {}),
  PIPELINE_QUEUE__LEASE_S: String(LEASE_S),
});
const SETTINGS = ['--workers', '1', '--set', 'batch_rows=25'];

/** PostgreSQL and Redis on host `db`. */
async function startServers(): Promise<void> {
  const data = join(dir, 'data');
  const [uid, gid] = ['-u', '-g'].map((flag) =>
    Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' })),
  );
  mkdirSync(data);
  chownSync(data, uid!, gid!);
  const as = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
  execFileSync(as[0]!, [...as.slice(1), 'initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync'], {
    stdio: 'ignore',
  });
  writeFileSync(join(data, 'pg_hba.conf'), 'host all all 10.77.0.0/16 trust\n');
  const server = start('db', [
    ...as,
    'postgres',
    '-D',
    data,
    '-c',
    'listen_addresses=*',
    '-c',
    `unix_socket_directories=`,
  ]);
  const redis = ['redis-server', '--bind', '0.0.0.0', '--protected-mode', 'no', '--save', '', '--dir', dir];
  start('db', [...redis, '--maxmemory-policy', 'noeviction']);
  await until('the server', () => server.said().includes('ready to accept'), server);
}

/** A worker on a host that has none of the files: another file system lies over them. */
function startWorker(host: 'one' | 'two', database: string): Program {
  const command = [...NODE, 'worker', '--batches', '-c', workerConfig, ...SETTINGS, '--json'];
  const hide = 'mount -t tmpfs none "$1" && shift && exec "$@"';
  return start(host, ['sh', '-c', hide, 'sh', files, ...command], envOf(host, database));
}
const ready = (worker: Program): Promise<void> =>
  until('a worker', () => worker.said().includes('"ready"'), worker);
const computed = (worker: Program): number =>
  [...worker.said().matchAll(/"event":"batch",.*?"partitions":(\d+)/g)].reduce(
    (sum, [, n]) => sum + Number(n),
    0,
  );

const watchUrl = (database: string): string => urlOf('watch', database);
const query = (database: string, sql: string): Promise<Record<string, unknown>[]> =>
  withClient(watchUrl(database), async (client) => (await client.query(sql)).rows);
/** Whether a host has a batch in hand: a transaction that has claimed partitions. */
const inHand = (database: string, host: Host) => async (): Promise<boolean> =>
  (
    await query(
      database,
      `SELECT 1 FROM pg_locks l JOIN pg_stat_activity a USING (pid)
       WHERE l.relation = to_regclass('control.partition') AND l.mode = 'RowExclusiveLock' AND a.client_addr = '${addressOf(host)}'`,
    )
  ).length > 0;
const digestOf = (database: string): Promise<string> =>
  withClient(watchUrl(database), async (client) => JSON.stringify(await digests(client)));

async function check(): Promise<void> {
  await makeSample(files, { properties: Number(values.properties), seed: 1, datasets: 'core' });
  writeFileSync(workerConfig, '{"datasets": {}}');
  await startServers();
  for (const name of ['alone', 'together']) await query('postgres', `CREATE DATABASE ${name}`);
  const refresh = (database: string, command: readonly string[]): Program =>
    start(
      'run',
      [...NODE, ...command, '-c', join(files, 'config.yaml'), ...SETTINGS, '--json'],
      envOf('run', database),
    );
  const alone = refresh('alone', ['refresh']);
  if ((await alone.ended) !== 0) throw new Error(alone.said());
  const expected = await digestOf('alone');

  execFileSync('tc', [
    '-n',
    space('two'),
    'qdisc',
    'add',
    'dev',
    'pl-two',
    'root',
    'tbf',
    'rate',
    '20mbit',
    'burst',
    '32kb',
    'latency',
    '400ms',
  ]);
  const one = startWorker('one', 'together');
  let two = startWorker('two', 'together');
  await Promise.all([ready(one), ready(two)]);
  const together = refresh('together', ['refresh', '--distribute']);
  const happened: string[] = [];
  await until('a batch in hand on two', inHand('together', 'two'), together);
  // `ip netns exec` becomes the shell, and that the worker.
  two.child.kill('SIGKILL');
  happened.push(`two killed after ${computed(two)} partitions`);
  two = startWorker('two', 'together');
  await until('a batch in hand on one', inHand('together', 'one'), together);
  ip('-n', space('one'), 'link', 'set', 'pl-one', 'down');
  const unplugged = performance.now();
  happened.push(`one unplugged after ${computed(one)} partitions`);
  if ((await together.ended) !== 0) throw new Error(together.said().slice(-2000));
  happened.push(
    `the run ended ${((performance.now() - unplugged) / 1000).toFixed(0)} s later; two computed ${computed(two)} partitions after it was back`,
  );
  const { notes } = JSON.parse(together.said().trim().split('\n').at(-1)!) as RunReport;
  happened.push(...notes);
  const same = (await digestOf('together')) === expected;
  const wrong = await withClient(watchUrl('together'), (client) => wrongBooks(client, 1));

  ip('-n', space('one'), 'link', 'set', 'pl-one', 'up');
  const before = computed(one);
  const next = refresh('together', ['backfill', '--distribute', '--stage', 'address_home']);
  if ((await next.ended) !== 0) throw new Error(next.said().slice(-2000));
  happened.push(`plugged in again, one computed ${computed(one) - before} partitions of the next run`);
  const still = (await digestOf('together')) === expected;
  for (const line of happened) console.log(line);
  console.log(
    `digest ${same && still ? 'equals' : 'DIFFERS FROM'} that of one host alone; books: ${wrong.join('; ') || 'balanced'}`,
  );
  if (!same || !still || wrong.length > 0 || computed(one) === before) process.exitCode = 1;
}

unwire();
try {
  wire();
  await check();
} finally {
  for (const { child } of programs) child.kill('SIGKILL');
  await Promise.all(programs.map(({ ended }) => ended));
  unwire();
  rmSync(dir, { recursive: true, force: true });
}
