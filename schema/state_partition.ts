import { DIGIT_OF_STATE, STATE_OF_DIGIT } from './states.ts';

/** Partitions of tables computed per state: one per state, and one for all states, numbered -(3,000,000 + state digit); 0 means all. */
const BASE = 3_000_000;

/** Returns the partition of a state; for null or an unknown state the partition of all states. */
export const statePartition = (state: string | null): number => -(BASE + (DIGIT_OF_STATE[state ?? ''] ?? 0));

/** Returns the state of a partition. Null: all states. */
export const stateOfPartition = (partition: number): string | null =>
  STATE_OF_DIGIT[-partition - BASE] ?? null;
