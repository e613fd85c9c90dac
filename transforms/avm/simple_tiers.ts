import { type Described, EVIDENCE_FEATURES } from './features.ts';

const COMPARABLES_RESIDUAL = EVIDENCE_FEATURES.indexOf('comparables_residual');
const RESIDUAL_KERNEL = EVIDENCE_FEATURES.indexOf('residual_kernel');

/**
 * Hedonic value with the residual of the most alike sales around, or of any around, log dollars; NaN without a hedonic
 * model.
 */
export function ridgeLocalValue({ values, anchor }: Described, row: number): number {
  const n = anchor.length;
  const alike = values[COMPARABLES_RESIDUAL * n + row]!;
  const around = values[RESIDUAL_KERNEL * n + row]!;
  return anchor[row]! + (Number.isFinite(alike) ? alike : Number.isFinite(around) ? around : 0);
}

/** Median of the suburb and type at the level of the day, log dollars; NaN for fewer than `min_sales`. */
export function areaMedianValue(
  { area_count, area_median }: Described,
  row: number,
  min_sales: number,
): number {
  return area_count[row]! >= min_sales ? area_median[row]! : NaN;
}

/** Half width of the interval of a tier without trees before calibration, log dollars: one for all, calibration does the rest. */
const HALF_WIDTH = 0.25;

/** Predicted quantiles of the log error of a tier without trees. */
export function simpleRange(): { low: number; high: number } {
  return { low: -HALF_WIDTH, high: HALF_WIDTH };
}
