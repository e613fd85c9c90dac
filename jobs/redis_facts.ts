import type { Redis } from 'ioredis';
import { EtlError } from '../schema/errors.ts';
import { maskUrl } from '../store/system/mask_url.ts';

/** What a Redis says of itself. Null: it does not tell this user. */
export interface RedisFacts {
  version: string | null;
  /** `master`, or `slave` for a replica. */
  role: string | null;
  isCluster: boolean;
  evictionPolicy: string | null;
  hasAof: boolean | null;
  /** Conditions of snapshots, such as `3600 1`; empty: none are written. */
  snapshots: string | null;
}

/** Reads what a Redis says of itself. Managed servers may forbid it, in part or as a whole. */
export async function readRedisFacts(redis: Redis): Promise<RedisFacts> {
  const info = await redis.info().catch(() => '');
  const fieldOf = (name: string): string | null =>
    new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? null;
  const setting = await redis.config('GET', 'save').catch(() => null);
  const aof = fieldOf('aof_enabled');
  return {
    version: fieldOf('redis_version'),
    role: fieldOf('role'),
    isCluster: fieldOf('cluster_enabled') === '1',
    evictionPolicy: fieldOf('maxmemory_policy'),
    hasAof: aof === null ? null : aof === '1',
    snapshots: (setting as string[] | null)?.[1] ?? null,
  };
}

/** Says why a Redis cannot hold the queue. Null: it can. */
export function redisRefusal({ role, isCluster }: RedisFacts): string | null {
  if (isCluster)
    return 'is a Redis Cluster, which is not supported: use a Redis without cluster mode, or unset queue.redis_url.';
  if (role === 'slave')
    return 'is a replica, which takes no writes: point queue.redis_url at its primary, or unset it.';
  return null;
}

/** @throws EtlError queue_unavailable if the Redis cannot hold the queue */
export async function checkRedis(redis: Redis, url: string): Promise<void> {
  const refusal = redisRefusal(await readRedisFacts(redis));
  if (refusal !== null) throw new EtlError('queue_unavailable', `Redis at ${maskUrl(url)} ${refusal}`);
}
