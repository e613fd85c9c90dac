import { readdirSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { join } from 'node:path';
import { EtlError } from '../../schema/errors.ts';
import type { Places } from './cluster.ts';
import { dataFolderError, diskFull } from './cluster.ts';

interface Endpoint {
  pid: number;
  port: number;
  token: string;
}

type Message =
  | { event: 'hello' | 'stopping' | 'kept' }
  | { event: 'ready'; pid: number; port: number }
  | { event: 'error'; code: string; tail: string };

/** How long a supervisor may take to answer before it counts as none. */
const HELLO_MS = 3000;

/** A connection to a server's supervisor, which keeps the server running for as long as it is open. */
export interface Session {
  /** Port of the server. */
  port: number;
  /** Ends the session; settles when the server has stopped, or at once when other commands use it. */
  release(): Promise<void>;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The supervisors that published themselves; some may be dead. */
function endpoints(places: Places): Endpoint[] {
  try {
    const found: Endpoint[] = [];
    for (const name of readdirSync(places.run)) {
      if (!/^supervisor-.*\.json$/.test(name)) continue;
      try {
        found.push(JSON.parse(readFileSync(join(places.run, name), 'utf8')) as Endpoint);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === 'EACCES' && !isAlive(Number(name.split('-')[1]))) continue;
        if (code !== 'ENOENT') throw error;
      }
    }
    return found;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw dataFolderError(error, places.dataDir);
  }
}

function onMessages(socket: Socket, handle: (message: Message) => void): void {
  let rest = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      try {
        handle(JSON.parse(line) as Message);
      } catch {
        // Some other program listens on the port of a supervisor that is dead.
        socket.destroy();
      }
    }
  });
}

function startError(message: { code: string; tail: string }, places: Places): EtlError {
  if (message.code === 'disk_full') return diskFull(places.dataDir, message.tail);
  const tail = message.tail.trim().split('\n').slice(-12).join('\n');
  return new EtlError(
    'embedded_start_failed',
    `The embedded PostgreSQL did not start; ${places.log} has its log, which ends with:\n${tail}`,
    { details: { dataDir: places.dataDir, log: places.log } },
  );
}

function sessionOn(socket: Socket, port: number): Session {
  let closed = false;
  let done: Promise<void> | null = null;
  const ended = new Promise<void>((resolve) => {
    socket.on('close', () => {
      closed = true;
      resolve();
    });
  });
  const kept = new Promise<void>((resolve) => {
    onMessages(socket, (message) => {
      if (message.event === 'kept') resolve();
    });
  });
  const letGo = async () => {
    if (closed) return;
    socket.ref();
    socket.write(`${JSON.stringify({ want: 'release' })}\n`);
    await Promise.race([ended, kept]);
    socket.destroy();
  };
  // A command that forgets to let go still ends.
  socket.unref();
  return {
    port,
    release: () => {
      done ??= letGo();
      return done;
    },
  };
}

/** Joins one supervisor: a session, or null when it is dead, or has just ended, so that one should look again. */
function joinAt(endpoint: Endpoint, places: Places): Promise<Session | null> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: endpoint.port, host: '127.0.0.1' });
    const timer = setTimeout(() => socket.destroy(), HELLO_MS);
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(null);
    });
    socket.on('connect', () => {
      socket.write(`${JSON.stringify({ token: endpoint.token, want: 'hold' })}\n`);
    });
    onMessages(socket, (message) => {
      if (message.event === 'hello') clearTimeout(timer);
      if (message.event === 'ready') {
        socket.removeAllListeners('data');
        socket.removeAllListeners('close');
        resolve(sessionOn(socket, message.port));
      }
      if (message.event === 'error') {
        socket.destroy();
        reject(startError(message, places));
      }
    });
  });
}

/**
 * Joins the supervisor of a data folder and waits until its server takes connections.
 * @returns null when there is no supervisor; a supervisor that is stopping is waited for first.
 * @throws EtlError embedded_start_failed, disk_full, embedded_data_folder
 */
export async function joinSession(places: Places): Promise<Session | null> {
  for (const endpoint of endpoints(places)) {
    const session = await joinAt(endpoint, places);
    if (session !== null) return session;
  }
  return null;
}

/** Whether a supervisor that published itself is a living process. */
export function hasSupervisor(places: Places): boolean {
  return endpoints(places).some(({ pid }) => isAlive(pid));
}

/**
 * Has the supervisors of a data folder stop their server whoever uses it, and waits for it.
 * @returns whether there was one
 */
export async function endSessions(places: Places): Promise<boolean> {
  let ended = false;
  for (const endpoint of endpoints(places)) {
    const reached = await new Promise<boolean>((resolve) => {
      let connected = false;
      const socket = connect({ port: endpoint.port, host: '127.0.0.1' });
      socket.on('error', () => {});
      socket.on('connect', () => {
        connected = true;
        socket.write(`${JSON.stringify({ token: endpoint.token, want: 'stop' })}\n`);
      });
      socket.on('close', () => resolve(connected)).resume();
    });
    ended ||= reached;
  }
  return ended;
}
