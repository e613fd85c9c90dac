import { DIGIT_OF_STATE, STATE_OF_DIGIT } from './states.ts';

/**
 * Partitions of market events, which have no place before they are matched: one for each state and month, numbered
 * -(1,000,000 + state digit × 10,000 + months since 1970), so that no number of a partition means two things.
 */
const BASE = 1_000_000;
const PER_STATE = 10_000;

/** Partition of an event: `date` is YYYY-MM-DD from 1970 on; an unknown state is digit 0. */
export function eventBucket(state: string | null, date: string): number {
  const months = (Number(date.slice(0, 4)) - 1970) * 12 + Number(date.slice(5, 7)) - 1;
  return -(BASE + (DIGIT_OF_STATE[state ?? ''] ?? 0) * PER_STATE + Math.max(0, months));
}

/** State of a bucket; null: not stated. */
export function stateOfBucket(bucket: number): string | null {
  return STATE_OF_DIGIT[Math.floor((-bucket - BASE) / PER_STATE)] ?? null;
}

/** Month of a bucket, YYYY-MM. */
export const yearMonthOfBucket = (bucket: number): string =>
  new Date(Date.UTC(1970, (-bucket - BASE) % PER_STATE, 1)).toISOString().slice(0, 7);

/** First day of the latest month among buckets, YYYY-MM-DD; null: there is no bucket. */
export function firstOfLastMonth(buckets: readonly number[]): string | null {
  if (buckets.length === 0) return null;
  const months = buckets.reduce((max, bucket) => Math.max(max, (-bucket - BASE) % PER_STATE), 0);
  return new Date(Date.UTC(1970, months, 1)).toISOString().slice(0, 10);
}
