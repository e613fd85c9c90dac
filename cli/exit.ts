import { isUsage } from '../schema/error_codes.ts';

/** Exit codes of every command. */
export const EXIT = {
  /** Published, or nothing had changed. */
  ok: 0,
  failed: 1,
  usage: 2,
  /** The audit refused; the publication before is still served. */
  refused: 3,
  /** Done, but datasets that could not be read are in service as they were loaded last. */
  kept: 4,
  /** A source could not be fetched; what was fetched before stays in use. */
  source: 5,
  /** Another run holds the lock. */
  locked: 75,
  /** Stopped by a signal; the next run resumes. */
  interrupted: 130,
} as const;

/** Codes that mean that a publisher did not deliver. */
const OF_SOURCE: ReadonlySet<string> = new Set(['source_unavailable', 'download_damaged']);
const OF_LOCK: ReadonlySet<string> = new Set(['locked', 'fetch_locked']);

/** The exit code of a command that failed with an error code. */
export function exitOf(code: string): number {
  if (isUsage(code)) return EXIT.usage;
  if (OF_SOURCE.has(code)) return EXIT.source;
  return OF_LOCK.has(code) ? EXIT.locked : EXIT.failed;
}
