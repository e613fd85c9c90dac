import { LEAST_SCORE } from '../cma/comparable_distance.ts';
import type { HomeTable } from '../property/home_table.ts';
import { type Calibration, calibrate, calibrationAsOf, levelsThen } from './calibration.ts';
import { confidenceOf, forecastSd, MAX_FSD } from './confidence.ts';
import { bestScore } from './describe_homes.ts';
import { type DescribedHomes, describe, selectDescribed } from './described_rows.ts';
import type { AnyEvidence } from './evidence.ts';
import { featureMatrix, viewOffset } from './feature_set.ts';
import { applyBinning } from './gbt/bins.ts';
import { predictForest } from './gbt/forest.ts';
import { isOutside } from './hull.ts';
import { intervalMatrix, predictInterval } from './interval.ts';
import type { Ledger, LedgerEntry } from './ledger.ts';
import { isComplete, isValuedByAttributes } from './mask.ts';
import {
  type AvmModel,
  type BoostedModel,
  type ModelVariant,
  type NoEstimateReason,
  partOf,
  type Tier,
} from './model.ts';
import { areaMedianValue, ridgeLocalValue, simpleRange } from './simple_tiers.ts';
import { widened } from './spread.ts';
import { type Unknown, unknownLedger, unknownOf } from './unknown.ts';

/** A prediction before calibration. `tier` null: none, for `reason`. */
export interface Raw {
  tier: Tier | null;
  reason: NoEstimateReason | null;
  dwelling_type: string;
  /** Facts unknown of the property, of those that sales commonly state. */
  unknown: Unknown;
  /** Log dollars, and predicted quantiles of the log error; NaN: no prediction. */
  log_predicted: number;
  low: number;
  high: number;
  /** Price level of the most similar sales, log dollars at the level of the day; NaN: none. */
  log_comparables: number;
}

/** Raw predictions and the evidence behind them, row by row. */
export interface RawBatch {
  raws: Raw[];
  rows: DescribedHomes;
}

/** An estimate as served, in whole dollars; rents in whole dollars per week. */
export interface Estimate {
  price: number;
  /** Bounds of the 80 % interval. */
  low: number;
  high: number;
  /** Forecast standard deviation, a fraction of the price. */
  fsd: number;
  /** 0 to 100. */
  confidence: number;
  tier: Tier;
  /** Median of the most similar sales at the price level of the day. Null: none. */
  comparables: number | null;
}

/** An estimate, or the reason why there is none. */
export type Valuation = { estimate: Estimate; reason: null } | { estimate: null; reason: NoEstimateReason };

/** Returns the tier of a property, or why it has none. */
function tierOf(
  model: AvmModel,
  evidence: AnyEvidence,
  { homes, described }: DescribedHomes,
  row: number,
): Tier | NoEstimateReason {
  if (!evidence.design.types.includes(homes.dwelling_type[row]!)) return 'type_not_valued';
  if (isOutside(model.hulls, homes, row)) return 'outside_evidence';
  const isPlaced = Number.isFinite(homes.lon[row]!) && Number.isFinite(homes.lat[row]!);
  const isKnown = Number.isFinite(described.anchor[row]!);
  // If sales have locations, a property with coordinates and no similar sale nearby is not valued from sales elsewhere.
  if (isKnown && isPlaced && model.needs_place && !(bestScore(described, row) >= LEAST_SCORE))
    return 'outside_evidence';
  if (isKnown && (isPlaced || !model.needs_place)) {
    if (isValuedByAttributes(homes, row, model)) {
      if (model.boosted) return isComplete(homes, row, model.needed) ? 'full' : 'masked';
      return 'ridge_local';
    }
    if (model.boosted) return 'bare';
  }
  if (!Number.isNaN(areaMedianValue(described, row, model.params.min_area_sales))) return 'area_median';
  return isPlaced ? 'too_few_sales' : 'not_located';
}

/** Fills in the predictions of one variant of the boosted model. */
function predictHalf(
  boosted: BoostedModel,
  evidence: AnyEvidence,
  batch: RawBatch,
  variant: ModelVariant,
): void {
  const rows: number[] = [];
  batch.raws.forEach((raw, row) => {
    if (raw.tier === variant) rows.push(row);
  });
  if (rows.length === 0) return;
  const picked = selectDescribed(batch.rows, rows);
  const mean = new Float64Array(rows.length);
  const { views, spread, interval, extra } = partOf(boosted, variant);
  for (const { view, binning, forests } of views) {
    const matrix = featureMatrix(evidence.design, picked.homes, picked.described, extra, view);
    const offset = viewOffset(picked.described, view);
    predictForest(forests[variant]!, applyBinning(binning, matrix)).forEach((value, k) => {
      mean[k]! += (value + offset[k]!) / views.length;
    });
  }
  const predicted = widened(mean, viewOffset(picked.described, 'level'), spread);
  const matrix = intervalMatrix(evidence, picked, extra, predicted, () => variant === 'masked');
  const range = predictInterval(interval, matrix);
  rows.forEach((row, k) => {
    const raw = batch.raws[row]!;
    raw.log_predicted = predicted[k]!;
    raw.low = range.low[k]!;
    raw.high = range.high[k]!;
  });
}

/**
 * Predicts properties as of their days, each from evidence dated at most days[i] - lag_days. The evidence may hold newer sales than
 * the model trained on. Use batches of some 10,000 properties.
 */
export function rawPredictions(
  model: AvmModel,
  evidence: AnyEvidence,
  homes: HomeTable,
  days: Int32Array,
): RawBatch {
  const rows = describe(evidence, homes, days);
  const raws = Array.from({ length: homes.length }, (_, row): Raw => {
    const tier = tierOf(model, evidence, rows, row);
    const base = {
      dwelling_type: homes.dwelling_type[row]!,
      unknown: unknownOf(rows, row, model.facts),
      log_predicted: NaN,
      low: NaN,
      high: NaN,
      log_comparables: rows.described.comparables[row]!,
    };
    switch (tier) {
      case 'full':
      case 'masked':
      case 'bare':
        return { ...base, tier, reason: null };
      case 'ridge_local':
        return {
          ...base,
          tier,
          reason: null,
          log_predicted: ridgeLocalValue(rows.described, row),
          ...simpleRange(),
        };
      case 'area_median':
        return {
          ...base,
          tier,
          reason: null,
          log_predicted: areaMedianValue(rows.described, row, model.params.min_area_sales),
          ...simpleRange(),
        };
      default:
        return { ...base, tier: null, reason: tier };
    }
  });
  const batch = { raws, rows };
  if (model.boosted)
    for (const variant of ['full', 'masked', 'bare'] as const)
      predictHalf(model.boosted, evidence, batch, variant);
  return batch;
}

const LEDGER_OF: Readonly<Record<Tier, keyof AvmModel['ledgers']>> = {
  full: 'boosted',
  masked: 'boosted',
  bare: 'bare',
  ridge_local: 'ridge_local',
  area_median: 'area_median',
};

/** Known errors for calibration, by ledger name. */
type Ledgers = Readonly<Record<string, Ledger>>;

/** Returns all ledgers of a model, named as by ledgerOf. */
export const ledgersOf = ({ ledgers, by_unknown }: AvmModel): Ledgers => ({ ...ledgers, ...by_unknown });

/** Returns the ledger of a prediction: errors with the same facts unknown, else the errors of its tier. Null: no prediction. */
export function ledgerOf({ by_unknown }: AvmModel, { tier, unknown }: Raw): string | null {
  if (tier === null) return null;
  return unknownLedger(Object.keys(by_unknown), LEDGER_OF[tier], unknown) ?? LEDGER_OF[tier];
}

/** Returns the ledger entry of a prediction once its sale is known. Null: no prediction. */
export function ledgerEntry(model: AvmModel, raw: Raw, day: number, price: number): LedgerEntry | null {
  if (raw.tier === null) return null;
  const { dwelling_type, log_predicted, low, high } = raw;
  const log_price = Math.log(price);
  return { day, dwelling_type, generation: model.generation, log_predicted, log_price, low, high };
}

/** Computes calibrations by ledger and day, and caches them. */
export class Calibrator {
  private readonly model: AvmModel;
  private readonly ledgers: Ledgers;
  private readonly levels = new Map<string, Float64Array>();
  private readonly made = new Map<string, Calibration | null>();

  /** `ledgers`: the model's, or the same extended with later errors. */
  constructor(model: AvmModel, ledgers: Ledgers = ledgersOf(model)) {
    this.model = model;
    this.ledgers = ledgers;
  }

  private of(raw: Raw, day: number): Calibration | null {
    const name = ledgerOf(this.model, raw);
    if (name === null) return null;
    const key = `${name} ${day}`;
    const cached = this.made.get(key);
    if (cached !== undefined) return cached;
    const { generation, params } = this.model;
    const ledger = this.ledgers[name]!;
    const levels = this.levels.get(name) ?? levelsThen(ledger, params.calibration);
    this.levels.set(name, levels);
    const calibration = calibrationAsOf(ledger, levels, day, generation, params.calibration);
    this.made.set(key, calibration);
    return calibration;
  }

  /** Returns the level correction of a prediction on a day, log dollars; 0 if no error is known. */
  level(raw: Raw, day: number): number {
    return this.of(raw, day)?.level ?? 0;
  }

  value(raw: Raw, day: number): Valuation {
    if (raw.tier === null) return { estimate: null, reason: raw.reason! };
    const calibration = this.of(raw, day);
    if (!calibration) return { estimate: null, reason: 'too_few_sales' };
    const { log_predicted, log_low, log_high } = calibrate(raw, calibration);
    const price = Math.round(Math.exp(log_predicted));
    const low = Math.round(Math.exp(log_low));
    const high = Math.round(Math.exp(log_high));
    const fsd = forecastSd(price, low, high);
    if (!(fsd <= MAX_FSD)) return { estimate: null, reason: 'too_uncertain' };
    const confidence = confidenceOf(fsd);
    const comparables = Number.isNaN(raw.log_comparables) ? null : Math.round(Math.exp(raw.log_comparables));
    return { estimate: { price, low, high, fsd, confidence, tier: raw.tier, comparables }, reason: null };
  }
}

/**
 * Values properties as of one day: raw predictions and calibration in one call. Pass the same calibrator for several batches of one
 * model: it is costly to build.
 */
export function valueHomes(
  model: AvmModel,
  evidence: AnyEvidence,
  homes: HomeTable,
  as_of: number,
  calibrator: Calibrator = new Calibrator(model),
): Valuation[] {
  const days = new Int32Array(homes.length).fill(as_of);
  return rawPredictions(model, evidence, homes, days).raws.map((raw) => calibrator.value(raw, as_of));
}
