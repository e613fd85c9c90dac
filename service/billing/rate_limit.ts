import { once } from 'node:events';
import { Redis } from 'ioredis';

/** Rate of a key: sustained and burst. */
export interface Rate {
  per_s: number;
  burst: number;
}

/** Result of taking calls. */
export interface RateLimitResult {
  /** 0: the calls may be made now. Else the seconds until they may. */
  wait_s: number;
  /** Calls left in the burst. */
  remaining: number;
  /** Seconds until the burst is full again. */
  reset_s: number;
}

/** Rate limiter of keys. */
export interface RateLimit {
  take(keyId: number, rate: Rate, calls?: number): Promise<RateLimitResult> | RateLimitResult;
  close(): Promise<void>;
}

/** Maximum buckets before full ones are removed. A full bucket equals a new one. */
const KEPT = 10_000;

const takenOf = (tokens: number, wait_s: number, { per_s, burst }: Rate): RateLimitResult => ({
  wait_s,
  remaining: Math.floor(tokens),
  reset_s: Math.ceil((burst - tokens) / per_s),
});

/** Headers of the IETF draft "RateLimit header fields for HTTP": the policy and the remaining calls. */
export const rateHeaders = (
  { burst, per_s }: Rate,
  { remaining, reset_s }: RateLimitResult,
): Record<string, string> => ({
  'ratelimit-policy': `"key";q=${burst};w=${Math.ceil(burst / per_s)}`,
  ratelimit: `"key";r=${remaining};t=${reset_s}`,
});

/** Limits keys with token buckets in the memory of one process. */
export function memoryLimit(now: () => number = () => performance.now() / 1000): RateLimit {
  const buckets = new Map<number, { tokens: number; at: number; full_at: number }>();
  return {
    take(keyId, rate, calls = 1) {
      const { per_s, burst } = rate;
      const at = now();
      const bucket = buckets.get(keyId);
      const heldTokens =
        bucket === undefined ? burst : Math.min(burst, bucket.tokens + (at - bucket.at) * per_s);
      const wait = heldTokens < calls ? (calls - heldTokens) / per_s : 0;
      const tokens = wait > 0 ? heldTokens : heldTokens - calls;
      if (bucket === undefined && buckets.size >= KEPT)
        for (const [id, { full_at }] of buckets) if (full_at <= at) buckets.delete(id);
      buckets.set(keyId, { tokens, at, full_at: at + (burst - tokens) / per_s });
      return takenOf(tokens, wait, rate);
    },
    close: async () => undefined,
  };
}

/** The same bucket in Redis, by the clock of Redis: its tokens and the time of the last call. */
const SCRIPT = `
local time = redis.call('TIME')
local now = tonumber(time[1]) + tonumber(time[2]) / 1000000
local rate, burst, calls = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local held = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens = tonumber(held[1]) or burst
local at = tonumber(held[2]) or now
tokens = math.min(burst, tokens + math.max(0, now - at) * rate)
local wait = 0
if tokens < calls then wait = (calls - tokens) / rate else tokens = tokens - calls end
redis.call('HSET', KEYS[1], 'tokens', tostring(tokens), 'at', tostring(now))
redis.call('EXPIRE', KEYS[1], math.ceil(burst / rate) + 1)
return {tostring(wait), tostring(tokens)}`;

/** Maximum wait for Redis at the start. */
const CONNECT_MS = 1000;

/** Limits keys with token buckets in Redis, shared by several processes. `alone` limits while Redis does not answer. */
export async function redisLimit(url: string, fallback: RateLimit): Promise<RateLimit> {
  const redis = new Redis(url, { maxRetriesPerRequest: 0, enableOfflineQueue: false, commandTimeout: 500 });
  redis.on('error', () => undefined);
  await once(redis, 'ready', { signal: AbortSignal.timeout(CONNECT_MS) }).catch(() => undefined);
  return {
    async take(keyId, rate, calls = 1) {
      try {
        const reply = await redis.eval(SCRIPT, 1, `rate:${keyId}`, rate.per_s, rate.burst, calls);
        const [wait, tokens] = reply as [string, string];
        return takenOf(Number(tokens), Number(wait), rate);
      } catch {
        return fallback.take(keyId, rate, calls);
      }
    },
    close: async () => redis.disconnect(),
  };
}
