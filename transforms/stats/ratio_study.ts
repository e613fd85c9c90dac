import { median, quantile } from './quantile.ts';

/** Metrics of a ratio study under the IAAO Standard on Ratio Studies: ratio = estimate / sale price. All NaN for no sales. */
export interface RatioStudy {
  n: number;
  /** Median of |estimate - price| / price, percent. */
  median_abs_error_pct: number;
  /** Share of estimates within 10 and 20 percent of the price, percent. */
  within_10_pct: number;
  within_20_pct: number;
  median_ratio: number;
  /** Coefficient of dispersion: mean absolute deviation from the median ratio, percent of it. */
  cod: number;
  /** Price-related differential: mean ratio over the price-weighted mean ratio; above 1 if expensive homes are valued low. */
  prd: number;
  /** Price-related bias: change of the ratio, as a fraction of the median ratio, for a doubling of value. */
  prb: number;
}

const share = (values: Float64Array, at_most: number): number => {
  let count = 0;
  for (const value of values) if (value <= at_most) count++;
  return (100 * count) / values.length;
};

/** Minimum variance of the log2 values for a slope; below it they only differ by rounding. */
const LEAST_SPREAD = 1e-8;

/** Returns the slope of (ratio - median) / median on log2 of value; value is half of price plus half of estimate over the median ratio. */
function priceRelatedBias(estimates: Float64Array, prices: Float64Array, middle: number): number {
  const n = prices.length;
  let sx = 0;
  let sy = 0;
  let sxx = 0;
  let sxy = 0;
  for (let i = 0; i < n; i++) {
    const x = Math.log2(0.5 * prices[i]! + (0.5 * estimates[i]!) / middle);
    const y = (estimates[i]! / prices[i]! - middle) / middle;
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  const spread = sxx - (sx * sx) / n;
  return spread > LEAST_SPREAD * n ? (sxy - (sx * sy) / n) / spread : NaN;
}

/** Computes the metrics of estimates against prices, both above 0 and of one length. */
export function ratioStudy(estimates: Float64Array, prices: Float64Array): RatioStudy {
  const n = prices.length;
  const ratios = new Float64Array(n);
  const errors = new Float64Array(n);
  let estimated = 0;
  let paid = 0;
  let sum = 0;
  for (let i = 0; i < n; i++) {
    ratios[i] = estimates[i]! / prices[i]!;
    errors[i] = Math.abs(ratios[i]! - 1);
    estimated += estimates[i]!;
    paid += prices[i]!;
    sum += ratios[i]!;
  }
  const middle = median(ratios);
  let deviation = 0;
  for (const ratio of ratios) deviation += Math.abs(ratio - middle);
  return {
    n,
    median_abs_error_pct: 100 * quantile(errors, 0.5),
    within_10_pct: share(errors, 0.1),
    within_20_pct: share(errors, 0.2),
    median_ratio: middle,
    cod: (100 * deviation) / n / middle,
    prd: sum / n / (estimated / paid),
    prb: priceRelatedBias(estimates, prices, middle),
  };
}
