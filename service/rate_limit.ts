import { once } from 'node:events';
import { Redis } from 'ioredis';

/** Takes one call of a key: 0 where it may be made now, else the seconds until it may. */
export interface RateLimit {
  take(keyId: number): Promise<number> | number;
  close(): Promise<void>;
}

/** Buckets that are looked through for full ones when there are more; a full bucket says nothing. */
const KEPT = 10_000;

/** A token bucket for each key, in the memory of one process. */
export function memoryLimit(
  perS: number,
  burst: number,
  now: () => number = () => performance.now() / 1000,
): RateLimit {
  const buckets = new Map<number, { tokens: number; at: number }>();
  return {
    take(keyId) {
      const at = now();
      const bucket = buckets.get(keyId) ?? { tokens: burst, at };
      bucket.tokens = Math.min(burst, bucket.tokens + (at - bucket.at) * perS);
      bucket.at = at;
      if (!buckets.has(keyId)) {
        if (buckets.size >= KEPT)
          for (const [id, each] of buckets)
            if (each.tokens + (at - each.at) * perS >= burst) buckets.delete(id);
        buckets.set(keyId, bucket);
      }
      if (bucket.tokens < 1) return (1 - bucket.tokens) / perS;
      bucket.tokens -= 1;
      return 0;
    },
    close: async () => undefined,
  };
}

/** The same bucket in Redis, by its own clock: what it holds, and when it was looked at. */
const SCRIPT = `
local time = redis.call('TIME')
local now = tonumber(time[1]) + tonumber(time[2]) / 1000000
local rate, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local held = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens = tonumber(held[1]) or burst
local at = tonumber(held[2]) or now
tokens = math.min(burst, tokens + math.max(0, now - at) * rate)
local wait = 0
if tokens < 1 then wait = (1 - tokens) / rate else tokens = tokens - 1 end
redis.call('HSET', KEYS[1], 'tokens', tostring(tokens), 'at', tostring(now))
redis.call('EXPIRE', KEYS[1], math.ceil(burst / rate) + 1)
return tostring(wait)`;

/** Longest wait for Redis at the start. */
const CONNECT_MS = 1000;

/** A token bucket for each key that several processes share. While Redis does not answer, each process limits by itself. */
export async function redisLimit(url: string, perS: number, burst: number): Promise<RateLimit> {
  const redis = new Redis(url, { maxRetriesPerRequest: 0, enableOfflineQueue: false, commandTimeout: 500 });
  redis.on('error', () => undefined);
  const alone = memoryLimit(perS, burst);
  await once(redis, 'ready', { signal: AbortSignal.timeout(CONNECT_MS) }).catch(() => undefined);
  return {
    async take(keyId) {
      try {
        return Number(await redis.eval(SCRIPT, 1, `rate:${keyId}`, perS, burst));
      } catch {
        return alone.take(keyId);
      }
    },
    close: async () => redis.disconnect(),
  };
}
