import { setTimeout as sleep } from 'node:timers/promises';

/**
 * What ends a test that hangs. It judges no speed: a machine may be as slow as it is, so everything below waits for its process or its
 * condition, and for no time of its own.
 */
export const HANG_MS = 15 * 60_000;

/** What a wait inside a test may take: less than the test, so that it can say what it waited for. */
export const WAIT_MS = 5 * 60_000;

/** For `vi.waitFor` and `expect.poll`. */
export const PATIENT = { timeout: WAIT_MS, interval: 50 };

/** Waits until `found` gives something, and gives it. */
export async function until<T>(
  what: string,
  found: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  const end = Date.now() + WAIT_MS;
  for (;;) {
    const result = await found();
    if (result !== undefined && result !== false) return result;
    if (Date.now() > end) throw new Error(`waited ${WAIT_MS} ms for ${what}`);
    await sleep(20);
  }
}
