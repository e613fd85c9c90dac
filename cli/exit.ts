import { isUsage } from '../schema/error_codes.ts';

/** Exit codes of every command. */
export const EXIT = {
  /** Published, or nothing had changed. */
  ok: 0,
  failed: 1,
  usage: 2,
  /** The audit refused to publish; the previous publication is still served. */
  refused: 3,
  /** Done, but some datasets could not be read and keep their previous load. */
  kept: 4,
  /** A source could not be fetched; the previous files stay in use. */
  source: 5,
  /** Another run holds the lock. */
  locked: 75,
  /** Stopped by a signal; the next run resumes. */
  interrupted: 130,
} as const;

/** Error codes of failed deliveries by a publisher. */
const OF_SOURCE: ReadonlySet<string> = new Set(['source_unavailable', 'download_damaged']);
const OF_LOCK: ReadonlySet<string> = new Set(['locked', 'fetch_locked']);

/** Exit code of a command that failed with an error code. */
export function exitOf(code: string): number {
  if (isUsage(code)) return EXIT.usage;
  if (OF_SOURCE.has(code)) return EXIT.source;
  return OF_LOCK.has(code) ? EXIT.locked : EXIT.failed;
}
