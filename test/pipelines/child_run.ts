import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { TestDatabase } from '../database.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The command line as a process of its own, worker threads included. */
export interface ChildRun {
  child: ChildProcess;
  /** Everything it has written so far, both streams. */
  output(): string;
  /** What it has written to standard output so far. */
  stdout(): string;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** Starts `pipeline <args>`. Configuration in the environment of the test run does not reach it. */
export function pipeline(args: readonly string[], env: Record<string, string> = {}): ChildRun {
  const clean = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(PIPELINE_|DATABASE_URL|REDIS_URL|VITEST|NODE_)/.test(name),
    ),
  );
  const child = spawn(process.execPath, [join(ROOT, 'cli/start.mjs'), ...args], {
    cwd: ROOT,
    env: { ...clean, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let all = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    all += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    all += text;
  });
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal }));
  });
  return { child, output: () => all, stdout: () => stdout, ended };
}

/** Refreshes a database from a sample country's configuration, in a process of its own. */
export const refreshInChild = (url: string, dir: string, args: readonly string[] = []): ChildRun =>
  pipeline(['refresh', '-c', join(dir, 'config.yaml'), ...args], { DATABASE_URL: url });

/** Whether the process has ended. */
export const isOver = ({ child }: ChildRun): boolean => child.exitCode !== null || child.signalCode !== null;

/** Waits until a condition holds or the process ends. Returns whether it holds. */
export async function until(run: ChildRun, holds: () => boolean | Promise<boolean>): Promise<boolean> {
  while (!isOver(run)) {
    if (await holds()) return true;
    await sleep(4);
  }
  return false;
}

/** Whether a query on the database gives a row; false as long as its tables are not there. */
export const gives = (database: TestDatabase, sql: string) => async (): Promise<boolean> => {
  try {
    return (await database.query(sql)).length > 0;
  } catch {
    return false;
  }
};

/** Waits until the server has noticed that the sessions of a killed process are gone. */
export async function sessionsGone(database: TestDatabase): Promise<void> {
  const sql = `SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND application_name LIKE 'property-data-pipeline%'`;
  while ((await database.query(sql)).length > 0) await sleep(5);
}

/** Seeded numbers from 0 to 1. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
