import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processStart } from './process_lock.mjs';

/** @typedef {{pid: number, port: number, state: string}} PidFile */
/** @typedef {import('node:child_process').ChildProcess} ChildProcess */
/**
 * @typedef {object} Launch how to run PostgreSQL
 * @property {string} dataDir
 * @property {string} pgdata
 * @property {string} postgres path of the server binary
 * @property {string[]} prefix command that starts the binary under another user, or empty
 * @property {number | null} uid
 * @property {number | null} gid
 * @property {Record<string, string>} env
 * @property {Record<string, string>} settings
 */

/**
 * What PostgreSQL says about itself in postmaster.pid; null when there is no readable file.
 * @param {string} pgdata
 * @returns {PidFile | null}
 */
export function readPidFile(pgdata) {
  try {
    const lines = readFileSync(join(pgdata, 'postmaster.pid'), 'utf8').split('\n');
    const pid = Number(lines[0]);
    return pid > 1 ? { pid, port: Number(lines[3]), state: (lines[7] ?? '').trim() } : null;
  } catch {
    return null;
  }
}

/**
 * Whether a pid is a PostgreSQL server of this data folder, and not a later process with the same pid.
 * @param {number} pid
 * @param {string} pgdata
 */
function isServerOf(pid, pgdata) {
  if (processStart(pid) === null) return false;
  try {
    // The server's working folder is its data folder.
    if (process.platform === 'linux') return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(pgdata);
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).includes(pgdata);
  } catch {
    return false;
  }
}

/** @param {number} pid @param {NodeJS.Signals} signal */
function signalProcess(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // It is gone, which is what the signal is for.
  }
}

/**
 * Stops a server: fast shutdown, and after a minute harder ones, which the next start recovers from.
 * @param {() => boolean} alive
 * @param {number} pid
 */
export async function stopServer(pid, alive) {
  for (const [signal, seconds] of /** @type {[NodeJS.Signals, number][]} */ ([
    ['SIGINT', 60],
    ['SIGQUIT', 15],
    ['SIGKILL', 15],
  ])) {
    signalProcess(pid, signal);
    for (let waited = 0; waited < seconds * 1000; waited += 20) {
      if (!alive()) return;
      await sleep(20);
    }
  }
}

/**
 * Ends a server that outlived its supervisor, and removes a postmaster.pid that names some other process.
 * @param {string} pgdata
 * @param {(line: string) => void} log
 */
export async function clearOrphan(pgdata, log) {
  const found = readPidFile(pgdata);
  if (found === null) return;
  if (isServerOf(found.pid, pgdata)) {
    log(`stopping PostgreSQL ${found.pid}, which nobody supervises`);
    await stopServer(found.pid, () => isServerOf(found.pid, pgdata));
  } else {
    log(`PostgreSQL ${found.pid} did not stop in order; its log is replayed`);
    rmSync(join(pgdata, 'postmaster.pid'), { force: true });
  }
}

/**
 * A TCP port of the loopback interface that is free at the moment.
 * @returns {Promise<number>}
 */
function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = /** @type {import('node:net').AddressInfo} */ (probe.address());
      probe.close(() => resolve(address.port));
    });
  });
}

/**
 * Starts a process that sends the server a fast shutdown when this process ends in whatever way.
 * @param {number} pid
 * @param {string} pgdata
 */
function startWatcher(pid, pgdata) {
  const script =
    'trap "" INT TERM HUP; read -r line; read -r first < "$2" && [ "$first" = "$1" ] && kill -INT "$1"';
  const watcher = spawn(
    '/bin/sh',
    ['-c', script, 'embedded-watcher', String(pid), join(pgdata, 'postmaster.pid')],
    {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    },
  );
  watcher.on('error', () => {});
  watcher.stdin.on('error', () => {});
  return watcher;
}

/**
 * @param {Launch} launch
 * @param {number} port
 * @returns {ChildProcess}
 */
function spawnServer(launch, port) {
  const settings = { ...launch.settings, port: String(port) };
  const args = ['-D', launch.pgdata, '-k', ''];
  for (const [name, value] of Object.entries(settings)) args.push('-c', `${name}=${value}`);
  const [command, ...rest] = [...launch.prefix, launch.postgres, ...args];
  return spawn(/** @type {string} */ (command), rest, {
    cwd: '/',
    env: launch.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    ...(launch.uid === null ? {} : { uid: launch.uid, gid: launch.gid ?? launch.uid }),
  });
}

/**
 * Keeps a watcher running, whatever happens to it.
 * @param {number} pid
 * @param {string} pgdata
 * @returns {() => void} to be called when the server has ended
 */
function keepWatcher(pid, pgdata) {
  let over = false;
  let watcher = startWatcher(pid, pgdata);
  const again = () => {
    if (over) return;
    watcher = startWatcher(pid, pgdata);
    watcher.on('exit', () => setTimeout(again, 200));
  };
  watcher.on('exit', () => setTimeout(again, 200));
  return () => {
    over = true;
    watcher.kill('SIGKILL');
  };
}

/**
 * Logs what a server prints, and keeps the last lines.
 * @param {ChildProcess} child
 * @param {(line: string) => void} log
 * @returns {string[]}
 */
function followOutput(child, log) {
  /** @type {string[]} */
  const tail = [];
  for (const stream of [child.stdout, child.stderr]) {
    let rest = '';
    stream?.setEncoding('utf8').on('data', (/** @type {string} */ chunk) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        log(line);
        tail.push(line);
        if (tail.length > 30) tail.shift();
      }
    });
  }
  return tail;
}

/**
 * @typedef {object} Running
 * @property {number} pid
 * @property {number} port
 * @property {Promise<void>} ended settles when the server has ended
 * @property {() => Promise<void>} stop
 */

/**
 * Starts the server once; `ready` settles with null, or with what the server printed before it gave up.
 * @param {Launch} launch
 * @param {number} port
 * @param {(line: string) => void} log
 * @returns {{running: Running, ready: Promise<string | null>}}
 */
function startOnce(launch, port, log) {
  const child = spawnServer(launch, port);
  const pid = child.pid ?? -1;
  const tail = followOutput(child, log);
  let over = false;
  /** @type {Promise<void>} */
  const ended = new Promise((resolve) => {
    child.on('error', (error) => {
      tail.push(error.message);
      over = true;
      resolve();
    });
    // 'exit' and not 'close': a stray server process could keep the pipes open.
    child.on('exit', () => {
      over = true;
      setTimeout(resolve, 20);
    });
  });
  const endWatch = pid > 1 ? keepWatcher(pid, launch.pgdata) : () => {};
  const done = ended.then(endWatch);
  const ready = (async () => {
    while (!over) {
      const file = readPidFile(launch.pgdata);
      if (file !== null && file.pid === pid && file.state === 'ready') return null;
      await sleep(15);
    }
    await ended;
    return tail.join('\n');
  })();
  const stop = async () => {
    if (pid > 1) await stopServer(pid, () => !over);
    await done;
  };
  return { running: { pid, port, ended: done, stop }, ready };
}

/**
 * Starts the server on a free port, trying again when the port was taken meanwhile or when processes of a
 * server that crashed are just ending. The answer carries the server's last lines when it does not start.
 * @param {Launch} launch
 * @param {(line: string) => void} log
 * @param {(running: Running) => void} started called at each try, before the server is ready
 * @returns {Promise<Running | string>}
 */
export async function startServer(launch, log, started) {
  let last = '';
  for (let attempt = 0; attempt < 20; attempt++) {
    const { running, ready } = startOnce(launch, await freePort(), log);
    started(running);
    const failure = await ready;
    if (failure === null) return running;
    last = failure;
    if (!/could not bind|pre-existing shared memory|could not create any TCP/i.test(failure)) return failure;
    await sleep(500);
  }
  return last;
}
