import type { RatioStudy } from './ratio_study.ts';
import type { VerticalEquity } from './vertical_equity.ts';

/** Limits of the IAAO for residential property: median ratio, coefficient of dispersion, vertical equity indicator (percent). */
const IAAO_LIMITS = { median_ratio: [0.9, 1.1], cod: 15, vei: 10 } as const;

/** Whether estimates meet the standards of the IAAO. Null: too few sales to say. */
export interface StandardsMet {
  /** The median ratio is 0.90 to 1.10. */
  level: boolean;
  /** The COD is at most 15. */
  uniformity: boolean;
  /** The VEI is within ±10, or the intervals of the cheapest and the most expensive homes overlap. */
  vertical_equity: boolean | null;
}

/** Compares figures with the limits of the IAAO. */
export function standardsMet(
  { median_ratio, cod }: Pick<RatioStudy, 'median_ratio' | 'cod'>,
  { vei, vei_gap }: VerticalEquity,
): StandardsMet {
  const [low, high] = IAAO_LIMITS.median_ratio;
  return {
    level: median_ratio >= low && median_ratio <= high,
    uniformity: cod <= IAAO_LIMITS.cod,
    vertical_equity: Number.isNaN(vei) ? null : Math.abs(vei) <= IAAO_LIMITS.vei || vei_gap === 0,
  };
}
