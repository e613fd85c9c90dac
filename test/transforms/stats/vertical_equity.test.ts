import { describe, expect, it } from 'vitest';
import { ratioStudy } from '../../../transforms/stats/ratio_study.ts';
import { standardsMet } from '../../../transforms/stats/standards.ts';
import { verticalEquity } from '../../../transforms/stats/vertical_equity.ts';

/** Worked example of the exposure draft: assessed values and prices of 54 sales, thousands of dollars. */
const EXAMPLE = [
  [240, 690],
  [144, 296.25],
  [392, 787.5],
  [199.2, 372],
  [340.8, 574.5],
  [472, 795],
  [336, 559.5],
  [284.8, 465],
  [436, 693.6],
  [191.2, 298.5],
  [225, 350],
  [194, 295],
  [481.6, 732],
  [338.4, 495],
  [164.8, 237],
  [252.8, 352.5],
  [945, 1289],
  [280, 379],
  [407, 540],
  [423, 560],
  [306.8, 390],
  [236.8, 300],
  [361, 450],
  [290.4, 345],
  [235.2, 277.5],
  [415, 485],
  [381, 442],
  [380, 435],
  [875, 998],
  [680, 772.5],
  [329, 365],
  [457, 487],
  [516, 547.5],
  [295.2, 300],
  [580, 580],
  [840, 840],
  [640, 622.5],
  [660, 637.5],
  [354, 340],
  [800, 750],
  [390, 352.5],
  [800, 705],
  [469, 410],
  [1000, 859.5],
  [920, 787.5],
  [527, 440],
  [800, 648],
  [786, 630],
  [496, 388.5],
  [1000, 765],
  [320, 243.75],
  [960, 720],
  [952, 705],
  [327.2, 240],
] as const;
const estimates = Float64Array.from(EXAMPLE, ([estimate]) => estimate);
const prices = Float64Array.from(EXAMPLE, ([, price]) => price);

describe('vertical equity', () => {
  it('is that of the worked example of the standard', () => {
    const { vei, vei_gap } = verticalEquity(estimates, prices);
    // The standard computes with medians of three digits.
    expect(vei).toBeCloseTo(50.12, 0);
    expect(Math.abs(vei - 50.12)).toBeLessThan(0.25);
    expect(Math.abs(vei_gap - 17.51)).toBeLessThan(0.25);
    expect(standardsMet(ratioStudy(estimates, prices), { vei, vei_gap })).toEqual({
      level: false,
      uniformity: false,
      vertical_equity: false,
    });
  });

  it('does not depend on the order of sales, and is 0 for a constant ratio', () => {
    const backwards = verticalEquity(estimates.toReversed(), prices.toReversed());
    expect(backwards).toEqual(verticalEquity(estimates, prices));
    const flat = verticalEquity(
      prices.map((price) => 0.95 * price),
      prices,
    );
    expect(flat.vei).toBeCloseTo(0, 9);
    expect(flat.vei_gap).toBe(0);
  });

  it('is negative where expensive homes are valued low, and tolerated while the intervals overlap', () => {
    const paid = Float64Array.from({ length: 800 }, (_, i) => 300_000 + 1000 * i);
    const low = paid.map((price, i) => price * (1.1 - i / 4000));
    const tilted = verticalEquity(low, paid);
    expect(tilted.vei).toBeLessThan(-10);
    expect(tilted.vei_gap).toBeGreaterThan(0);
    const few = verticalEquity(
      low.filter((_, i) => i % 40 === 0),
      paid.filter((_, i) => i % 40 === 0),
    );
    expect(few.vei).toBeLessThan(0);
    expect(standardsMet({ median_ratio: 1, cod: 8 }, { vei: -12, vei_gap: 0 }).vertical_equity).toBe(true);
    expect(standardsMet({ median_ratio: 1, cod: 8 }, { vei: -12, vei_gap: 1 }).vertical_equity).toBe(false);
  });

  it('is unknown for fewer than 20 sales', () => {
    const { vei, vei_gap } = verticalEquity(estimates.subarray(0, 19), prices.subarray(0, 19));
    expect([vei, vei_gap]).toEqual([Number.NaN, Number.NaN]);
    expect(standardsMet({ median_ratio: 1, cod: 8 }, { vei, vei_gap }).vertical_equity).toBeNull();
  });
});
