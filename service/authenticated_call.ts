import type { RateCard } from '../schema/rate_card.ts';
import type { Caller } from '../store/accounts/calls.ts';
import type { RateLimitResult } from './rate_limit.ts';

/** An authenticated call: caller, key, rate card and arrival time. */
export interface AuthenticatedCall {
  caller: Caller;
  key: string;
  /** Whether caller and card are as the database said for this call, and not as it said a moment before. */
  isFresh: boolean;
  card: RateCard;
  came: number;
  /** What is left of the key's rate; null: no call was taken of it yet. */
  taken: RateLimitResult | null;
}
