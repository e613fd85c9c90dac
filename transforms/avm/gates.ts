import type { RatioStudy } from '../stats/ratio_study.ts';

/** What a model showed on sales that it had not seen. */
export interface ModelFigures {
  study: RatioStudy;
  /** Share of sales in the 80 % interval, percent. */
  coverage_pct: number;
  /** Share of homes with an estimate, percent. */
  hit_pct: number;
}

/** Limits that a challenger must keep. */
export interface GateLimits {
  /** Largest rise of the median absolute error and of COD against the champion, as a fraction. */
  error_rise_max: number;
  /** Largest fall of the share with an estimate, percentage points. */
  hit_fall_max: number;
  coverage_pct: readonly [low: number, high: number];
  /** IAAO Standard on Ratio Studies. */
  prd: readonly [low: number, high: number];
  median_ratio: readonly [low: number, high: number];
}

/** Limits of publication. */
export const GATE_LIMITS: GateLimits = {
  error_rise_max: 0.05,
  hit_fall_max: 2,
  coverage_pct: [75, 86],
  prd: [0.98, 1.03],
  median_ratio: [0.95, 1.05],
};

const outside = (value: number, [low, high]: readonly [number, number]): boolean =>
  !(value >= low && value <= high);

/**
 * Why a challenger may not replace the champion, one sentence each; none: it may. Both must have been judged on the same
 * sales. Without a champion only the absolute limits count.
 */
export function gateFailures(
  challenger: ModelFigures,
  champion: ModelFigures | null,
  limits: GateLimits = GATE_LIMITS,
): string[] {
  const failures: string[] = [];
  const { study } = challenger;
  const within = (name: string, value: number, bounds: readonly [number, number]): void => {
    if (outside(value, bounds))
      failures.push(`${name} ${value.toFixed(3)} is outside ${bounds.join(' to ')}.`);
  };
  within('coverage_pct', challenger.coverage_pct, limits.coverage_pct);
  within('prd', study.prd, limits.prd);
  within('median_ratio', study.median_ratio, limits.median_ratio);
  if (!champion) return failures;
  for (const name of ['median_abs_error_pct', 'cod'] as const) {
    const most = champion.study[name] * (1 + limits.error_rise_max);
    if (!(study[name] <= most))
      failures.push(
        `${name} ${study[name].toFixed(2)} is above ${most.toFixed(2)}, the champion's with the allowed rise.`,
      );
  }
  if (challenger.hit_pct < champion.hit_pct - limits.hit_fall_max)
    failures.push(`hit_pct ${challenger.hit_pct.toFixed(1)} has fallen from ${champion.hit_pct.toFixed(1)}.`);
  return failures;
}
