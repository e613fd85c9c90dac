import { DIGIT_OF_STATE, STATE_OF_DIGIT } from './states.ts';

/**
 * Partitions of market events, which have no cell before they are matched: one per state and month. Numbered -(1,000,000 + state
 * digit × 10,000 + months since 1970), so that no partition number has two meanings.
 */
const BASE = 1_000_000;
const PER_STATE = 10_000;

/** Returns the partition of an event. `date`: YYYY-MM-DD, 1970 or later; an unknown state is digit 0. */
export function eventBucket(state: string | null, date: string): number {
  const months = (Number(date.slice(0, 4)) - 1970) * 12 + Number(date.slice(5, 7)) - 1;
  return -(BASE + (DIGIT_OF_STATE[state ?? ''] ?? 0) * PER_STATE + Math.max(0, months));
}

/** Returns the state of a bucket. Null: not stated. */
export function stateOfBucket(bucket: number): string | null {
  return STATE_OF_DIGIT[Math.floor((-bucket - BASE) / PER_STATE)] ?? null;
}

/** Returns the month of a bucket, YYYY-MM. */
export const yearMonthOfBucket = (bucket: number): string =>
  new Date(Date.UTC(1970, (-bucket - BASE) % PER_STATE, 1)).toISOString().slice(0, 7);

/** Returns the first day of the latest month among buckets, YYYY-MM-DD. Null: no buckets. */
export function firstOfLastMonth(buckets: readonly number[]): string | null {
  if (buckets.length === 0) return null;
  const months = buckets.reduce((max, bucket) => Math.max(max, (-bucket - BASE) % PER_STATE), 0);
  return new Date(Date.UTC(1970, months, 1)).toISOString().slice(0, 10);
}
