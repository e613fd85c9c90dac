import { DIGIT_OF_STATE, STATE_OF_DIGIT } from './states.ts';

/**
 * Partitions of what is made for each state: one for each, and one for all of them together, numbered -(3,000,000 + state digit),
 * where 0 means all.
 */
const BASE = 3_000_000;

/** Partition of a state; null, or what is no state: that of all of them. */
export const statePartition = (state: string | null): number => -(BASE + (DIGIT_OF_STATE[state ?? ''] ?? 0));

/** State of a partition of statePartition; null: all of them. */
export const stateOfPartition = (partition: number): string | null =>
  STATE_OF_DIGIT[-partition - BASE] ?? null;
