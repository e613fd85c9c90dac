import { EVIDENCE_FEATURES } from './describe_homes.ts';
import { type DescribedHomes, selectDescribed } from './described_rows.ts';
import { designFeatures, designRows } from './design.ts';
import { type AnyEvidence, vintageOf } from './evidence.ts';
import { featureGroup, featureMatrix, viewOffset } from './feature_set.ts';
import { applyBinning } from './gbt/bins.ts';
import { addContributions } from './gbt/forest.ts';
import { hedonicBase } from './hedonic.ts';
import { type AvmModel, type BoostedModel, type ModelVariant, partOf } from './model.ts';
import type { RawBatch } from './predict.ts';

/** Effect of one feature on an estimate. */
export interface Contribution {
  feature: string;
  /** `attributes`, `place`, `evidence`, or the group of an extra feature. */
  group: string;
  /** Value of the feature. Null: unknown, or not one number. Sale-price features are logs relative to the hedonic value. */
  value: number | null;
  /** Log dollars. */
  log_effect: number;
}

/** A prediction split by feature: start + all effects = log_predicted, except for rounding. */
export interface ExplainedPrediction {
  /** Base value, log dollars, before anything is known of the property. */
  start: number;
  /** Largest first; features without effect are left out. */
  contributions: Contribution[];
  log_predicted: number;
}

class FeatureEffects {
  private readonly log = new Map<string, number>();

  add(feature: string, effect: number): void {
    this.log.set(feature, (this.log.get(feature) ?? 0) + effect);
  }

  finish(start: number, log_predicted: number, values: ReadonlyMap<string, number>): ExplainedPrediction {
    const contributions = [...this.log]
      .filter(([, effect]) => effect !== 0)
      .map(([feature, log_effect]): Contribution => {
        const value = feature === 'dwelling_type' ? NaN : (values.get(feature) ?? NaN);
        const group = feature === 'place' || feature === 'suburb' ? 'place' : featureGroup(feature);
        return { feature, group, value: Number.isFinite(value) ? value : null, log_effect };
      })
      .sort((a, b) => Math.abs(b.log_effect) - Math.abs(a.log_effect) || (a.feature < b.feature ? -1 : 1));
    return { start, contributions, log_predicted };
  }
}

const HEDONIC_VALUE = 'hedonic_value' satisfies (typeof EVIDENCE_FEATURES)[number];

/** Returns a property's features by name, in the relative view. */
function valuesOf(extra: readonly string[], evidence: AnyEvidence, { homes, described }: DescribedHomes) {
  const { names, values } = featureMatrix(evidence.design, homes, described, extra, 'relative');
  return new Map(names.map((name, f) => [name, values[f]!]));
}

/** Follows a property through every tree of both views. The start of the relative view is the hedonic value's effect. */
function explainBoosted(
  boosted: BoostedModel,
  evidence: AnyEvidence,
  one: DescribedHomes,
  variant: ModelVariant,
  log_predicted: number,
): ExplainedPrediction {
  const effects = new FeatureEffects();
  const { views, extra, spread } = partOf(boosted, variant);
  // Widening predictions by a factor widens each effect by the same factor.
  const share = spread.factor / views.length;
  const [level] = viewOffset(one.described, 'level');
  let start = level! - (spread.factor - 1) * spread.middle;
  for (const { view, binning, forests } of views) {
    const matrix = featureMatrix(evidence.design, one.homes, one.described, extra, view);
    const ownEffects = new Float64Array(matrix.names.length);
    start += share * addContributions(forests[variant]!, applyBinning(binning, matrix), 0, ownEffects);
    matrix.names.forEach((name, f) => {
      effects.add(name, share * ownEffects[f]!);
    });
    effects.add(HEDONIC_VALUE, share * (viewOffset(one.described, view)[0]! - level!));
  }
  return effects.finish(start, log_predicted, valuesOf(extra, evidence, one));
}

/** Splits the hedonic value into its terms and adds the residual of nearby sales. */
function explainRidge(
  model: AvmModel,
  evidence: AnyEvidence,
  one: DescribedHomes,
  day: number,
  log_predicted: number,
): ExplainedPrediction {
  const effects = new FeatureEffects();
  const { homes, described } = one;
  const hedonic = vintageOf(evidence, day - evidence.params.lag_days)!;
  const row = designRows(evidence.design, homes);
  const area = evidence.area_codes.get(homes.area[0]!) ?? -1;
  const pooled = hedonic.levels.pooled.at(-1)!;
  let start = pooled;
  designFeatures(evidence.design).forEach((feature, k) => {
    const effect = hedonic.weights[k]! * row[k]!;
    if (feature === '') start += effect;
    else effects.add(feature, effect);
  });
  if (area >= 0) effects.add('suburb', hedonic.area_effects[area]!);
  effects.add('dwelling_type', described.anchor[0]! - hedonicBase(hedonic, row, 0, area) - pooled);
  const alike = described.values[EVIDENCE_FEATURES.indexOf('comparables_residual')]!;
  const local = Number.isFinite(alike) ? 'comparables_residual' : 'residual_kernel';
  effects.add(local, log_predicted - described.anchor[0]!);
  return effects.finish(start, log_predicted, valuesOf(model.extra, evidence, one));
}

/**
 * Explains the prediction of row `row` of a batch made as of `day`, before the level correction. Boosted tiers: steps along each
 * tree's path. Ridge: its terms. Suburb median: only a start. Null: no prediction.
 */
export function explainPrediction(
  model: AvmModel,
  evidence: AnyEvidence,
  { raws, rows }: RawBatch,
  row: number,
  day: number,
): ExplainedPrediction | null {
  const { tier, log_predicted } = raws[row]!;
  const one = selectDescribed(rows, [row]);
  switch (tier) {
    case null:
      return null;
    case 'full':
    case 'masked':
    case 'bare':
      return explainBoosted(model.boosted!, evidence, one, tier, log_predicted);
    case 'ridge_local':
      return explainRidge(model, evidence, one, day, log_predicted);
    case 'area_median':
      return { start: log_predicted, contributions: [], log_predicted };
  }
}
