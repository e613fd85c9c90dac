import { groupBy } from '../../schema/group_by.ts';
import type { ForecastMethod } from '../../schema/serving/region_forecast.ts';
import { quantile } from '../stats/quantile.ts';

/** Errors of a past forecast by method, and the scale of its sample. */
export interface PastError {
  kind: string;
  scale: number;
  /** Realised minus forecast growth, log. */
  by: Readonly<Record<ForecastMethod, number>>;
}

/** Forecast method of a kind: the one with the smallest past errors, and quantiles of these errors in scales of the sample. */
export interface KindRange {
  method: ForecastMethod;
  low: number;
  high: number;
}

const meanError = (errors: readonly PastError[], method: ForecastMethod): number =>
  errors.reduce((sum, { by }) => sum + Math.abs(by[method]), 0) / errors.length;

/** Returns quantiles of past errors, corrected for their number so that the range contains a share `level` of new errors. */
function quantilesOf(errors: readonly PastError[], method: ForecastMethod, level: number): [number, number] {
  const scaled = errors.map(({ by, scale }) => by[method] / scale);
  const tail = Math.max(0, (1 - level) / 2 - (1 + level) / 2 / scaled.length);
  return [quantile(scaled, tail), quantile(scaled, 1 - tail)];
}

/**
 * Returns the range of each kind from its own past errors, shrunk to the range of all kinds if it has few. The method is no change
 * if the model's errors were no smaller.
 */
export function rangesOf(
  errors: readonly PastError[],
  { level, kind_prior }: { level: number; kind_prior: number },
): Map<string, KindRange> {
  const of_kind = groupBy(errors, ({ kind }) => kind);
  return new Map(
    [...of_kind].map(([kind, own]) => {
      const method = meanError(own, 'model') < meanError(own, 'no_change') ? 'model' : 'no_change';
      const share = own.length / (own.length + kind_prior);
      const [low, high] = quantilesOf(own, method, level);
      const [pool_low, pool_high] = quantilesOf(errors, method, level);
      const blend = (of_own: number, of_pool: number): number => share * of_own + (1 - share) * of_pool;
      return [kind, { method, low: blend(low, pool_low), high: blend(high, pool_high) }];
    }),
  );
}
