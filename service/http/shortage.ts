/** Seconds for which the service is not ready after a call failed for lack of space. Then it accepts calls again, to test for space. */
const NOT_READY_S = 10;

/** Codes of PostgreSQL for a full disk, a full temporary area, and too little memory. */
const REASONS: Readonly<Record<string, string>> = {
  '53100': 'The disk of the database is full.',
  '53200': 'The database has too little memory.',
  '53300': 'The database has no free connection.',
  '53400': 'The database has reached a configured limit of space.',
};

/** The resource that the database lacks. Null: another error. */
export const shortageOf = (error: unknown): string | null =>
  REASONS[(error as { code?: string }).code ?? ''] ?? null;

/** Keeps the last shortage of space, so that probes can report it. */
export class Shortage {
  #last: { reason: string; at: number } | null = null;

  /** Records an error if it is a shortage. */
  note(error: unknown): void {
    const reason = shortageOf(error);
    if (reason !== null) this.#last = { reason, at: performance.now() };
  }

  /** The resource that the database lacked within the last seconds. Null: none. */
  reason(): string | null {
    if (this.#last === null || performance.now() - this.#last.at > NOT_READY_S * 1000) return null;
    return this.#last.reason;
  }
}
