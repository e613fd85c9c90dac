import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { attempt, type Check, type CheckResult, fail, pass, size, warn } from './check.ts';

/** Minimum version of Node.js, as in package.json. */
export const MIN_NODE = '20.19';
/** Minimum major version of Node.js that gets security fixes. */
const SUPPORTED_NODE = 22;
/** Disk space of a refresh for each byte of the releases: records, indexes, outputs, journal and log. */
const DISK_FACTOR = 12;
const MIN_DISK_BYTES = 1e9;

/** Checks whether this Node.js is recent enough. */
export function nodeFinding(version: string): CheckResult {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [minMajor = 0, minMinor = 0] = MIN_NODE.split('.').map(Number);
  const enough = major > minMajor || (major === minMajor && minor >= minMinor);
  if (!enough) return fail(`Node.js ${version} is too old: install ${MIN_NODE} or later.`);
  return major < SUPPORTED_NODE
    ? warn(`Node.js ${version} works, but gets no security fixes since April 2026. Install Node.js 24.`)
    : pass(`Node.js ${version}`);
}

/** Returns the path, or the nearest existing folder above it. */
async function nearestThere(path: string): Promise<string> {
  const stats = await stat(path).catch(() => null);
  return stats || dirname(path) === path ? path : nearestThere(dirname(path));
}

async function folderFinding(folder: string, embedded: boolean): Promise<CheckResult> {
  const problem = embedded ? fail : warn;
  const existing = await nearestThere(folder);
  const remedy = 'Choose another folder with --data-dir, or fix its owner and mode.';
  if (!(await stat(existing)).isDirectory()) return problem(`${existing} is not a folder. ${remedy}`);
  try {
    await access(existing, constants.W_OK | constants.X_OK);
  } catch (error) {
    return problem(`${folder} is not writable: ${(error as Error).message}. ${remedy}`);
  }
  return pass(existing === folder ? `${folder} is writable` : `${folder} can be created`);
}

async function diskFinding(folder: string, releaseBytes: number, embedded: boolean): Promise<CheckResult> {
  const space = await statfs(await nearestThere(folder));
  const free = space.bavail * space.bsize;
  const need = Math.max(MIN_DISK_BYTES, releaseBytes * DISK_FACTOR);
  if (!embedded) {
    return pass(
      `${size(free)} free here; a first refresh needs about ${size(need)} on the disk of the database server`,
    );
  }
  const text = `${size(free)} free; a first refresh of ${size(releaseBytes)} of releases needs about ${size(need)}`;
  return free >= need ? pass(text) : warn(`${text}. Make room, or choose another disk with --data-dir.`);
}

/**
 * Checks this machine: Node.js, data folder, free disk.
 * @param options.releaseBytes total size of the configured releases
 * @param options.embedded whether the database is in the data folder; if not, the folder only causes warnings
 */
export async function machineChecks(options: {
  dataDir: string;
  releaseBytes: number;
  embedded: boolean;
}): Promise<Check[]> {
  const { dataDir, releaseBytes, embedded } = options;
  return [
    await attempt('node', () => nodeFinding(process.versions.node)),
    await attempt('data folder', () => folderFinding(dataDir, embedded)),
    await attempt('disk', () => diskFinding(dataDir, releaseBytes, embedded)),
  ];
}
