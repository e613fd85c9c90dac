import { readFileSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { EtlError } from '../../schema/errors.ts';
import { PROGRAM } from '../database.ts';
import { lostConnection } from '../system/connection_error.ts';
import { takeLock } from '../system/process_lock.ts';
import { locateNative } from './binaries.ts';
import {
  claimFolder,
  type DataFolderPaths,
  dataFolderError,
  dataFolderFull,
  dataFolderPaths,
  EMBEDDED_USER,
  isFull,
  prepareLaunch,
} from './cluster.ts';
import { HOLD, type Postmaster, runningServer, startServer, stopServer } from './postmaster.ts';

/** Methods of a pg client that its types lack. */
type UnrefableClient = pg.Client & { ref(): void; unref(): void };

const DATABASE = 'pipeline';
/** Maximum attempts to start if the port was taken meanwhile, or processes of an ending server still run. */
const TRIES = 20;
/** Maximum wait for the server to report its other holders; a frozen server is left to the keeper. */
const LET_GO_MS = 5000;

/** Data folder of an embedded server, and the receiver of its log lines. */
export interface EmbeddedOptions {
  /** Created if missing; relative paths count from the working folder. */
  dataDir: string;
  log?(line: string): void;
  /** Folder with PostgreSQL's bin/, lib/ and share/; default: the npm package for this platform. */
  nativeDir?: string;
}

/** A running embedded server, which stops when the last command that uses it releases it or ends. */
export interface EmbeddedServer {
  /** URL of the database `pipeline`, as superuser, with password. */
  connectionString: string;
  /** Settles when the server has ended before this process released it, for example because it was killed. */
  ended: Promise<void>;
  /** Releases the server; settles when it has stopped, or at once if other commands use it. May be called twice. */
  release(): Promise<void>;
}

/** Returns the paths of a data folder by its real path, which identifies its server. */
export function placesAt(dataDir: string): DataFolderPaths {
  try {
    return dataFolderPaths(realpathSync(dataDir));
  } catch {
    return dataFolderPaths(resolve(dataDir));
  }
}

function urlOf(places: DataFolderPaths, port: number, database: string): string {
  const password = readFileSync(places.password, 'utf8').trim();
  return `postgresql://${EMBEDDED_USER}:${password}@127.0.0.1:${port}/${database}`;
}

/** Creates the pipeline's database if it is missing. */
async function ensureDatabase(client: pg.Client): Promise<void> {
  const existing = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE]);
  if (existing.rowCount !== 0) return;
  await client.query(`CREATE DATABASE ${DATABASE}`).catch((error: { code?: string }) => {
    // 42P04, 23505: another command has just created it.
    if (!['42P04', '23505'].includes(error.code ?? '')) throw error;
  });
}

/**
 * Opens a session that holds a server by a shared lock. Only the process that stops the server takes the lock exclusively; the session
 * loses it however this process ends.
 * @throws errors of lostConnection if the server is stopping or gone
 */
async function holdServer(places: DataFolderPaths, { pid, port }: Postmaster): Promise<UnrefableClient> {
  const client = new pg.Client({
    connectionString: urlOf(places, port, 'postgres'),
    application_name: `${PROGRAM} hold`,
  }) as UnrefableClient;
  // A server that stops between two queries emits an event, which would end the process if unhandled.
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(`SELECT pg_advisory_lock_shared(${HOLD})`);
    await ensureDatabase(client);
    // The lock may come from a server that released everything because it is stopping.
    const now = runningServer(places);
    if (now?.pid !== pid || now.state === 'stopping')
      throw Object.assign(new Error('the server is stopping'), { code: '57P01' });
    // A command that forgets to release the server still ends.
    client.unref();
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}

/** Returns whether no other command holds the server; no other can hold it until it has stopped. */
async function isLast(client: pg.Client): Promise<boolean> {
  const question = {
    text: `SELECT pg_advisory_unlock_shared(${HOLD}), pg_try_advisory_lock(${HOLD}) AS is_last`,
    query_timeout: LET_GO_MS,
  };
  return client.query<{ is_last: boolean }>(question).then(
    ({ rows }) => rows[0]!.is_last,
    () => false,
  );
}

function serverOf(places: DataFolderPaths, server: Postmaster, first: UnrefableClient): EmbeddedServer {
  let client = first;
  let done: Promise<void> | null = null;
  let sayEnded: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    sayEnded = resolve;
  });
  const use = (session: UnrefableClient): void => {
    client = session;
    client.once('end', () => void reconnect().catch(() => {}));
  };
  // A crash of one session ends all sessions, although the server continues.
  const reconnect = async (): Promise<void> => {
    while (done === null && runningServer(places)?.pid === server.pid) {
      await sleep(200, undefined, { ref: false });
      const session = await holdServer(places, server).catch(() => null);
      if (session !== null) return done === null ? use(session) : session.end();
    }
    if (done === null) sayEnded();
  };
  const release = async (): Promise<void> => {
    client.ref();
    if (await isLast(client)) await stopServer(server.pid, places);
    client.unref();
    client.end().catch(() => {});
  };
  use(first);
  return {
    connectionString: urlOf(places, server.port, DATABASE),
    ended,
    release: () => {
      done ??= release();
      return done;
    },
  };
}

/** Holds the server of a data folder once it accepts connections; null: none runs. Waits for a stopping server to end. */
async function join(places: DataFolderPaths): Promise<EmbeddedServer | null> {
  for (let refused = 0; ; await sleep(50)) {
    const server = runningServer(places);
    if (server === null) return null;
    if (server.state === 'stopping') await stopServer(server.pid, places);
    if (server.state !== 'ready') continue;
    try {
      return serverOf(places, server, await holdServer(places, server));
    } catch (error) {
      // It has just stopped, or it is recovering from a crash, which may take any time.
      const isRefused = (error as { code?: string }).code === 'ECONNREFUSED';
      if (lostConnection(error) === null || (isRefused && ++refused > 100)) throw error;
    }
  }
}

function startError(places: DataFolderPaths, printed: string): EtlError {
  if (isFull(places.dataDir, printed)) return dataFolderFull(places.dataDir, printed);
  return new EtlError(
    'embedded_start_failed',
    `The embedded PostgreSQL did not start; ${places.log} has its log, which ends with:\n` +
      printed.trim().split('\n').slice(-12).join('\n'),
    { details: { dataDir: places.dataDir, log: places.log } },
  );
}

/**
 * Starts the embedded PostgreSQL of a data folder, or joins it if it runs, and creates the database `pipeline`. The server runs while some
 * process holds it; a killed process no longer holds it.
 * @throws EtlError embedded_unavailable, embedded_postgres_root, embedded_version, embedded_data_folder, embedded_start_failed, disk_full
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const { dataDir, log = () => {}, nativeDir } = options;
  let places = placesAt(dataDir);
  try {
    for (let tries = 0; ; await sleep(50 + Math.random() * 100)) {
      const running = await join(places);
      if (running !== null) return running;
      claimFolder(places);
      places = placesAt(dataDir);
      // One command at a time creates the data and starts the server; the others join it.
      const release = await takeLock(places.run);
      if (release === null) continue;
      try {
        if (runningServer(places) !== null) continue;
        const failure = await startServer(
          await prepareLaunch(places, nativeDir ?? locateNative(), log),
          places,
        );
        const isPassing = /could not bind|pre-existing shared memory|could not create any TCP/i;
        if (failure !== null && (++tries === TRIES || !isPassing.test(failure)))
          throw startError(places, failure);
        if (failure !== null) await sleep(500);
        else log(`PostgreSQL runs with data in ${places.dataDir}`);
      } finally {
        release();
      }
    }
  } catch (error) {
    throw dataFolderError(error, places.dataDir);
  }
}
