import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { EtlError } from '../../schema/errors.ts';
import { takeLock } from '../embedded/process_lock.mjs';
import { diskError } from './durable.ts';

/** Folders that this process holds: the lock file tells processes apart, not the tasks of one. */
const held = new Set<string>();

/**
 * Does `work` while no other process or task downloads into the same folder. The lock of a process that is dead counts
 * for nothing, so there is none to clear after a crash.
 * @throws EtlError fetch_locked
 */
export async function withDownloadLock<T>(
  folder: string,
  dataset: string,
  work: () => Promise<T>,
): Promise<T> {
  const busy = (): EtlError =>
    new EtlError('fetch_locked', `Another process is fetching ${dataset}. Wait for it, then fetch again.`, {
      kind: 'transient',
      details: { dataset },
    });
  if (held.has(folder)) throw busy();
  held.add(folder);
  try {
    const place = join(folder, '.lock');
    await mkdir(place, { recursive: true }).catch((error) => Promise.reject(diskError(error, place)));
    const lock = await takeLock(place, { pid: process.pid });
    if (lock === null) throw busy();
    try {
      return await work();
    } finally {
      await rm(lock, { force: true });
    }
  } finally {
    held.delete(folder);
  }
}
