import { attempt, type Check, type CheckResult, fail, pass, warn } from '../pipelines/doctor/check.ts';
import { maskUrl } from '../store/system/mask_url.ts';
import { connectRedis } from './backend.ts';
import { type RedisFacts, readRedisFacts, redisRefusal } from './redis_facts.ts';

/** Minimum version of Redis for the queue, and the version from which every function of the queue is available. */
const MIN_VERSION = 5;
const GOOD_VERSION = 6.2;

function versionFinding({ version }: RedisFacts): CheckResult {
  if (version === null) return warn('This user may not read the version (INFO)');
  const number = Number(/^\d+\.\d+/.exec(version)?.[0]);
  if (number < MIN_VERSION) return fail(`Redis ${version} is too old: install ${GOOD_VERSION} or later.`);
  return number < GOOD_VERSION
    ? warn(`Redis ${version} is old: install ${GOOD_VERSION} or later.`)
    : pass(`Redis ${version}`);
}

function evictionFinding({ evictionPolicy }: RedisFacts): CheckResult {
  if (evictionPolicy === null)
    return warn('This user may not read maxmemory_policy (INFO): it must be noeviction.');
  return evictionPolicy === 'noeviction'
    ? pass('maxmemory-policy is noeviction')
    : fail(
        `maxmemory-policy is ${evictionPolicy}: under pressure Redis deletes requests and schedules. Set it to noeviction.`,
      );
}

function persistenceFinding({ hasAof, snapshots }: RedisFacts): CheckResult {
  if (hasAof) return pass('appendonly is on');
  if (hasAof === null || snapshots === null)
    return warn('This user may not read whether Redis keeps its data on disk.');
  return snapshots === ''
    ? warn(
        'Redis keeps nothing on disk: a restart loses requests. A worker restores schedules within a minute. Set appendonly yes.',
      )
    : warn(
        `Redis writes snapshots (${snapshots}): a crash loses the requests since the last one. Set appendonly yes.`,
      );
}

/** Checks the Redis of the queue: role, cluster, version, eviction, persistence. Changes nothing. */
export async function redisChecks(url: string): Promise<Check[]> {
  let facts: RedisFacts | undefined;
  const connection = await attempt('queue', async () => {
    const redis = await connectRedis(url);
    try {
      facts = await readRedisFacts(redis);
    } finally {
      redis.disconnect();
    }
    const refusal = redisRefusal(facts);
    return refusal === null ? pass(`Redis at ${maskUrl(url)}`) : fail(`Redis at ${maskUrl(url)} ${refusal}`);
  });
  if (facts === undefined) return [connection];
  const knownFacts = facts;
  return [
    connection,
    await attempt('queue version', () => versionFinding(knownFacts)),
    await attempt('queue eviction', () => evictionFinding(knownFacts)),
    await attempt('queue persistence', () => persistenceFinding(knownFacts)),
  ];
}
