import { byCodeUnit } from '../property/home_table.ts';
import { quantile } from '../stats/quantile.ts';
import type { Ledger } from './ledger.ts';

/** Settings of the level correction and the interval. */
export interface CalibrationParams {
  lag_days: number;
  /** Maximum known errors used by the level correction, and the share of their median that is corrected. */
  level_errors: number;
  level_share: number;
  /** Number of known errors at which half of that share is applied. */
  level_prior: number;
  /** Maximum known scores used to conformalise the interval. */
  scores: number;
  /** Number of newer scores after which a score counts half (Barber et al. 2023): conditions drift. */
  half_life: number;
  /** Number of scores at which a group's own correction counts half and its tercile's the other half; the same for tercile and pool. */
  group_prior: number;
  /** Share of sales outside the interval on each side. */
  tail: number;
}

/** Parameters of the served intervals: 80 %. */
export const CALIBRATION: CalibrationParams = {
  lag_days: 14,
  level_errors: 200,
  level_share: 0.7,
  level_prior: 100,
  scores: 3000,
  half_life: 600,
  group_prior: 100,
  tail: 0.1,
};

/** One prediction before calibration, log dollars. */
export interface RawPrediction {
  dwelling_type: string;
  log_predicted: number;
  low: number;
  high: number;
}

/** Corrections of both ends of an interval, as multiples of the predicted width. */
interface Correction {
  low: number;
  high: number;
}

/** Calibration known on a day: how far predictions are off. */
export interface Calibration {
  /** Level correction, added to log predictions. */
  level: number;
  /** Bounds between the terciles of predicted log prices. */
  terciles: readonly [number, number];
  pool: Correction;
  /** By `type/tercile`. */
  groups: ReadonlyMap<string, Correction>;
  scores: number;
}

/** Minimum interval width, log dollars, so that no score is divided by 0. */
const MIN_WIDTH = 0.02;

const widthOf = (low: number, high: number): number => Math.max(MIN_WIDTH, high - low);

/** Returns the level correction known on a day: a share of the median of the generation's last errors. No errors: 0. */
function levelOf(
  errors: Float64Array,
  { level_errors, level_share, level_prior }: CalibrationParams,
): number {
  const last = errors.subarray(Math.max(0, errors.length - level_errors));
  if (last.length === 0) return 0;
  return ((level_share * last.length) / (last.length + level_prior)) * quantile(last, 0.5);
}

/** Returns the level correction of each entry as known when the entry was predicted, for calibrationAsOf. */
export function levelsThen(ledger: Ledger, params: CalibrationParams): Float64Array {
  const { day, generation, log_price, log_predicted } = ledger;
  const levels = new Float64Array(day.length);
  // Known errors by generation; entries are in order of day.
  const errors = new Map<number, number[]>();
  let nextKnown = 0;
  for (let from = 0, to = 0; from < day.length; from = to) {
    while (to < day.length && day[to] === day[from]) to++;
    for (; nextKnown < from && day[nextKnown]! <= day[from]! - params.lag_days; nextKnown++) {
      const generationErrors = errors.get(generation[nextKnown]!) ?? [];
      errors.set(generation[nextKnown]!, generationErrors);
      generationErrors.push(log_price[nextKnown]! - log_predicted[nextKnown]!);
    }
    const byGeneration = new Map<number, number>();
    for (let i = from; i < to; i++) {
      const current = generation[i]!;
      let level = byGeneration.get(current);
      if (level === undefined) {
        level = levelOf(Float64Array.from((errors.get(current) ?? []).slice(-params.level_errors)), params);
        byGeneration.set(current, level);
      }
      levels[i] = level;
    }
  }
  return levels;
}

/** Scores of both ends with their weights. */
class Scores {
  readonly low: number[] = [];
  readonly high: number[] = [];
  readonly weight: number[] = [];

  add(low: number, high: number, weight: number): void {
    this.low.push(low);
    this.high.push(high);
    this.weight.push(weight);
  }

  /**
   * Returns the scores that leave `tail` outside. `unknown`: weight of the score of the sale to predict, 1 in split conformal
   * prediction.
   * Groups pass 0: shrinking to the pool already guards them against few scores.
   */
  corrections(tail: number, unknown: 0 | 1): Correction {
    return {
      low: this.conformal(this.low, tail, unknown),
      high: this.conformal(this.high, tail, unknown),
    };
  }

  /** Number of scores, counted by weight. */
  get size(): number {
    return this.weight.reduce((sum, own) => sum + own, 0);
  }

  /** Weighted quantile with the mass of the unknown score at infinity; at most the largest score. */
  private conformal(scores: readonly number[], tail: number, unknown: number): number {
    const order = scores.map((_, i) => i).sort((a, b) => scores[a]! - scores[b]! || a - b);
    const target = (1 - tail) * (this.size + unknown);
    let sum = 0;
    for (const i of order) {
      sum += this.weight[i]!;
      if (sum >= target) return scores[i]!;
    }
    return scores[order.at(-1)!]!;
  }
}

const blend = (correction: Correction, other: Correction, weight: number): Correction => ({
  low: weight * correction.low + (1 - weight) * other.low,
  high: weight * correction.high + (1 - weight) * other.high,
});

const tercileOf = (log_predicted: number, [first, second]: readonly [number, number]): number =>
  log_predicted <= first ? 0 : log_predicted <= second ? 1 : 2;

const groupKey = (type: string, tercile: number): string => `${type}/${tercile}`;

/** Returns each group's corrections, shrunk to its tercile's, which are shrunk to the pool. */
function groupCorrections(
  groups: ReadonlyMap<string, Scores>,
  terciles: readonly Scores[],
  pool: Correction,
  { tail, group_prior }: CalibrationParams,
): Map<string, Correction> {
  const weight = ({ size }: Scores): number => size / (size + group_prior);
  const byTercile = terciles.map((scores) =>
    scores.size === 0 ? pool : blend(scores.corrections(tail, 0), pool, weight(scores)),
  );
  const corrections = new Map<string, Correction>();
  for (const key of [...groups.keys()].sort(byCodeUnit)) {
    const scores = groups.get(key)!;
    const parent = byTercile[Number(key.slice(key.lastIndexOf('/') + 1))]!;
    corrections.set(key, blend(scores.corrections(tail, 0), parent, weight(scores)));
  }
  return corrections;
}

/**
 * Calibration as known on a day, from entries dated at most day - lag_days. Each end is conformalised separately, scaled by the
 * predicted width (conformalized quantile regression, Romano et al. 2019).
 * Groups are type × tercile, shrunk to the tercile and the pool; newer scores count more. `generation`: generation of the model
 * that predicts. Null: no entry is known.
 */
export function calibrationAsOf(
  ledger: Ledger,
  levels: Float64Array,
  day: number,
  generation: number,
  params: CalibrationParams,
): Calibration | null {
  const rows: number[] = [];
  for (let i = 0; i < ledger.day.length && ledger.day[i]! <= day - params.lag_days; i++) rows.push(i);
  if (rows.length === 0) return null;
  const rowsOfGeneration = rows.filter((i) => ledger.generation[i] === generation);
  const errors = Float64Array.from(rowsOfGeneration, (i) => ledger.log_price[i]! - ledger.log_predicted[i]!);
  const last = rows.slice(-params.scores);
  const predicted = Float64Array.from(last, (i) => ledger.log_predicted[i]! + levels[i]!);
  const terciles = [quantile(predicted, 1 / 3), quantile(predicted, 2 / 3)] as const;
  const pool = new Scores();
  const byTercile = [new Scores(), new Scores(), new Scores()];
  const byGroup = new Map<string, Scores>();
  last.forEach((i, k) => {
    const error = ledger.log_price[i]! - predicted[k]!;
    const width = widthOf(ledger.low[i]!, ledger.high[i]!);
    const tercile = tercileOf(predicted[k]!, terciles);
    const key = groupKey(ledger.dwelling_type[i]!, tercile);
    const group = byGroup.get(key) ?? new Scores();
    byGroup.set(key, group);
    const weight = 2 ** (-(last.length - 1 - k) / params.half_life);
    for (const scores of [pool, byTercile[tercile]!, group])
      scores.add((ledger.low[i]! - error) / width, (error - ledger.high[i]!) / width, weight);
  });
  const pooled = pool.corrections(params.tail, 1);
  return {
    level: levelOf(errors, params),
    terciles,
    pool: pooled,
    groups: groupCorrections(byGroup, byTercile, pooled, params),
    scores: last.length,
  };
}

/** A prediction with its interval, log dollars. The prediction is within the interval. */
export interface Calibrated {
  log_predicted: number;
  log_low: number;
  log_high: number;
}

export function calibrate(raw: RawPrediction, calibration: Calibration): Calibrated {
  const log_predicted = raw.log_predicted + calibration.level;
  const key = groupKey(raw.dwelling_type, tercileOf(log_predicted, calibration.terciles));
  const { low, high } = calibration.groups.get(key) ?? calibration.pool;
  const width = widthOf(raw.low, raw.high);
  return {
    log_predicted,
    log_low: log_predicted + Math.min(-MIN_WIDTH / 2, raw.low - low * width),
    log_high: log_predicted + Math.max(MIN_WIDTH / 2, raw.high + high * width),
  };
}
