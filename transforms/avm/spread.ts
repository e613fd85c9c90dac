/**
 * Widening of predictions. The prediction of least error varies less than prices do, so expensive homes come out low and cheap ones
 * high: the vertical inequity that PRB measures. PRB is 0 if both vary equally.
 */
export interface Spread {
  /** Mean prediction above the market level, log dollars: the centre of the widening. */
  middle: number;
  /** Factor on the distance from the centre; 1 changes nothing. */
  factor: number;
}

/** Share of the missing spread to add: all of it would cost more error than the equity is worth. */
const SHARE = 0.25;
/** Maximum factor: a larger one would come from few or wrong sales. */
const MOST = 1.03;

const mean = (values: Float64Array): number => values.reduce((sum, own) => sum + own, 0) / values.length;

/** Returns the widening from predictions and prices of the same holdout sales, both log dollars above the market level. */
export function spreadOf(predicted: Float64Array, paid: Float64Array): Spread {
  const middle = mean(predicted);
  const centre = mean(paid);
  const ratio = Math.sqrt(
    mean(paid.map((own) => (own - centre) ** 2)) / mean(predicted.map((own) => (own - middle) ** 2)),
  );
  if (!Number.isFinite(ratio)) return { middle: 0, factor: 1 };
  return { middle, factor: Math.min(MOST, Math.max(1, 1 + SHARE * (ratio - 1))) };
}

/** Widens predictions. Log dollars; `level`: market level of each row. */
export const widened = (
  predicted: Float64Array,
  level: ArrayLike<number>,
  { middle, factor }: Spread,
): Float64Array => predicted.map((own, row) => own + (factor - 1) * (own - level[row]! - middle));
