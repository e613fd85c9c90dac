import { type Described, EVIDENCE_FEATURES } from './describe_homes.ts';

const COMPARABLES_RESIDUAL = EVIDENCE_FEATURES.indexOf('comparables_residual');
const RESIDUAL_KERNEL = EVIDENCE_FEATURES.indexOf('residual_kernel');

/** Returns the hedonic value plus the residual of the most similar nearby sales, else of any nearby sales, log dollars. NaN: no hedonic model. */
export function ridgeLocalValue({ values, anchor }: Described, row: number): number {
  const n = anchor.length;
  const alike = values[COMPARABLES_RESIDUAL * n + row]!;
  const around = values[RESIDUAL_KERNEL * n + row]!;
  return anchor[row]! + (Number.isFinite(alike) ? alike : Number.isFinite(around) ? around : 0);
}

/** Returns the median of the suburb and type at the day's price level, log dollars. NaN: fewer than `min_sales` sales. */
export function areaMedianValue(
  { area_count, area_median }: Described,
  row: number,
  min_sales: number,
): number {
  return area_count[row]! >= min_sales ? area_median[row]! : NaN;
}

/** Half width of the interval of tiers without trees before calibration, log dollars. It is constant: calibration adjusts it. */
const HALF_WIDTH = 0.25;

/** Returns the predicted quantiles of the log error for tiers without trees. */
export function simpleRange(): { low: number; high: number } {
  return { low: -HALF_WIDTH, high: HALF_WIDTH };
}
