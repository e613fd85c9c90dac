import type { PriceLevels } from '../cma/price_levels.ts';
import type { View } from './feature_set.ts';
import type { Binning } from './gbt/bins.ts';
import type { Forest } from './gbt/forest.ts';
import type { Hulls } from './hull.ts';
import type { Ledger } from './ledger.ts';
import type { AvmParams, MaskedAttribute } from './params.ts';
import type { Spread } from './spread.ts';
import type { Unknown } from './unknown.ts';

/** Kind of value: a sale price, or a weekly rent. */
export type ValuationKind = 'sale' | 'rent';

/** Region of the country-wide model. */
export const POOLED = 'AU';

/** Methods of an estimate, most accurate first. */
export const TIERS = ['full', 'masked', 'bare', 'ridge_local', 'area_median'] as const;
export type Tier = (typeof TIERS)[number];

/** Reasons for no estimate. */
const NO_ESTIMATE_REASONS = [
  /** Dwelling type that the models do not value. */
  'type_not_valued',
  /** Outside the range of sales: in an attribute, in its zone, or no similar sale nearby. */
  'outside_evidence',
  /** No coordinates, and too few sales of the type in the suburb. */
  'not_located',
  /** Too few sales known on the day, in the region or of the type nearby. */
  'too_few_sales',
  /** Forecast standard deviation above the limit. */
  'too_uncertain',
] as const;
export type NoEstimateReason = (typeof NO_ESTIMATE_REASONS)[number];

/** Model variants by the attributes they see: all that are known, some hidden, almost none (location from street or suburb). */
export type ModelVariant = 'full' | 'masked' | 'bare';

/** Forests of one view with a shared binning. */
export interface ViewForests {
  view: View;
  binning: Binning;
  forests: Partial<Record<ModelVariant, Forest>>;
}

/** Quantile forests of the log error; features: the relative view and the columns that intervalMatrix adds. */
export interface IntervalForests {
  binning: Binning;
  low: Forest;
  high: Forest;
}

/** Views trained together, and the interval of their predictions. */
export interface BoostedPart {
  /** Extra features in use, in code-unit order. */
  extra: string[];
  views: ViewForests[];
  /** Widening of the mean of the views. */
  spread: Spread;
  interval: IntervalForests;
}

/** Boosted part of a model; absent in regions with few sales. */
export interface BoostedModel {
  /** Variants full and masked. */
  told: BoostedPart;
  bare: BoostedPart;
}

export const partOf = ({ told, bare }: BoostedModel, variant: ModelVariant): BoostedPart =>
  variant === 'bare' ? bare : told;

/** A trained model. It values properties together with sales as evidence; see rawPredictions. */
export interface AvmModel {
  /** Digest of all training inputs, see modelIdentity. */
  id: string;
  kind: ValuationKind;
  params: AvmParams;
  /** Day of training: the model saw sales dated up to as_of - lag_days. */
  as_of: number;
  /** Extra features in use, in code-unit order. */
  extra: string[];
  /** Attributes that the full model requires: those that enough sales state. */
  needed: MaskedAttribute[];
  /** Whether sales commonly have coordinates, so that properties without them are treated separately. */
  needs_place: boolean;
  /** Whether sales commonly state more than type and location, so that properties without attributes are treated separately. */
  needs_attributes: boolean;
  boosted: BoostedModel | null;
  /** Generation of its own ledger entries. Lower: entries of trial models, evaluated on sales that this model trained on. */
  generation: number;
  /** Known errors of the boosted model, of its bare part, of ridge with local residual, and of the suburb median. */
  ledgers: Record<'boosted' | 'bare' | 'ridge_local' | 'area_median', Ledger>;
  /** Facts that its sales commonly state, see commonFacts. */
  facts: Unknown;
  /** Known errors of sales with some of these facts hidden, by unknownKey (ledger and hidden facts). */
  by_unknown: Record<string, Ledger>;
  /** Ranges of its sales by type: properties outside are not valued. */
  hulls: Hulls;
  /** Market levels on the day of training. Null: too few sales. */
  levels: PriceLevels | null;
  /** Number of training sales, and gain of the splits by feature. */
  trained_sales: number;
  gain: { name: string; gain: number }[];
}

/** Settings of one training other than its parameters. */
export interface TrainOptions {
  kind: ValuationKind;
  as_of: number;
  /** Identity of the input, for example the digest of the sales snapshot. */
  snapshot: string;
  /** Returns the hex digest of a text; SHA-256 in the pipeline. */
  digest: (text: string) => string;
}
