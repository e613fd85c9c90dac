// Owns one PostgreSQL server for as long as a command holds a connection to this process.
// Plain JavaScript, because it must start without a loader and stay small.
import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { clearOrphan, startServer } from './postmaster.mjs';
import { takeLock } from './process_lock.mjs';

/** @typedef {import('node:net').Socket} Socket */
/** @typedef {import('./postmaster.mjs').Running} Running */

/** How long a server waits for another command after one that ended without saying so. */
const GRACE_MS = 500;
/** How long it waits for the command that asked for it. */
const FIRST_CLIENT_MS = 5000;
const LOG_BYTES = 4_000_000;
/** Exit code by which the command learns what a full disk does not let the log say. */
const FULL_DISK_EXIT = 28;

const launch = /** @type {import('./postmaster.mjs').Launch} */ (JSON.parse(process.argv[2] ?? '{}'));
const logFile = join(launch.dataDir, 'embedded.log');
const token = randomBytes(16).toString('hex');
/** @type {Set<Socket>} */
const holders = new Set();
/** @type {Set<Socket>} */
const leavers = new Set();
/** @type {'starting' | 'ready' | 'stopping'} */
let state = 'starting';
/** @type {Running | null} */
let running = null;
/** @type {string | null} */
let lockFile = null;
/** @type {NodeJS.Timeout | undefined} */
let timer;
/** @type {object | null} */
let failure = null;

/** @param {string} line */
function log(line) {
  try {
    if (existsSync(logFile) && statSync(logFile).size > LOG_BYTES) renameSync(logFile, `${logFile}.1`);
    appendFileSync(logFile, `${line}\n`, { mode: 0o600 });
  } catch {
    // A full disk or a deleted folder must not end the server's owner.
  }
}

/** @param {string} line */
const note = (line) => log(`${new Date().toISOString()} supervisor ${process.pid}: ${line}`);

/** @param {Socket} socket @param {object} message */
function send(socket, message) {
  if (!socket.destroyed) socket.write(`${JSON.stringify(message)}\n`);
}

/** @param {Socket} socket */
function sendReady(socket) {
  send(socket, { event: 'ready', pid: running?.pid, port: running?.port });
}

/** @param {number} [code] */
function leave(code = 0) {
  if (lockFile !== null) rmSync(lockFile, { force: true });
  // Open connections close with the process: for a client that waits, the end of the connection is the end of it all.
  process.exit(code);
}

/** @param {string} why */
async function stop(why) {
  if (state === 'stopping') return;
  state = 'stopping';
  clearTimeout(timer);
  note(`stopping: ${why}`);
  try {
    await running?.stop();
    note('stopped');
  } finally {
    leave();
  }
}

/** @param {number} milliseconds @param {string} why */
function stopSoon(milliseconds, why) {
  clearTimeout(timer);
  timer = setTimeout(() => {
    if (holders.size === 0) void stop(why);
  }, milliseconds);
}

/** @param {Socket} socket */
function hold(socket) {
  if (state === 'stopping') return send(socket, failure ?? { event: 'stopping' });
  clearTimeout(timer);
  holders.add(socket);
  for (const leaver of leavers) send(leaver, { event: 'kept' });
  leavers.clear();
  if (state === 'ready') sendReady(socket);
}

/** @param {Socket} socket */
function letGo(socket) {
  if (!holders.delete(socket) && !leavers.has(socket)) return;
  if (holders.size > 0) return send(socket, { event: 'kept' });
  leavers.add(socket);
  stopSoon(0, 'the last command let go');
}

/** @param {Socket} socket */
function gone(socket) {
  leavers.delete(socket);
  if (holders.delete(socket) && holders.size === 0) stopSoon(GRACE_MS, 'the last command ended');
}

/** @param {Socket} socket */
function serve(socket) {
  let trusted = false;
  let rest = '';
  socket.setEncoding('utf8');
  socket.on('error', () => {});
  socket.on('close', () => gone(socket));
  socket.on('data', (/** @type {string} */ chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > 10_000) return socket.destroy();
    for (const line of lines) {
      try {
        const message = JSON.parse(line);
        trusted ||= message.token === token;
        if (!trusted) throw new Error('not one of ours');
        if (message.want === 'hold') {
          send(socket, { event: 'hello' });
          hold(socket);
        } else if (message.want === 'release') letGo(socket);
        else if (message.want === 'stop') void stop('asked to');
      } catch {
        socket.destroy();
      }
    }
  });
}

/** @param {string} tail */
function fail(tail) {
  const full = /no space left on device|disk quota exceeded|ENOSPC|EDQUOT/i.test(tail);
  note('PostgreSQL did not start');
  failure = { event: 'error', code: full ? 'disk_full' : 'embedded_start_failed', tail };
  state = 'stopping';
  clearTimeout(timer);
  for (const socket of holders) send(socket, failure);
  // Time for whoever asked for the server to hear why there is none.
  setTimeout(() => leave(full ? FULL_DISK_EXIT : 1), 300);
}

async function main() {
  const server = createServer(serve);
  await new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(null));
  });
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  lockFile = await takeLock(join(launch.dataDir, 'run'), { pid: process.pid, port, token });
  if (lockFile === null) process.exit(0);
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => void stop(signal));
  }
  stopSoon(FIRST_CLIENT_MS, 'no command came');
  note('started');
  await clearOrphan(launch.pgdata, note);
  // A stop that was asked for meanwhile has ended this process.
  const result = await startServer(launch, log, (each) => {
    running = each;
  });
  if (/** @type {string} */ (state) === 'stopping') return;
  if (typeof result === 'string') return fail(result);
  state = 'ready';
  note(`PostgreSQL ${result.pid} is ready on port ${result.port}`);
  for (const socket of holders) sendReady(socket);
  void result.ended.then(() => {
    if (state === 'stopping') return;
    note('PostgreSQL ended by itself');
    leave();
  });
  setInterval(() => {
    if (lockFile !== null && !existsSync(lockFile)) void stop('the data folder was removed');
  }, 2000);
}

main().catch((error) => {
  note(`failed: ${error?.stack ?? error}`);
  fail(String(error?.message ?? error));
});
