/**
 * How predictions are widened. The prediction of least error varies less than prices do, so that dear homes come out low and cheap ones
 * high: the vertical inequity that PRB measures, which is 0 where both vary alike.
 */
export interface Spread {
  /** Mean prediction above the level of the market, log dollars: what predictions are widened about. */
  middle: number;
  /** Times as far from the middle; 1 leaves predictions as they are. */
  factor: number;
}

/** Share of the missing spread that is made up for; all of it would cost more error than equity is worth. */
const SHARE = 0.25;
/** Most that predictions are widened: what few or wrong sales say beyond it is not believed. */
const MOST = 1.03;

const mean = (values: Float64Array): number => values.reduce((sum, own) => sum + own, 0) / values.length;

/** The spread of predictions and prices of the same held sales, both log dollars above the level of the market. */
export function spreadOf(predicted: Float64Array, paid: Float64Array): Spread {
  const middle = mean(predicted);
  const centre = mean(paid);
  const ratio = Math.sqrt(
    mean(paid.map((own) => (own - centre) ** 2)) / mean(predicted.map((own) => (own - middle) ** 2)),
  );
  if (!Number.isFinite(ratio)) return { middle: 0, factor: 1 };
  return { middle, factor: Math.min(MOST, Math.max(1, 1 + SHARE * (ratio - 1))) };
}

/** Predictions widened: log dollars, `level` that of the market for each. */
export const widened = (
  predicted: Float64Array,
  level: ArrayLike<number>,
  { middle, factor }: Spread,
): Float64Array => predicted.map((own, row) => own + (factor - 1) * (own - level[row]! - middle));
