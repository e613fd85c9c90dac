import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { until } from '../../waiting.ts';

const REPO = fileURLToPath(new URL('../../../', import.meta.url));

/** A process that holds an embedded server. */
export interface Holder {
  pid: number;
  /** The first line it printed: `ready URL` or `error CODE MESSAGE`. */
  line: string;
  connectionString: string;
  /** Lets go in order and waits for the end of the process. */
  release(): Promise<void>;
  kill(): Promise<void>;
}

/** A fresh folder that any user can enter. */
export function freshFolder(name = 'embedded'): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `${name}-`)));
  chmodSync(folder, 0o755);
  return folder;
}

/** Starts a process that holds the server of a folder, and waits for its first line. */
export async function startHolder(
  args: string[],
  options: { prefix?: string[]; env?: NodeJS.ProcessEnv; started?(pid: number): void } = {},
): Promise<Holder> {
  const script = fileURLToPath(new URL('./hold.ts', import.meta.url));
  const [command, ...rest] = [
    ...(options.prefix ?? []),
    process.execPath,
    '--import',
    'tsx',
    script,
    ...args,
  ];
  const child = spawn(command!, rest, {
    cwd: REPO,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: options.env ?? process.env,
  });
  options.started?.(child.pid!);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const line = await firstLine(child);
  const finish = (act: () => void) => () => {
    act();
    return ended;
  };
  return {
    pid: child.pid!,
    line,
    connectionString: line.replace(/^ready /, ''),
    release: finish(() => child.stdin!.end()),
    kill: finish(() => child.kill('SIGKILL')),
  };
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout! }).once('line', resolve);
    child.once('error', reject);
    child.once('exit', (code, signal) => reject(new Error(`ended before it was ready: ${code ?? signal}`)));
  });
}

/** The processes that work in a folder or name it in their arguments, as `pid arguments`. */
export function processesOf(folder: string): { pid: number; args: string }[] {
  if (process.platform !== 'linux') {
    const lines = execFileSync('ps', ['-axo', 'pid=,command='], { encoding: 'utf8' }).split('\n');
    return lines
      .filter((line) => line.includes(folder) && !line.includes('hold.ts'))
      .map((line) => ({ pid: Number.parseInt(line, 10), args: line }));
  }
  const found: { pid: number; args: string }[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    try {
      const args = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
      const cwd = readlinkSync(`/proc/${name}/cwd`);
      const inFolder = args.includes(folder) || cwd.startsWith(folder);
      if (inFolder && !args.includes('hold.ts')) found.push({ pid: Number(name), args });
    } catch {
      // It ended meanwhile, or belongs to another user.
    }
  }
  return found;
}

/** The pid of the process of a folder whose arguments contain a text. */
export function pidOf(folder: string, text: string): number {
  const found = processesOf(folder).find(({ args }) => args.includes(text));
  if (found === undefined) throw new Error(`no process of ${folder} has ${text} in its arguments`);
  return found.pid;
}

/** Waits until no process works in a folder. */
export async function processesGone(folder: string): Promise<void> {
  const left = (): string[] => processesOf(folder).map(({ pid, args }) => `${pid} ${args}`);
  await until('the end of the processes of a folder', () => left().length === 0).catch((error) => {
    throw new Error(`${error.message}; left: ${left().join(', ')}`);
  });
}

/** Ends what a failed test left behind, and removes the folder. */
export async function removeFolder(folder: string): Promise<void> {
  for (const { pid } of processesOf(folder)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
  await processesGone(folder);
  rmSync(folder, { recursive: true, force: true });
}

/** One value from a database. */
export async function queryOne(connectionString: string, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => {});
  await client.connect();
  try {
    const result = await client.query({ text: sql, rowMode: 'array' });
    return (result.rows as unknown[][])[0]?.[0];
  } finally {
    await client.end();
  }
}
