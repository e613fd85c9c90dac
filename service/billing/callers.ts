import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Queryable } from '../../store/accounts/accounts.ts';
import { type CallContext, type Caller, callersOf } from '../../store/accounts/calls.ts';
import { gather } from '../../store/system/gather.ts';
import { unknownKey } from '../http/refusal.ts';

/** Maximum age of a cached caller, milliseconds. The charge of a call always asks the database. */
const REMEMBERED_MS = 1000;
/** Maximum cached callers; above it the one that called longest ago is dropped. */
const MOST = 10_000;

/** A caller as last read from the database. */
export interface CachedCaller {
  caller: Caller;
  /** Version of the rate card in effect. */
  version: number | null;
  /** True: read for this call. */
  isFresh: boolean;
}

/**
 * Finds the holder of a key. A caller is cached for a second with the balance after its last charge, to save a query per call. The charge
 * itself checks key, balance and rate card again.
 */
export class Callers {
  readonly #look: (digest: Buffer) => Promise<CallContext>;
  readonly #cache = new LRUCache<string, Caller>({ max: MOST, ttl: REMEMBERED_MS });
  #version: { value: number | null; until: number } = { value: null, until: 0 };

  constructor(accounts: Queryable) {
    this.#look = gather((digests) => callersOf(accounts, digests));
  }

  /** Finds the holder of a key, from the cache if possible. @throws Refusal 401 */
  async of(key: string): Promise<CachedCaller> {
    const digest = hash('sha256', key, 'hex');
    const caller = this.#cache.get(digest);
    if (caller !== undefined && this.#version.until > performance.now())
      return { caller, version: this.#version.value, isFresh: false };
    return this.#readCaller(digest);
  }

  /** Finds the holder of a key in the database. @throws Refusal 401 */
  now(key: string): Promise<CachedCaller> {
    return this.#readCaller(hash('sha256', key, 'hex'));
  }

  async #readCaller(digest: string): Promise<CachedCaller> {
    const { caller, version } = await this.#look(Buffer.from(digest, 'hex'));
    this.#version = { value: version, until: performance.now() + REMEMBERED_MS };
    if (caller === null) {
      this.#cache.delete(digest);
      throw unknownKey();
    }
    this.#cache.set(digest, caller);
    return { caller, version, isFresh: true };
  }
}
