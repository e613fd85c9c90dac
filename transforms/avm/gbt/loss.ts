import { quantileInPlace } from '../../stats/quantile.ts';

/**
 * Loss that boosting minimises. `huber`: squared error up to `delta`, absolute beyond it. `quantile`: pinball loss at `alpha`;
 * leaves take the quantile of their residuals instead of a Newton step.
 */
export type Objective =
  | { readonly kind: 'huber'; readonly delta: number }
  | { readonly kind: 'quantile'; readonly alpha: number };

/**
 * Gradients are whole multiples of this, so their sums are exact. Histograms then do not depend on row order, and a histogram
 * subtracted from its parent's equals the counted one. Exact up to 2^53 · GRID / |gradient| rows.
 */
const GRID = 2 ** -30;

/** Rounds to the nearest multiple; Math.round takes six times as long. */
const onGrid = (value: number): number => Math.floor(value / GRID + 0.5) * GRID;

/** Returns the maximum absolute gradient. */
export const gradientBound = (objective: Objective): number =>
  objective.kind === 'huber' ? onGrid(objective.delta) : Math.max(objective.alpha, 1 - objective.alpha);

/** Returns the score that boosting starts from: the quantile of the targets, the median for huber. */
export function baseScore(objective: Objective, targets: Float64Array): number {
  const q = objective.kind === 'quantile' ? objective.alpha : 0.5;
  return quantileInPlace(Float64Array.from(targets), q);
}

/** Writes the gradient of the loss at the score of each of `rows`; other entries of `out` are unchanged. */
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
      // Clamps the residual to ±delta exactly, without a branch that is often mispredicted.
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

/** Returns the mean loss of scores, for early stopping. */
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
