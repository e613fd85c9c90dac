import { VALUATION_KINDS } from './assets/valuation.ts';
import { DIGIT_OF_STATE, STATE_OF_DIGIT } from './states.ts';

/**
 * Partitions of valuation models: one per state and kind, and with digit 0 one per kind for the whole country. Numbered -(2,000,000
 * + state digit × 10 + number of the kind).
 */
const BASE = 2_000_000;

/** Returns the partition of the model of a kind in a state; '': the whole country. */
export function modelPartition(kind: (typeof VALUATION_KINDS)[number], state: string): number {
  return -(BASE + (DIGIT_OF_STATE[state] ?? 0) * 10 + VALUATION_KINDS.indexOf(kind));
}

/** SQL expression for the partition by the columns `kind` and `state`. */
export const modelPartitionSql = (): string =>
  `-(${BASE} + 10 * CASE state ${Object.entries(DIGIT_OF_STATE)
    .map(([state, digit]) => `WHEN '${state}' THEN ${digit}`)
    .join(
      ' ',
    )} ELSE 0 END + CASE kind ${VALUATION_KINDS.map((kind, i) => `WHEN '${kind}' THEN ${i}`).join(' ')} END)`;

/** Returns kind and state of a model partition; state '': the whole country. */
export function modelOfPartition(partition: number): {
  kind: (typeof VALUATION_KINDS)[number];
  state: string;
} {
  const number = -partition - BASE;
  return { kind: VALUATION_KINDS[number % 10]!, state: STATE_OF_DIGIT[Math.floor(number / 10)] ?? '' };
}
