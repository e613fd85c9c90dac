import { CALIBRATION, type CalibrationParams } from './calibration.ts';
import { EVIDENCE, type EvidenceParams } from './evidence_params.ts';
import type { BoostParams } from './gbt/boost.ts';

/** All training inputs other than the sales. */
export interface AvmParams {
  /** Raised with every change of the computation, so that equal model ids mean equal models. */
  code_version: number;
  evidence: EvidenceParams;
  calibration: CalibrationParams;
  boost: BoostParams;
  /** Quantile models of the interval; alpha of their objective is set for each side. */
  interval: BoostParams;
  /** Maximum bins per feature. */
  bins: number;
  /** Seed of the point forests. */
  seed: number;
  /** Share of the usable sales, newest last, that stops the boosting and calibrates the interval. */
  calibration_share: number;
  /** Number of folds for the out-of-fold residuals that the interval trains on. */
  folds: number;
  /** Probability that each attribute is hidden from the masked model. */
  mask: Readonly<Record<MaskedAttribute, number>>;
  /** Probability that the bare model trains without a property's own point, its bedrooms, or all its other attributes together. */
  bare: Readonly<{ place: number; bedrooms: number; others: number }>;
  /** Minimum usable sales for a boosted model. */
  min_boost_sales: number;
  /** Maximum usable sales to train on, newest first. */
  max_boost_sales: number;
  /** Minimum sales of the type in a suburb for a median estimate. */
  min_area_sales: number;
}

/** Attributes that the masked model learns to do without. */
export const MASKED_ATTRIBUTES = [
  'floor_area_sqm',
  'year_built',
  'bathrooms',
  'bedrooms',
  'parking',
  'land_area_sqm',
] as const;
export type MaskedAttribute = (typeof MASKED_ATTRIBUTES)[number];

/** Settings with the best results over several cities; see docs/decisions. */
export const AVM: AvmParams = {
  code_version: 6,
  evidence: EVIDENCE,
  calibration: CALIBRATION,
  boost: {
    objective: { kind: 'huber', delta: 0.15 },
    rounds: 1500,
    learning_rate: 0.06,
    leaves: 31,
    min_leaf: 15,
    lambda: 2,
    feature_fraction: 0.3,
    bagging_fraction: 0.75,
    patience: 60,
  },
  interval: {
    objective: { kind: 'quantile', alpha: 0.1 },
    rounds: 400,
    learning_rate: 0.05,
    leaves: 12,
    min_leaf: 40,
    lambda: 2,
    feature_fraction: 0.5,
    bagging_fraction: 0.75,
    patience: 40,
  },
  bins: 63,
  seed: 1,
  calibration_share: 0.15,
  folds: 2,
  mask: {
    floor_area_sqm: 0.3,
    year_built: 0.3,
    bathrooms: 0.1,
    bedrooms: 0.05,
    parking: 0.1,
    land_area_sqm: 0.05,
  },
  bare: { place: 0.6, bedrooms: 0.3, others: 0.6 },
  min_boost_sales: 2000,
  max_boost_sales: 60_000,
  min_area_sales: 8,
};
