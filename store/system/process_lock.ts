import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Returns when a process started, as an opaque text; null: no such process (a zombie counts as none). Together with the pid it identifies a
 * process for good, because pids are reused.
 */
function processStart(pid: number): string | null {
  if (process.platform === 'linux') {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      // The name field may contain spaces and brackets, so fields are counted from the last bracket.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null);
    } catch {
      return null;
    }
  }
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || null;
  } catch {
    return null;
  }
}

const shortHash = (start: string): string => createHash('sha256').update(start).digest('hex').slice(0, 12);

/** Returns whether another living process has its lock file in a folder; deletes the files of dead processes. */
function hasLivingOther(folder: string, ownFile: string): boolean {
  let hasOther = false;
  for (const name of readdirSync(folder)) {
    const match = /^lock-(\d+)-([0-9a-f]+)$/.exec(name);
    if (match === null || name === ownFile) continue;
    const start = processStart(Number(match[1]));
    if (start !== null && shortHash(start) === match[2]) hasOther = true;
    else rmSync(join(folder, name), { force: true });
  }
  return hasOther;
}

/** Lock files of this process: a lock file identifies a process, not one of its tasks. */
const heldFolders = new Set<string>();

/**
 * Takes the lock of a folder; null: a living process, or another task of this one, has it. Every contender writes a file named after itself
 * and then looks for others, so at least one of two contenders sees the other. Anyone can delete the file of a dead process at any time,
 * because its name is never reused.
 * @returns function that releases the lock
 */
export async function takeLock(folder: string): Promise<(() => void) | null> {
  const name = `lock-${process.pid}-${shortHash(processStart(process.pid) ?? '')}`;
  const path = join(folder, name);
  if (heldFolders.has(path)) return null;
  heldFolders.add(path);
  const release = (): void => {
    rmSync(path, { force: true });
    heldFolders.delete(path);
  };
  try {
    for (let lost = 0; lost < 3; lost++) {
      if (!hasLivingOther(folder, name)) {
        writeFileSync(path, '', { mode: 0o600 });
        if (!hasLivingOther(folder, name)) return release;
        rmSync(path, { force: true });
      }
      // Contenders that see one another all withdraw; the first to come back takes the lock.
      await sleep(10 + Math.random() * 80);
    }
  } catch (error) {
    release();
    throw error;
  }
  release();
  return null;
}
