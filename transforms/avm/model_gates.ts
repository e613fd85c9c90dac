import type { RatioStudy } from '../stats/ratio_study.ts';

/** Metrics of a model on sales that it had not seen. */
export interface ModelFigures {
  study: RatioStudy;
  /** Share of sales in the 80 % interval, percent. */
  coverage_pct: number;
  /** Share of properties with an estimate, percent. */
  hit_pct: number;
}

/** Limits that a challenger must meet. */
export interface GateLimits {
  /** Maximum rise of the median absolute error and of COD against the champion, as a fraction. */
  error_rise_max: number;
  /** Maximum fall of the share with an estimate, percentage points. */
  hit_fall_max: number;
  coverage_pct: readonly [low: number, high: number];
  prd: readonly [low: number, high: number];
  median_ratio: readonly [low: number, high: number];
}

/**
 * Limits of publication. They stop broken models, not difficult markets. The IAAO Standard on Ratio Studies asks for a PRD of 0.98
 * to 1.03 in one jurisdiction; a state of cities and farms exceeds that without a fault.
 */
export const GATE_LIMITS: GateLimits = {
  error_rise_max: 0.05,
  hit_fall_max: 2,
  coverage_pct: [75, 86],
  prd: [0.95, 1.06],
  median_ratio: [0.95, 1.05],
};

/** Two standard errors of the median of a half-normal error, as a fraction of it, times the square root of the number of sales. */
const TWO_ERRORS = 2.34;
/** Number of standard errors added to a limit to allow for chance. */
const ERRORS = 2;

/** Returns the rise of an error, as a fraction, that chance allows if sales are added to the champion's. */
const chanceRise = (n: number, before: number): number =>
  TWO_ERRORS * Math.sqrt(Math.max(0, 1 / before - 1 / n));

/** Tolerance, as a share of the width of the limits, for a metric that is outside them and worse than the champion's. */
const SLACK = 0.1;

/** Returns how far a metric is outside its limits; infinite if it is not a number. */
const beyond = (value: number, [low, high]: readonly [number, number]): number =>
  Number.isFinite(value) ? Math.max(0, low - value, value - high) : Infinity;

/**
 * Returns why a challenger may not replace the champion, one sentence each; empty: it may. Both must be evaluated on the same
 * sales; the challenger may have further ones, with an allowance for chance.
 * A champion's metric may already be outside its limits; the market is the reason, so the challenger only fails if it is farther
 * out. Without a champion only the limits apply.
 */
export function gateFailures(
  challenger: ModelFigures,
  champion: ModelFigures | null,
  limits: GateLimits = GATE_LIMITS,
): string[] {
  const failures: string[] = [];
  const { study } = challenger;
  const within = (
    name: string,
    of: (figures: ModelFigures) => number,
    bounds: readonly [number, number],
  ): void => {
    const value = of(challenger);
    const out = beyond(value, bounds);
    const allowed = champion ? beyond(of(champion), bounds) + SLACK * (bounds[1] - bounds[0]) : 0;
    if (out > allowed)
      failures.push(
        `${name} ${value.toFixed(3)} is outside ${bounds.map((own) => own.toFixed(3)).join(' to ')}.`,
      );
  };
  const [least, most] = limits.coverage_pct;
  const chance = (pct: number): number => ERRORS * Math.sqrt((pct * (100 - pct)) / study.n);
  within('coverage_pct', (figures) => figures.coverage_pct, [least - chance(least), most + chance(most)]);
  within('prd', (figures) => figures.study.prd, limits.prd);
  within('median_ratio', (figures) => figures.study.median_ratio, limits.median_ratio);
  if (!champion) return failures;
  for (const name of ['median_abs_error_pct', 'cod'] as const) {
    const rise = limits.error_rise_max + chanceRise(study.n, champion.study.n);
    const highest = champion.study[name] * (1 + rise);
    if (!(study[name] <= highest))
      failures.push(
        `${name} ${study[name].toFixed(2)} is above ${highest.toFixed(2)}, the champion's with the allowed rise.`,
      );
  }
  if (challenger.hit_pct < champion.hit_pct - limits.hit_fall_max)
    failures.push(`hit_pct ${challenger.hit_pct.toFixed(1)} has fallen from ${champion.hit_pct.toFixed(1)}.`);
  return failures;
}
