import { execFileSync, spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { DataFolderPaths, Launch } from './cluster.ts';

/** Key of the advisory lock that commands share in the database `postgres` while they need the server. */
export const HOLD = 20_110_811;
const LOG_BYTES = 4_000_000;

/** A running server, as described in postmaster.pid. */
export interface Postmaster {
  pid: number;
  port: number;
  /** `starting`, `ready` or `stopping`. */
  state: string;
}

const pidFileOf = (places: DataFolderPaths): string => join(places.pgdata, 'postmaster.pid');

function readPidFile(places: DataFolderPaths): Postmaster | null {
  try {
    const lines = readFileSync(pidFileOf(places), 'utf8').split('\n');
    const pid = Number(lines[0]);
    return pid > 1 ? { pid, port: Number(lines[3]), state: (lines[7] ?? '').trim() } : null;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

/** Returns whether a pid is a server of this data folder, and not a later process with the same pid; a zombie has no command line. */
function isServerOf(pid: number, places: DataFolderPaths): boolean {
  try {
    const command =
      process.platform === 'linux'
        ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
        : execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
    return command.includes(` -D ${places.pgdata} `);
  } catch {
    return false;
  }
}

/** Returns the server of a data folder; null: none runs. */
export function runningServer(places: DataFolderPaths): Postmaster | null {
  const pidFile = readPidFile(places);
  return pidFile !== null && isServerOf(pidFile.pid, places) ? pidFile : null;
}

/** Stops a server: a fast shutdown, and after a minute harder ones, from which the next start recovers. */
export async function stopServer(pid: number, places: DataFolderPaths): Promise<void> {
  for (const [signal, seconds] of [
    ['SIGINT', 60],
    ['SIGQUIT', 15],
    ['SIGKILL', 15],
  ] as const) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended, which is the goal of the signal.
    }
    for (const until = Date.now() + seconds * 1000; Date.now() < until; ) {
      if (!isServerOf(pid, places)) return;
      await sleep(20);
    }
  }
}

/** Returns a currently free TCP port of the loopback interface. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}

function openLog(file: string): number {
  if (existsSync(file) && statSync(file).size > LOG_BYTES) renameSync(file, `${file}.1`);
  try {
    return openSync(file, 'a', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    // Root used this user's folder and left its own log.
    rmSync(file, { force: true });
    return openSync(file, 'a', 0o600);
  }
}

/** Starts the keeper process, which stops the server after killed commands; without it the next command does. */
function startKeeper(port: number, places: DataFolderPaths): void {
  const script = fileURLToPath(new URL('./keeper.mjs', import.meta.url));
  const args = ['--max-old-space-size=48', '--max-semi-space-size=1', script];
  const { NODE_OPTIONS: _, ...env } = process.env;
  const child = spawn(process.execPath, [...args, `${port}`, places.password, `${HOLD}`], {
    cwd: '/',
    detached: true,
    env,
    stdio: 'ignore',
  });
  child.on('error', () => {});
  child.unref();
}

/**
 * Starts the server of a data folder if none runs; only one process may call it at a time.
 * @returns null once it accepts connections, or its output if it failed to start
 */
export async function startServer(launch: Launch, places: DataFolderPaths): Promise<string | null> {
  // The pid in the file of a killed server may now belong to another process, which PostgreSQL would mistake for a server.
  if (runningServer(places) === null) rmSync(pidFileOf(places), { force: true });
  const port = await freePort();
  const log = openLog(places.log);
  const { size } = fstatSync(log);
  const args = ['-D', launch.pgdata, '-k', ''];
  for (const [name, value] of Object.entries({ ...launch.settings, port }))
    args.push('-c', `${name}=${value}`);
  const [command, ...rest] = [...launch.prefix, launch.postgres, ...args];
  const child = spawn(command!, rest, {
    cwd: '/',
    env: launch.env,
    stdio: ['ignore', log, log],
    detached: true,
    ...(launch.uid === null ? {} : { uid: launch.uid, gid: launch.gid ?? launch.uid }),
  });
  closeSync(log);
  let isOver = false;
  let message = '';
  child.on('exit', () => {
    isOver = true;
  });
  child.on('error', (error) => {
    isOver = true;
    message = error.message;
  });
  child.unref();
  for (let isKept = false; !isOver; await sleep(15)) {
    const file = readPidFile(places);
    // The file states the server's state once it listens.
    if (file === null || file.pid !== child.pid || file.state === '') continue;
    if (!isKept) startKeeper(port, places);
    isKept = true;
    if (file.state === 'ready') return null;
  }
  return readFileSync(places.log).subarray(size).toString() || message;
}
