import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * When a process started, as an opaque text; null when there is no such process (a zombie counts as none).
 * With the pid it names a process for good, because pids are used again.
 * @param {number} pid
 * @returns {string | null}
 */
export function processStart(pid) {
  if (process.platform === 'linux') {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      // The name field may hold spaces and brackets, so fields are counted from the last bracket.
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

/** @param {string} start */
const shortHash = (start) => createHash('sha256').update(start).digest('hex').slice(0, 12);

/**
 * The lock files in a folder whose owner is alive, other than one's own; files of dead owners are deleted.
 * @param {string} folder
 * @param {string} own
 * @returns {string[]}
 */
function livingOthers(folder, own) {
  const living = [];
  for (const name of readdirSync(folder)) {
    const match = /^supervisor-(\d+)-([0-9a-f]+)\.json$/.exec(name);
    if (match === null || name === own) continue;
    const start = processStart(Number(match[1]));
    if (start !== null && shortHash(start) === match[2]) living.push(name);
    else rmSync(join(folder, name), { force: true });
  }
  return living;
}

/**
 * Takes the lock of a folder for this process and publishes `content` in it; null when a living process has it.
 * Every contender writes a file named after itself and then looks for others, so of two contenders at least
 * one sees the other; a file of a dead process can be deleted by anyone at any time, because its name is never used again.
 * @param {string} folder
 * @param {object} content
 * @returns {Promise<string | null>} the path of the lock file, to be deleted to let go
 */
export async function takeLock(folder, content) {
  const name = `supervisor-${process.pid}-${shortHash(processStart(process.pid) ?? '')}.json`;
  const path = join(folder, name);
  for (let lost = 0; lost < 3; lost++) {
    if (livingOthers(folder, name).length === 0) {
      const temporary = join(folder, `.${name}.${randomBytes(4).toString('hex')}`);
      try {
        writeFileSync(temporary, JSON.stringify(content), { mode: 0o600 });
        renameSync(temporary, path);
      } catch (error) {
        rmSync(temporary, { force: true });
        throw error;
      }
      if (livingOthers(folder, name).length === 0) return path;
      rmSync(path, { force: true });
    }
    // Contenders that met withdraw all; whoever comes back first has it.
    await sleep(10 + Math.random() * 80);
  }
  return null;
}
