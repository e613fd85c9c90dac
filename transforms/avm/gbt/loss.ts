import { quantileInPlace } from '../../stats/quantile.ts';

/**
 * What boosting minimises. `huber`: squared error up to `delta`, absolute beyond it. `quantile`: pinball loss at `alpha`;
 * its leaves take the quantile of their residuals instead of a Newton step.
 */
export type Objective =
  | { readonly kind: 'huber'; readonly delta: number }
  | { readonly kind: 'quantile'; readonly alpha: number };

/**
 * Gradients are whole multiples of this, so that sums of them are exact: histograms then depend on no order of rows, and a
 * histogram subtracted from its parent's is the one that counting would give. Exact up to 2^53 · GRID / |gradient| rows.
 */
const GRID = 2 ** -30;

/** The nearest multiple; Math.round takes six times as long as this. */
const onGrid = (value: number): number => Math.floor(value / GRID + 0.5) * GRID;

/** Largest size of a gradient. */
export const gradientBound = (objective: Objective): number =>
  objective.kind === 'huber' ? onGrid(objective.delta) : Math.max(objective.alpha, 1 - objective.alpha);

/** Where boosting starts: the quantile of the targets, the median for huber. */
export function baseScore(objective: Objective, targets: Float64Array): number {
  const q = objective.kind === 'quantile' ? objective.alpha : 0.5;
  return quantileInPlace(Float64Array.from(targets), q);
}

/** Writes the gradient of the loss at the score of each of `rows`; the others of `out` stay as they are. */
export function gradients(
  objective: Objective,
  targets: Float64Array,
  scores: Float64Array,
  rows: Uint32Array,
  out: Float64Array,
): void {
  if (objective.kind === 'huber') {
    const delta = onGrid(objective.delta);
    for (let k = 0; k < rows.length; k++) {
      const row = rows[k]!;
      const residual = onGrid(scores[row]! - targets[row]!);
      // The residual held within ±delta, exactly and without a branch, which would be foretold wrongly too often.
      out[row] = 0.5 * (Math.abs(residual + delta) - Math.abs(residual - delta));
    }
    return;
  }
  const above = onGrid(1 - objective.alpha);
  const below = onGrid(-objective.alpha);
  for (let k = 0; k < rows.length; k++) {
    const row = rows[k]!;
    out[row] = below + (above - below) * Number(scores[row]! >= targets[row]!);
  }
}

/** Mean loss of scores, by which early stopping decides. */
export function meanLoss(objective: Objective, targets: Float64Array, scores: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < targets.length; i++) {
    const residual = targets[i]! - scores[i]!;
    if (objective.kind === 'quantile')
      sum += residual > 0 ? objective.alpha * residual : (objective.alpha - 1) * residual;
    else {
      const size = Math.abs(residual);
      const { delta } = objective;
      sum += size <= delta ? 0.5 * size * size : delta * (size - 0.5 * delta);
    }
  }
  return sum / targets.length;
}
