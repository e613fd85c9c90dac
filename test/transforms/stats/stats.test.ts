import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bootstrapIntervals } from '../../../transforms/stats/bootstrap.ts';
import {
  civilOf,
  dayOf,
  dayOfIso,
  firstDayOfMonth,
  isoOfDay,
  monthOf,
} from '../../../transforms/stats/calendar.ts';
import { median, quantile, robustSpread, selectKth } from '../../../transforms/stats/quantile.ts';
import { seededRandom, shuffleFirst } from '../../../transforms/stats/random.ts';
import { ratioStudy } from '../../../transforms/stats/ratio_study.ts';
import { endBelow, groupRows } from '../../../transforms/stats/row_groups.ts';
import { smoothLevels, solveSpd } from '../../../transforms/stats/solve.ts';

const MS_PER_DAY = 86_400_000;

describe('quantiles', () => {
  it('select what sorting gives', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1 }), fc.nat(), (values, at) => {
        const k = at % values.length;
        const sorted = [...values].sort((a, b) => a - b);
        expect(selectKth(Float64Array.from(values), k)).toBe(sorted[k]);
      }),
    );
  });

  it.each([
    [[], 0.5, NaN],
    [[3], 0.9, 3],
    [[4, 1, 3, 2], 0.5, 2.5],
    [[1, 2, 3, 4, 5], 0.25, 2],
    [[10, 0], 0.8, 8],
  ])('of %j at %d is %d', (values, q, expected) => expect(quantile(values, q)).toBe(expected));

  it('do not modify their input', () => {
    const values = [3, 1, 2];
    median(values);
    expect(values).toEqual([3, 1, 2]);
  });

  it('give the spread of a normal sample', () => {
    const random = seededRandom(1, 1);
    const sample = Array.from({ length: 5000 }, () => {
      let sum = -6;
      for (let i = 0; i < 12; i++) sum += random.next();
      return sum;
    });
    expect(robustSpread(sample)).toBeCloseTo(1, 1);
  });
});

describe('calendar', () => {
  it('agrees with Date', () => {
    fc.assert(
      fc.property(fc.integer({ min: -150_000, max: 150_000 }), (day) => {
        const date = new Date(day * MS_PER_DAY);
        const civil = { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
        expect(civilOf(day)).toEqual(civil);
        expect(dayOf(civil)).toBe(day);
      }),
    );
  });

  it.each([
    ['2024-02-29', 19782],
    ['2023-02-29', null],
    ['2023-13-01', null],
    ['x', null],
  ])('reads %s as %s', (text, day) => expect(dayOfIso(text)).toBe(day));

  it('counts months', () => {
    expect(monthOf(-1)).toBe(-1);
    expect(isoOfDay(firstDayOfMonth(monthOf(19782)))).toBe('2024-02-01');
  });
});

describe('solve', () => {
  it('solves symmetric positive definite systems', () => {
    const a = Float64Array.of(4, 0, 0, 2, 5, 0, 1, 3, 6);
    const b = Float64Array.of(4 * 1 + 2 * 2 + 1 * 3, 2 + 5 * 2 + 3 * 3, 1 + 3 * 2 + 6 * 3);
    solveSpd(a, b);
    for (const [i, value] of [1, 2, 3].entries()) expect(b[i]).toBeCloseTo(value, 12);
  });

  it('refuses what is not positive definite', () => {
    expect(() => solveSpd(Float64Array.of(1, 0, 2, 1), Float64Array.of(1, 1))).toThrow(
      expect.objectContaining({ code: 'avm_not_solvable' }),
    );
  });

  it('smooths levels to the minimum of its criterion', () => {
    const sums = Float64Array.of(1, 0, 6, 0);
    const weight = Float64Array.of(1, 0, 2, 0);
    const x = smoothLevels(sums, weight, 3, 0.5);
    const loss = (v: ArrayLike<number>): number => {
      let sum = 0;
      for (let t = 0; t < 4; t++) {
        if (weight[t]! > 0) sum += weight[t]! * (v[t]! - sums[t]! / weight[t]!) ** 2;
        sum += 0.5 * v[t]! ** 2 + (t > 0 ? 3 * (v[t]! - v[t - 1]!) ** 2 : 0);
      }
      return sum;
    };
    for (let t = 0; t < 4; t++) {
      for (const step of [-1e-3, 1e-3]) expect(loss(x.with(t, x[t]! + step))).toBeGreaterThan(loss(x));
    }
  });
});

describe('ratio study', () => {
  it('gives the figures of a case done by hand', () => {
    const study = ratioStudy(Float64Array.of(90, 200, 330), Float64Array.of(100, 200, 300));
    expect(study.n).toBe(3);
    expect(study.median_ratio).toBeCloseTo(1, 12);
    expect(study.median_abs_error_pct).toBeCloseTo(10, 9);
    expect(study.within_20_pct).toBe(100);
    expect(study.cod).toBeCloseTo(100 * (0.2 / 3), 9);
    expect(study.prd).toBeCloseTo(1 / (620 / 600), 9);
    expect(study.prb).toBeGreaterThan(0);
  });

  it('has no price bias if all prices are equal', () => {
    const prices = new Float64Array(50).fill(500_000);
    const estimates = prices.map((price, i) => price + (i % 3));
    expect(ratioStudy(estimates, prices).prb).toBeNaN();
  });

  it('is NaN without sales', () => expect(ratioStudy(new Float64Array(), new Float64Array()).cod).toBeNaN());
});

describe('random numbers', () => {
  it('are equal for equal seeds, and differ by stream', () => {
    const draw = (seed: number, stream: number): number[] => {
      const random = seededRandom(seed, stream);
      return Array.from({ length: 5 }, () => random.next());
    };
    expect(draw(1, 1)).toEqual(draw(1, 1));
    expect(draw(1, 1)).not.toEqual(draw(1, 2));
    expect(draw(1, 1)).not.toEqual(draw(2, 1));
  });

  it('are uniform', () => {
    const random = seededRandom(3, 0);
    const counts = new Array(10).fill(0);
    for (let i = 0; i < 20_000; i++) counts[random.int(10)]++;
    for (const count of counts) expect(Math.abs(count - 2000)).toBeLessThan(200);
  });

  it('shuffle without loss', () => {
    const items = Int32Array.from({ length: 20 }, (_, i) => i);
    shuffleFirst(items, 7, seededRandom(1, 1));
    expect([...items].sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i));
  });
});

describe('bootstrap', () => {
  const mean = (sample: Int32Array) => ({ mean: sample.reduce((sum, i) => sum + i, 0) / sample.length });

  it('covers the figure and repeats itself', () => {
    const options = { rounds: 200, seed: 1, level: 0.95 };
    const once = bootstrapIntervals(101, mean, options);
    expect(once.mean.low).toBeLessThan(50);
    expect(once.mean.high).toBeGreaterThan(50);
    expect(bootstrapIntervals(101, mean, options)).toEqual(once);
  });
});

describe('row groups', () => {
  it('list the rows of each code, ascending', () => {
    const groups = groupRows(Int32Array.of(1, -1, 0, 1, 1), 2);
    expect([...groups.rows]).toEqual([2, 0, 3, 4]);
    expect(endBelow(groups, 1, 4) - groups.starts[1]!).toBe(2);
    expect(endBelow(groups, 0, 2) - groups.starts[0]!).toBe(0);
  });
});
