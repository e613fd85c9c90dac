import { HEDONIC, type HedonicParams } from './hedonic.ts';

/** Settings of the evidence. */
export interface EvidenceParams {
  /** A feature of day d sees sales dated at most d - lag_days. */
  lag_days: number;
  /** Fewest sales that a hedonic model is fitted to. */
  min_sales: number;
  /** A price that is this many times above or below what was expected at its time is no evidence. */
  outlier_factor: number;
  /** The same before there is a hedonic model, against the median of the type. */
  early_outlier_factor: number;
  hedonic: HedonicParams;
}

/** Parameters of the served models. */
export const EVIDENCE: EvidenceParams = {
  lag_days: 14,
  min_sales: 200,
  outlier_factor: 3,
  early_outlier_factor: 8,
  hedonic: HEDONIC,
};
