import { HEDONIC, type HedonicParams } from './hedonic.ts';

/** Settings of the training sales. */
export interface EvidenceParams {
  /** Lag in days: a feature of day d sees sales dated at most d - lag_days. */
  lag_days: number;
  /** Minimum sales to fit a hedonic model. */
  min_sales: number;
  /** Maximum ratio, either way, between a price and the one expected at its time; sales beyond it are outliers. */
  outlier_factor: number;
  /** The same before the first hedonic model, relative to the type's median. */
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
