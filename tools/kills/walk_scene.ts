import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../../schema/config.ts';
import { type EmbeddedServer, startEmbedded } from '../../store/embedded/server.ts';
import { embeddedStatus } from '../../test/embedded_status.ts';
import { withClient } from './kill_checks.ts';
import type { WalkRun } from './walk_run.ts';

const WORKER = fileURLToPath(new URL('../../test/jobs/worker_process.ts', import.meta.url));
/** How long a process may take to be gone, or to be ready. */
const LIMIT_MS = 60_000;

/** Stands still, as everything in this thread does. */
const standStill = (ms: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
};

/** Stands still until something holds. */
export function waitUntil(what: string, holds: () => boolean): void {
  for (let waited = 0; !holds(); waited += 5) {
    if (waited > LIMIT_MS) throw new Error(`waited ${LIMIT_MS} ms for ${what}`);
    standStill(5);
  }
}

/** Whether a process has ended, its files and sockets with it. */
function isGone(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return /^[ZX]$/.test(stat[stat.lastIndexOf(')') + 2]!);
  } catch {
    return true;
  }
}

/** Ends a process (SIGKILL) and stands still until it is gone. */
export function killNow(pid: number): void {
  process.kill(pid, 'SIGKILL');
  waitUntil(`the end of process ${pid}`, () => isGone(pid));
}

/** A server of PostgreSQL of a walk's own, and where its refreshes are told to work. */
export class Scene {
  readonly dir: string;
  readonly #file: string;
  readonly #held: EmbeddedServer[] = [];
  #server: EmbeddedServer | undefined;
  #database = 'walk';

  private constructor(dir: string, file: string) {
    this.dir = dir;
    this.#file = file;
  }

  static async open(dir: string, file: string): Promise<Scene> {
    mkdirSync(dir, { recursive: true });
    const scene = new Scene(dir, file);
    await scene.serve();
    return scene;
  }

  get #place(): string {
    return join(this.dir, 'postgres');
  }

  get url(): string {
    const url = new URL(this.#server!.connectionString);
    url.pathname = `/${this.#database}`;
    return url.toString();
  }

  /** What a refresh is given. */
  run(set: readonly string[]): WalkRun {
    return { url: this.url, file: this.#file, set };
  }

  /** Starts the server where it was killed. */
  async serve(): Promise<void> {
    if (this.#server !== undefined && embeddedStatus(this.#place).running) return;
    this.#server = await startEmbedded({ dataDir: this.#place });
    this.#held.push(this.#server);
  }

  /** Goes on with an empty database. */
  async fresh(name: string): Promise<void> {
    const before = this.#database;
    await withClient(this.#server!.connectionString, async (client) => {
      await client.query(`CREATE DATABASE ${name} TEMPLATE template0`);
      await client.query(`DROP DATABASE IF EXISTS ${before} WITH (FORCE)`);
    });
    this.#database = name;
  }

  /** Ends the server (SIGKILL to its first process); false where it is down already. */
  killServer(): boolean {
    const { pid } = embeddedStatus(this.#place);
    if (pid === null) return false;
    process.kill(pid, 'SIGKILL');
    return true;
  }

  /** Processes of the server that serve sessions of the database. */
  sessions(): number[] {
    const { pid } = embeddedStatus(this.#place);
    if (pid === null) return [];
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    return children
      .filter(Boolean)
      .map(Number)
      .filter((child) => {
        try {
          return readFileSync(`/proc/${child}/cmdline`, 'utf8').includes(` ${this.#database} `);
        } catch {
          return false;
        }
      });
  }

  async close(): Promise<void> {
    for (const server of this.#held) await server.release().catch(() => undefined);
    await rm(this.dir, { recursive: true, force: true });
  }
}

/** A Redis that can be killed and comes back empty on its port. */
export class Redis {
  readonly #port: number;
  readonly #dir: string;
  #child: ChildProcess;

  private constructor(port: number, dir: string) {
    this.#port = port;
    this.#dir = dir;
    this.#child = this.#spawn();
  }

  static async start(dir: string): Promise<Redis> {
    const probe = createServer();
    await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
    const { port } = probe.address() as { port: number };
    await new Promise((resolve) => probe.close(resolve));
    return new Redis(port, dir);
  }

  #spawn(): ChildProcess {
    const options = { port: this.#port, bind: '127.0.0.1', save: '', appendonly: 'no', dir: this.#dir };
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
    return spawn('redis-server', [...args, '--maxmemory-policy', 'noeviction'], { stdio: 'ignore' });
  }

  get url(): string {
    return `redis://127.0.0.1:${this.#port}/0`;
  }

  killAndRestart(): void {
    killNow(this.#child.pid!);
    this.#child = this.#spawn();
  }

  stop(): void {
    killNow(this.#child.pid!);
  }
}

/** Workers in processes of their own, which take batches. */
export class BatchWorkers {
  readonly #scene: Scene;
  readonly #config: Config;
  #workers: { child: ChildProcess; said: string }[] = [];
  #started = 0;

  /** `config`: a worker needs no dataset, since all that a batch reads is in the database. */
  constructor(scene: Scene, config: Config) {
    this.#scene = scene;
    this.#config = config;
  }

  /** Starts workers on the database of the scene until there are so many. */
  start(count: number): void {
    while (this.#workers.length < count) this.#spawn();
    for (const worker of this.#workers) this.#awaitReady(worker);
  }

  #spawn(): void {
    const said = join(this.#scene.dir, `worker_${this.#started++}.log`);
    const log = openSync(said, 'a');
    const { url } = this.#scene.run([]);
    const setting = { url, config: this.#config, base: '/nowhere', tasksOnly: true };
    const child = spawn(process.execPath, ['--import', 'tsx', WORKER, JSON.stringify(setting)], {
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.#workers.push({ child, said });
  }

  #awaitReady({ said }: { said: string }): void {
    waitUntil('a worker that is ready', () => readFileSync(said, 'utf8').includes('"event":"ready"'));
  }

  /** Kills the worker that has been there for longest, and starts another. */
  killOne(): void {
    const worker = this.#workers.shift()!;
    this.#awaitReady(worker);
    killNow(worker.child.pid!);
    this.#spawn();
  }

  stop(): void {
    for (const { child } of this.#workers.splice(0)) killNow(child.pid!);
  }

  /** Partitions that all of them said they computed. */
  computed(): number {
    let sum = 0;
    for (let i = 0; i < this.#started; i++) {
      const text = readFileSync(join(this.#scene.dir, `worker_${i}.log`), 'utf8');
      for (const [, n] of text.matchAll(/"event":"batch",.*"partitions":(\d+)/g)) sum += Number(n);
    }
    return sum;
  }
}
