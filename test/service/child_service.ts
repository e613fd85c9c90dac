import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WebSocket } from 'undici';
import { ROOT } from '../source_tree.ts';

/** A service in a process of its own. */
export interface ChildService {
  child: ChildProcess;
  base_url: string;
  /** Resident memory, megabytes. */
  memoryMb(): number;
  /** Collects its garbage, over the protocol of its debugger. */
  collectGarbage(): Promise<void>;
}

/** Serves a database from a process of its own; `dir`: a folder for its configuration. */
export async function startChildService(
  dir: string,
  url: string,
  set: readonly string[] = [],
): Promise<ChildService> {
  const config = join(dir, 'child.yaml');
  writeFileSync(config, `database:\n  url: ${url}\n`);
  const all = ['service.port=0', 'service.loop_delay_ms=60000', ...set];
  const child = spawn(
    process.execPath,
    ['cli/start.mjs', 'serve', '--config', config, '--json', ...all.flatMap((one) => ['--set', one])],
    {
      cwd: ROOT,
      env: { ...process.env, NODE_OPTIONS: '--inspect=127.0.0.1:0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let errors = '';
  child.stderr!.on('data', (chunk) => {
    errors += chunk;
  });
  let line = '';
  for await (const chunk of child.stdout!) {
    line += chunk;
    if (line.includes('\n')) break;
  }
  const { base_url } = JSON.parse(line) as { base_url: string };
  const memoryMb = (): number =>
    Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)], { encoding: 'utf8' })) / 1024;
  const collectGarbage = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const debug = new WebSocket(/ws:\S+/.exec(errors)![0]);
      debug.onerror = reject;
      debug.onopen = () => debug.send('{"id":1,"method":"HeapProfiler.collectGarbage"}');
      debug.onmessage = () => {
        debug.close();
        resolve();
      };
    });
  return { child, base_url, memoryMb, collectGarbage };
}
