import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../source_tree.ts';

/** A service in a process of its own. */
export interface ChildService {
  child: ChildProcess;
  base_url: string;
  /** Resident memory, megabytes. */
  memoryMb(): number;
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
    { cwd: ROOT, stdio: ['ignore', 'pipe', 'ignore'] },
  );
  let line = '';
  for await (const chunk of child.stdout!) {
    line += chunk;
    if (line.includes('\n')) break;
  }
  const { base_url } = JSON.parse(line) as { base_url: string };
  const memoryMb = (): number =>
    Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)], { encoding: 'utf8' })) / 1024;
  return { child, base_url, memoryMb };
}
