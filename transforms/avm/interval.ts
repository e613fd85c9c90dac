import { byCodeUnit } from '../property/home_table.ts';
import type { DescribedHomes } from './described_rows.ts';
import type { AnyEvidence } from './evidence.ts';
import { featureMatrix, viewOffset } from './feature_set.ts';
import { applyBinning, type BinnedMatrix, type FeatureMatrix, makeBinning } from './gbt/bins.ts';
import { predictForest } from './gbt/forest.ts';
import type { ForestTask, Growing } from './gbt/growing.ts';
import type { IntervalForests } from './model.ts';
import type { AvmParams } from './params.ts';

const INTERVAL_SEED = 21;

/** Features of the interval in addition to the relative view. */
const OWN = ['predicted_above_level', 'predicted_above_hedonic', 'is_masked'] as const;

/**
 * Returns the features of the interval's quantile models: the relative view, the prediction (log dollars), and whether the masked
 * model predicted.
 */
export function intervalMatrix(
  evidence: AnyEvidence,
  rows: DescribedHomes,
  extra: readonly string[],
  log_predicted: Float64Array,
  is_masked: (row: number) => boolean,
): FeatureMatrix {
  const base = featureMatrix(
    evidence.design,
    rows.homes,
    rows.described,
    [...extra].sort(byCodeUnit),
    'relative',
  );
  const n = base.rows;
  const level = viewOffset(rows.described, 'level');
  const values = new Float64Array(base.values.length + OWN.length * n);
  values.set(base.values);
  for (let row = 0; row < n; row++) {
    let at = base.values.length + row;
    values[at] = log_predicted[row]! - level[row]!;
    at += n;
    values[at] = log_predicted[row]! - rows.described.anchor[row]!;
    at += n;
    values[at] = is_masked(row) ? 1 : 0;
  }
  return { names: [...base.names, ...OWN], rows: n, values };
}

/** Rows scored by one model variant; they calibrate the interval. */
export interface ScoredRows {
  matrix: FeatureMatrix;
  errors: Float64Array;
}

function concat(a: Float64Array, b: Float64Array): Float64Array {
  const both = new Float64Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

/** Concatenates the rows of two matrices. */
export function stack(a: ScoredRows, b: ScoredRows): ScoredRows {
  const rows = a.matrix.rows + b.matrix.rows;
  const values = new Float64Array(rows * a.matrix.names.length);
  a.matrix.names.forEach((_, f) => {
    values.set(a.matrix.values.subarray(f * a.matrix.rows, (f + 1) * a.matrix.rows), f * rows);
    values.set(
      b.matrix.values.subarray(f * b.matrix.rows, (f + 1) * b.matrix.rows),
      f * rows + a.matrix.rows,
    );
  });
  return {
    matrix: { names: a.matrix.names, rows, values },
    errors: concat(a.errors, b.errors),
  };
}

/** Trains quantile forests on the errors of `learnt`, with early stopping on `stopping`. */
export function* trainInterval(
  learnt: ScoredRows,
  stopping: ScoredRows,
  params: AvmParams,
): Growing<IntervalForests> {
  const binning = makeBinning(learnt.matrix, params.bins);
  const label = ({ matrix, errors }: ScoredRows) => ({
    data: applyBinning(binning, matrix),
    targets: errors,
  });
  const train = label(learnt);
  const labelled = label(stopping);
  const side = (alpha: number): ForestTask => ({
    train,
    binning,
    params: { ...params.interval, objective: { kind: 'quantile', alpha } },
    seed: INTERVAL_SEED,
    stopping: labelled,
  });
  const [low, high] = yield [side(params.calibration.tail), side(1 - params.calibration.tail)];
  return { binning, low: low!.forest, high: high!.forest };
}

/** Predicts quantiles of the rows' log error. */
export function predictInterval(
  { binning, low, high }: IntervalForests,
  matrix: FeatureMatrix,
): { low: Float64Array; high: Float64Array } {
  const data: BinnedMatrix = applyBinning(binning, matrix);
  return { low: predictForest(low, data), high: predictForest(high, data) };
}
