import { statfsSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { constrainedMemory } from 'node:process';

/**
 * Settings for bulk loading on a small machine. The server keeps all its safety: data and log are flushed. A commit waits for the disk
 * unless its session is set otherwise, as sessions of worker threads are (`Durability` in store/database.ts).
 */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  max_connections: '200',
  wal_level: 'minimal',
  max_wal_senders: '0',
  work_mem: '32MB',
  max_wal_size: '4GB',
  checkpoint_timeout: '15min',
  // A session that waits this long for autovacuum to release a table cancels it: staged tables are emptied right after they were filled.
  deadlock_timeout: '100ms',
  fsync: 'on',
  synchronous_commit: 'on',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  logging_collector: 'off',
  log_destination: 'stderr',
};

const MB = 2 ** 20;

/** Returns the bytes of memory that this process may use: the memory of the machine or of the container. */
function memoryHere(): number {
  // 0 or a number above the machine's memory: no limit.
  const bound = constrainedMemory();
  return bound > 0 ? Math.min(bound, totalmem()) : totalmem();
}

/** Formats a share of the memory in whole megabytes, within bounds. */
const share = (memory: number, divisor: number, least: number, most: number): string =>
  `${Math.round(Math.min(most, Math.max(least, memory / divisor / MB)))}MB`;

/**
 * Returns the memory settings for a machine of this size: shared buffers, memory to build an index without a file, and WAL buffers. With 6
 * GB: 256, 128 and 16 MB, enough for a refresh of any size.
 */
export const memorySettings = (memory: number): Record<string, string> => ({
  shared_buffers: share(memory, 24, 128, 1024),
  maintenance_work_mem: share(memory, 48, 64, 512),
  wal_buffers: share(memory, 384, 16, 64),
});

/** Avoids /dev/shm if it is small, as in containers: parallel queries exchange rows there. */
function sharedMemory(): Record<string, string> {
  try {
    const space = statfsSync('/dev/shm');
    return space.bavail * space.bsize < 512_000_000 ? { dynamic_shared_memory_type: 'mmap' } : {};
  } catch {
    return {};
  }
}

/** Returns the settings of the embedded server on this machine. A parallel query has a process for each core, at most three. */
export const serverSettings = (): Record<string, string> => ({
  ...SETTINGS,
  max_parallel_workers_per_gather: availableParallelism() > 2 ? '2' : '1',
  ...memorySettings(memoryHere()),
  ...sharedMemory(),
});
