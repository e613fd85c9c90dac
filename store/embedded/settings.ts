import { statfsSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { constrainedMemory } from 'node:process';

/**
 * For bulk loading on a small machine. Nothing is switched off for the server as a whole: data and log are flushed, and a commit waits
 * for the disk unless its session says otherwise, as those of worker threads do (`Durability` in store/database.ts).
 */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  max_connections: '200',
  wal_level: 'minimal',
  max_wal_senders: '0',
  work_mem: '32MB',
  max_wal_size: '4GB',
  checkpoint_timeout: '15min',
  // Whoever waits so long for a table that autovacuum looks at ends that: staged tables are emptied as soon as they were filled.
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

/** Bytes of memory that this process may use: those of the machine, or of the container. */
function memoryHere(): number {
  // 0 or a number beyond the machine's: there is no bound.
  const bound = constrainedMemory();
  return bound > 0 ? Math.min(bound, totalmem()) : totalmem();
}

/** A share of the memory in whole megabytes, within bounds. */
const share = (memory: number, divisor: number, least: number, most: number): string =>
  `${Math.round(Math.min(most, Math.max(least, memory / divisor / MB)))}MB`;

/**
 * Memory of the server on a machine of this size: shared buffers, memory to build an index without a file, and WAL buffers. With 6 GB:
 * 256, 128 and 16 MB, enough for a refresh of any size.
 */
export const memorySettings = (memory: number): Record<string, string> => ({
  shared_buffers: share(memory, 24, 128, 1024),
  maintenance_work_mem: share(memory, 48, 64, 512),
  wal_buffers: share(memory, 384, 16, 64),
});

/** Parallel queries exchange rows in /dev/shm, which containers make too small for them. */
function sharedMemory(): Record<string, string> {
  try {
    const room = statfsSync('/dev/shm');
    return room.bavail * room.bsize < 512_000_000 ? { dynamic_shared_memory_type: 'mmap' } : {};
  } catch {
    return {};
  }
}

/** Settings of the embedded server on this machine. A parallel query has a process for each core, three at most. */
export const serverSettings = (): Record<string, string> => ({
  ...SETTINGS,
  max_parallel_workers_per_gather: availableParallelism() > 2 ? '2' : '1',
  ...memorySettings(memoryHere()),
  ...sharedMemory(),
});
