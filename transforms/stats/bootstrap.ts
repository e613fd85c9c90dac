import { quantileInPlace } from './quantile.ts';
import { seededRandom } from './random.ts';

/** A statistic with its range from resampling. */
export interface ConfidenceInterval {
  low: number;
  high: number;
}

/**
 * Percentile bootstrap: returns the middle `level` of each statistic over `rounds` resamples of 0 … n-1 with replacement. `figures`
 * receives the indexes of a resample and returns one number per name. Deterministic from the seed.
 */
export function bootstrapIntervals<K extends string>(
  n: number,
  figures: (sample: Int32Array) => Record<K, number>,
  { rounds, seed, level }: { rounds: number; seed: number; level: number },
): Record<K, ConfidenceInterval> {
  const random = seededRandom(seed, 7);
  const sample = new Int32Array(n);
  const values = new Map<K, Float64Array>();
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < n; i++) sample[i] = random.int(n);
    for (const [name, value] of Object.entries(figures(sample)) as [K, number][]) {
      const all = values.get(name) ?? new Float64Array(rounds);
      all[round] = value;
      values.set(name, all);
    }
  }
  const tail = (1 - level) / 2;
  const intervals = [...values].map(([name, all]) => [
    name,
    { low: quantileInPlace(all, tail), high: quantileInPlace(all, 1 - tail) },
  ]);
  return Object.fromEntries(intervals) as Record<K, ConfidenceInterval>;
}
