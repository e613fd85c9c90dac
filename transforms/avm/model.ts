import type { PriceLevels } from '../cma/price_levels.ts';
import type { View } from './feature_set.ts';
import type { Binning } from './gbt/bins.ts';
import type { Forest } from './gbt/forest.ts';
import type { Hulls } from './hull.ts';
import type { Ledger } from './ledger.ts';
import type { AvmParams, MaskedAttribute } from './params.ts';
import type { Spread } from './spread.ts';
import type { Unknown } from './unknown.ts';

/** What is valued: a sale price, or a weekly rent. */
export type ValuationKind = 'sale' | 'rent';

/** Region of the model of the whole country. */
export const POOLED = 'AU';

/** How an estimate is made, the most exact first. */
export const TIERS = ['full', 'masked', 'bare', 'ridge_local', 'area_median'] as const;
export type Tier = (typeof TIERS)[number];

/** Why there is no estimate. */
const NO_ESTIMATE_REASONS = [
  /** The type of dwelling is not among those that sales are valued by. */
  'type_not_valued',
  /** Beyond what has sold: in an attribute, its zone, or how unlike the most alike sale around is. */
  'outside_evidence',
  /** No coordinates, and too few sales of the type in the suburb. */
  'not_located',
  /** Too few sales known on the day, in the region or of the type around. */
  'too_few_sales',
  /** The forecast standard deviation is above the limit. */
  'too_uncertain',
] as const;
export type NoEstimateReason = (typeof NO_ESTIMATE_REASONS)[number];

/** The models of a view: with the attributes that a home has, with some hidden, and with hardly any, wherever it lies in its street. */
export type ModelVariant = 'full' | 'masked' | 'bare';

/** Forests of one view, all cut by one binning. */
export interface ViewForests {
  view: View;
  binning: Binning;
  forests: Partial<Record<ModelVariant, Forest>>;
}

/** Quantiles of the log error, from the features of the relative view and those that intervalMatrix adds. */
export interface IntervalForests {
  binning: Binning;
  low: Forest;
  high: Forest;
}

/** Views that are trained together, and the interval of their predictions. */
export interface BoostedPart {
  /** Extra features in use, in code-unit order. */
  extra: string[];
  views: ViewForests[];
  /** How the mean of the views is widened. */
  spread: Spread;
  interval: IntervalForests;
}

/** The boosted part of a model; absent in regions with few sales. */
export interface BoostedModel {
  /** Of the halves full and masked. */
  told: BoostedPart;
  bare: BoostedPart;
}

/** The part that a half belongs to. */
export const partOf = ({ told, bare }: BoostedModel, half: ModelVariant): BoostedPart =>
  half === 'bare' ? bare : told;

/** A trained model. With the sales as evidence it values homes; see rawPredictions. */
export interface AvmModel {
  /** Digest of everything that it was made from, see modelIdentity. */
  id: string;
  kind: ValuationKind;
  params: AvmParams;
  /** Day of training: sales dated up to lag_days before it were seen. */
  as_of: number;
  /** Extra features in use, in code-unit order. */
  extra: string[];
  /** Attributes that a home needs for the full model: those that enough sales have. */
  needed: MaskedAttribute[];
  /** Whether sales have coordinates, so that a home without them is told apart. */
  needs_place: boolean;
  /** Whether sales say more than type and place, so that a home of which no more is known is told apart. */
  needs_attributes: boolean;
  boosted: BoostedModel | null;
  /** Generation of its own entries in the ledgers; lower ones come from models that were tried on the sales that this one saw. */
  generation: number;
  /** Known errors: of the boosted model, of its bare part, of ridge with local residual, of the suburb's median. */
  ledgers: Record<'boosted' | 'bare' | 'ridge_local' | 'area_median', Ledger>;
  /** Facts that its sales commonly have, see commonFacts. */
  facts: Unknown;
  /** Known errors of sales of which some of these were hidden, by unknownKey: of the ledger that they belong to, and what was hidden. */
  by_unknown: Record<string, Ledger>;
  /** What its sales were, by type: homes beyond it are not valued. */
  hulls: Hulls;
  /** Market levels on the day of training; null where there were too few sales. */
  levels: PriceLevels | null;
  /** Sales trained on, and gain of the splits by feature. */
  trained_sales: number;
  gain: { name: string; gain: number }[];
}

/** Settings of one training besides the parameters. */
export interface TrainOptions {
  kind: ValuationKind;
  as_of: number;
  /** Identity of the input, for example the digest of the snapshot that the sales came from. */
  snapshot: string;
  /** Hex digest of a text; SHA-256 in the pipeline. */
  digest: (text: string) => string;
}
