import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { EtlError } from '../../schema/errors.ts';
import { takeLock } from '../system/process_lock.ts';
import { diskError } from './durable.ts';

/**
 * Runs `work` while no other process or task downloads into the same folder. The lock of a dead process is ignored, so a crash leaves
 * nothing to clean up.
 * @throws EtlError fetch_locked
 */
export async function withDownloadLock<T>(
  folder: string,
  dataset: string,
  work: () => Promise<T>,
): Promise<T> {
  const lockFile = join(folder, '.lock');
  await mkdir(lockFile, { recursive: true }).catch((error) => Promise.reject(diskError(error, lockFile)));
  const release = await takeLock(lockFile);
  if (release === null)
    throw new EtlError(
      'fetch_locked',
      `Another process is fetching ${dataset}. Wait for it, then fetch again.`,
      {
        kind: 'transient',
        details: { dataset },
      },
    );
  try {
    return await work();
  } finally {
    release();
  }
}
