import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { EtlError } from '../../schema/errors.ts';
import { locateNative } from './binaries.ts';
import type { Launch, Places } from './cluster.ts';
import { dataFolderError, dataVersion, diskFull, EMBEDDED_USER, placesOf, prepareLaunch } from './cluster.ts';
import type { Session } from './session.ts';
import { endSessions, hasSupervisor, joinSession } from './session.ts';

/** The database that the pipeline works in. */
const DATABASE = 'pipeline';
/** How long to go on when other commands keep starting and stopping the server. */
const PATIENCE_MS = 120_000;
/** Codes of a connection that found the server gone, going, or not yet there. */
const LOST_CONNECTION = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', '57P01', '57P02', '57P03']);
/** The supervisor's exit code for a full disk. */
const FULL_DISK_EXIT = 28;

/** Where an embedded server keeps its data, and who hears what it does. */
export interface EmbeddedOptions {
  /** Made when missing; relative paths count from the working folder. */
  dataDir: string;
  log?(line: string): void;
  /** Folder with PostgreSQL's bin/, lib/ and share/; by default that of the npm package for this platform. */
  nativeDir?: string;
}

/** A running embedded server, which stops when the last command that uses it lets go or ends. */
export interface EmbeddedServer {
  /** URL of the database `pipeline`, as superuser, with password. */
  connectionString: string;
  /** Lets go; settles when the server has stopped, or at once when other commands use it. May be called twice. */
  release(): Promise<void>;
}

/** What is known of a data folder's server without starting it. */
export interface EmbeddedStatus {
  running: boolean;
  /** Null when not running, like `port`. */
  pid: number | null;
  port: number | null;
  /** Major version of PostgreSQL that made the data, such as '18'; null when there is no data. */
  version: string | null;
}

function openLog(file: string): number {
  try {
    return openSync(file, 'a', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    // Root used this user's folder and left a log of its own.
    rmSync(file, { force: true });
    return openSync(file, 'a', 0o600);
  }
}

/** Starts the process that owns the server; it outlives this one until the server has stopped. */
function spawnSupervisor(launch: Launch, places: Places): ChildProcess {
  const log = openLog(places.log);
  try {
    const script = fileURLToPath(new URL('./supervisor.mjs', import.meta.url));
    const args = ['--max-old-space-size=48', '--max-semi-space-size=1', script, JSON.stringify(launch)];
    const { NODE_OPTIONS: _, ...env } = process.env;
    const child = spawn(process.execPath, args, {
      cwd: '/',
      detached: true,
      env,
      stdio: ['ignore', 'ignore', log],
    });
    child.on('error', () => {});
    child.unref();
    return child;
  } finally {
    closeSync(log);
  }
}

/** Joins the supervisor that was just started, or whichever was first; null when it ended instead. */
async function joinStarted(child: ChildProcess, places: Places): Promise<Session | null> {
  for (;;) {
    const over = child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
    const session = await joinSession(places);
    if (session !== null || over) return session;
    await sleep(15);
  }
}

async function openSession(
  places: Places,
  nativeDir: string | undefined,
  log: (line: string) => void,
): Promise<Session> {
  const patience = Date.now() + PATIENCE_MS;
  for (let failures = 0; Date.now() < patience; ) {
    const joined = await joinSession(places);
    if (joined !== null) return joined;
    const launch = await prepareLaunch(places, nativeDir ?? locateNative(), log);
    const child = spawnSupervisor(launch, places);
    const session = await joinStarted(child, places);
    if (session !== null) return session;
    // 0: another command's supervisor was first.
    if (child.exitCode === FULL_DISK_EXIT) throw diskFull(places.dataDir, 'no space left on device');
    if (child.exitCode !== 0 && ++failures >= 3) break;
    await sleep(20 + Math.random() * 80);
  }
  throw new EtlError(
    'embedded_start_failed',
    `The embedded PostgreSQL in ${places.dataDir} did not start; ${places.log} has its log, which ends with:\n` +
      lastLines(places.log),
    { kind: 'transient', details: { dataDir: places.dataDir, log: places.log } },
  );
}

function lastLines(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim().split('\n').slice(-12).join('\n');
  } catch {
    return '(no log)';
  }
}

/** Makes the pipeline's database when it is missing, which also proves that the server takes connections. */
async function ensureDatabase(url: (database: string) => string): Promise<void> {
  const client = new pg.Client({ connectionString: url('postgres') });
  // A server that goes down between two queries says so by an event, which would end the process.
  client.on('error', () => {});
  await client.connect();
  try {
    const found = await client.query('select 1 from pg_database where datname = $1', [DATABASE]);
    if (found.rowCount === 0) await client.query(`create database ${DATABASE}`);
  } catch (error) {
    // 42P04, 23505: another command has just made it.
    if (!['42P04', '23505'].includes((error as { code?: string }).code ?? '')) throw error;
  } finally {
    await client.end();
  }
}

/**
 * Starts the embedded PostgreSQL of a data folder, or joins it when it runs, and makes the database `pipeline`.
 * The server runs for as long as some process holds it; a process that is killed no longer holds it.
 * @throws EtlError embedded_unavailable, embedded_postgres_root, embedded_version, embedded_data_folder,
 * embedded_start_failed, disk_full
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(options);
    } catch (error) {
      if (attempt === 5 || !LOST_CONNECTION.has((error as { code?: string }).code ?? '')) throw error;
      // The server went down just as this command joined it; its supervisor is about to notice.
      await sleep(100 * attempt);
    }
  }
}

async function startOnce(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const places = placesOf(resolve(options.dataDir));
  const session = await openSession(places, options.nativeDir, options.log ?? (() => {}));
  try {
    const password = readFileSync(places.password, 'utf8').trim();
    const url = (database: string) =>
      `postgresql://${EMBEDDED_USER}:${password}@127.0.0.1:${session.port}/${database}`;
    await ensureDatabase(url);
    options.log?.(`PostgreSQL runs on 127.0.0.1:${session.port} with data in ${places.dataDir}`);
    return { connectionString: url(DATABASE), release: session.release };
  } catch (error) {
    await session.release();
    throw dataFolderError(error, places.dataDir);
  }
}

/**
 * Stops the server of a data folder whoever uses it, and waits until it has stopped.
 * @returns whether one was running
 */
export function stopEmbedded(dataDir: string): Promise<boolean> {
  return endSessions(placesOf(resolve(dataDir)));
}

/** Says whether the server of a data folder runs, from its files and processes alone. */
export function embeddedStatus(dataDir: string): EmbeddedStatus {
  const places = placesOf(resolve(dataDir));
  const version = dataVersion(places);
  try {
    const lines = readFileSync(join(places.pgdata, 'postmaster.pid'), 'utf8').split('\n');
    const pid = Number(lines[0]);
    process.kill(pid, 0);
    // A server that was killed leaves its file behind, and its pid may be some other process by now.
    if (!hasSupervisor(places)) return { running: false, pid: null, port: null, version };
    return { running: true, pid, port: Number(lines[3]), version };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ESRCH') throw dataFolderError(error, places.dataDir);
    return { running: false, pid: null, port: null, version };
  }
}
