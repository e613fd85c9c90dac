import type { RateCard } from '../../schema/rate_card.ts';
import type { Caller } from '../../store/accounts/calls.ts';
import type { RateLimitResult } from './rate_limit.ts';

/** An authenticated call: caller, key, rate card and arrival time. */
export interface AuthenticatedCall {
  caller: Caller;
  key: string;
  /** True: caller and card were read from the database for this call, not from the cache. */
  isFresh: boolean;
  card: RateCard;
  started: number;
  /** Remaining calls of the key's rate. Null: none was taken yet. */
  rateLimit: RateLimitResult | null;
}
