import type { Binning } from './bins.ts';
import { type Boosted, type BoostParams, boost, type TrainingSet } from './boost.ts';

/** Input of boost for one forest. It can be cloned across a thread boundary. */
export interface ForestTask {
  train: TrainingSet;
  binning: Binning;
  params: BoostParams;
  seed: number;
  /** Rows for early stopping; undefined: all rounds are grown. */
  stopping?: TrainingSet;
}

/**
 * A computation that requests forests: it yields independent tasks and receives their forests in the same order. The caller decides
 * where they are grown; the result is the same.
 */
export type Growing<T> = Generator<ForestTask[], T, Boosted[]>;

export const growForest = ({ train, binning, params, seed, stopping }: ForestTask): Boosted =>
  boost(train, binning, params, seed, stopping);

/** Runs a computation to its end, growing one forest after the other. */
export function growInProcess<T>(growing: Growing<T>): T {
  let step = growing.next();
  while (!step.done) step = growing.next(step.value.map(growForest));
  return step.value;
}
