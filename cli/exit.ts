/** Exit codes of every command. */
export const EXIT = {
  /** Published, or nothing had changed. */
  ok: 0,
  failed: 1,
  usage: 2,
  /** The audit refused; the publication before is still served. */
  refused: 3,
  /** A source could not be fetched; what was fetched before stays in use. */
  source: 5,
  /** Another run holds the lock. */
  locked: 75,
  /** Stopped by a signal; the next run resumes. */
  interrupted: 130,
} as const;
