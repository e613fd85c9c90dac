import { hash } from 'node:crypto';
import type { Queryable } from '../store/accounts/accounts.ts';
import { type CallContext, type Caller, callersOf } from '../store/accounts/calls.ts';
import { gather } from '../store/system/gather.ts';
import { unknownKey } from './refusal.ts';

/** Longest time for which a caller is let in without asking the database; the charge of a call asks it in any case. */
const REMEMBERED_MS = 1000;
/** Callers that are remembered; beyond them all are forgotten. */
const MOST = 10_000;

/** A caller as the database last said. */
export interface CachedCaller {
  caller: Caller;
  /** Version of the rate card in effect. */
  version: number | null;
  /** Whether it was said for this very call. */
  isFresh: boolean;
}

interface Remembered {
  caller: Caller;
  until: number;
}

/**
 * Finds the holder of a key. A caller is cached for a second with the balance after its last charge, to save a query per call. The charge
 * itself checks key, balance and rate card again.
 */
export class Callers {
  readonly #look: (digest: Buffer) => Promise<CallContext>;
  readonly #known = new Map<string, Remembered>();
  #version: { value: number | null; until: number } = { value: null, until: 0 };

  constructor(accounts: Queryable) {
    this.#look = gather((digests) => callersOf(accounts, digests));
  }

  /** Finds the holder of a key, from the cache if possible. @throws Refusal 401 */
  async of(key: string): Promise<CachedCaller> {
    const digest = hash('sha256', key, 'hex');
    const now = performance.now();
    const known = this.#known.get(digest);
    if (known !== undefined && known.until > now && this.#version.until > now)
      return { caller: known.caller, version: this.#version.value, isFresh: false };
    return this.#ask(digest);
  }

  /** Finds the holder of a key in the database. @throws Refusal 401 */
  now(key: string): Promise<CachedCaller> {
    return this.#ask(hash('sha256', key, 'hex'));
  }

  async #ask(digest: string): Promise<CachedCaller> {
    const { caller, version } = await this.#look(Buffer.from(digest, 'hex'));
    const until = performance.now() + REMEMBERED_MS;
    this.#version = { value: version, until };
    if (caller === null) {
      this.#known.delete(digest);
      throw unknownKey();
    }
    if (this.#known.size >= MOST) this.#known.clear();
    this.#known.set(digest, { caller, until });
    return { caller, version, isFresh: true };
  }
}
