import { describe, expect, it } from 'vitest';
import {
  type IndexParams,
  type IndexSale,
  PRICE_INDEX,
  repeatSalesIndex,
} from '../../../transforms/market/price_index.ts';
import { firstDayOfMonth, monthOf } from '../../../transforms/stats/calendar.ts';
import { seededRandom } from '../../../transforms/stats/random.ts';

const LAST = 660;
const MONTHS = 60;
const PARAMS: IndexParams = { ...PRICE_INDEX, last_month: LAST, months: MONTHS };
const FIRST = LAST - MONTHS + 1;
/** Log level of a month: it rises, falls and rises again. */
const levelAt = (month: number): number => 0.004 * (month - FIRST) + 0.08 * Math.sin((month - FIRST) / 9);

/** Homes of very different worth that sell two or three times. */
function resales(homes: number, noise: number, seed: number): IndexSale[] {
  const random = seededRandom(seed, 5);
  return Array.from({ length: homes }, (_, i) => {
    const worth = Math.exp(13 + 2 * random.next());
    return Array.from({ length: 2 + random.int(2) }, () => {
      const day = firstDayOfMonth(FIRST) + random.int(firstDayOfMonth(LAST + 1) - firstDayOfMonth(FIRST));
      const error = noise * (random.next() + random.next() + random.next() - 1.5);
      return { property: `h${i}`, day, price: Math.round(worth * Math.exp(levelAt(monthOf(day)) + error)) };
    });
  }).flat();
}

/** Solves by Gaussian elimination with row exchange. */
function solve(a: number[][], b: number[]): number[] {
  const n = b.length;
  const m = a.map((row, i) => [...row, b[i]!]);
  for (let k = 0; k < n; k++) {
    let best = k;
    for (let i = k + 1; i < n; i++) if (Math.abs(m[i]![k]!) > Math.abs(m[best]![k]!)) best = i;
    [m[k], m[best]] = [m[best]!, m[k]!];
    for (let i = k + 1; i < n; i++) {
      const factor = m[i]![k]! / m[k]![k]!;
      for (let j = k; j <= n; j++) m[i]![j]! -= factor * m[k]![j]!;
    }
  }
  const x = new Array<number>(n).fill(0);
  for (let i = n - 1; i >= 0; i--) {
    let sum = m[i]![n]!;
    for (let j = i + 1; j < n; j++) sum -= m[i]![j]! * x[j]!;
    x[i] = sum / m[i]![i]!;
  }
  return x;
}

/** The same index from the definitions, with dense matrices, on periods that the index states. */
function plainIndex(
  sales: readonly IndexSale[],
  periods: { month: number; window_months: number }[],
): number[] {
  const periodOf = (day: number): number =>
    periods.findIndex(
      ({ month, window_months }) => monthOf(day) <= month && monthOf(day) > month - window_months,
    );
  const rows: { x: number[]; y: number; gap: number }[] = [];
  for (const property of new Set(sales.map((sale) => sale.property))) {
    const own = sales
      .filter((sale) => sale.property === property)
      .sort((a, b) => a.day - b.day || a.price - b.price);
    own.slice(1).forEach((later, i) => {
      const earlier = own[i]!;
      const [p, q] = [periodOf(earlier.day), periodOf(later.day)];
      const ratio = later.price / earlier.price;
      if (p < 0 || p === q || later.day - earlier.day < 180 || ratio > 4 || ratio < 0.25) return;
      const x = periods.map((_, k) => Number(k === q) - Number(k === p)).slice(1);
      rows.push({ x, y: Math.log(ratio), gap: later.day - earlier.day });
    });
  }
  const fitted = (weights: number[]): number[] => {
    const n = periods.length - 1;
    const a = Array.from({ length: n }, (_, i) =>
      Array.from({ length: n }, (_, j) =>
        rows.reduce((sum, { x }, r) => sum + weights[r]! * x[i]! * x[j]!, 0),
      ),
    );
    return solve(
      a,
      Array.from({ length: n }, (_, i) =>
        rows.reduce((sum, { x, y }, r) => sum + weights[r]! * x[i]! * y, 0),
      ),
    );
  };
  const even = fitted(rows.map(() => 1));
  const squares = rows.map(({ x, y }) => (y - x.reduce((sum, own, k) => sum + own * even[k]!, 0)) ** 2);
  const count = rows.length;
  const total = (of: (r: number) => number): number => rows.reduce((sum, _, r) => sum + of(r), 0);
  const [intercept, slope] = solve(
    [
      [count, total((r) => rows[r]!.gap)],
      [total((r) => rows[r]!.gap), total((r) => rows[r]!.gap ** 2)],
    ],
    [total((r) => squares[r]!), total((r) => rows[r]!.gap * squares[r]!)],
  ) as [number, number];
  const least = (0.1 * total((r) => squares[r]!)) / count;
  const levels = fitted(rows.map(({ gap }) => 1 / Math.max(least, intercept + slope * gap)));
  return [0, ...levels].map((level) => 100 * Math.exp(level));
}

describe('the repeat-sales index', () => {
  const sales = resales(900, 0.1, 1);
  const index = repeatSalesIndex(sales, PARAMS)!;

  it('is the weighted least squares of the definitions', () => {
    const plain = plainIndex(sales, index);
    index.forEach((point, i) => {
      expect(point.index).toBeCloseTo(plain[i]!, 1);
    });
  });

  it('finds the level that homes were sold at, whatever they are worth', () => {
    expect(index[0]).toMatchObject({ index: 100 });
    expect(index.at(-1)!.month).toBe(LAST);
    const exact = repeatSalesIndex(resales(900, 0, 2), PARAMS)!;
    const start = exact.find(({ window_months }) => window_months === 1)!;
    for (const { month, index: own, window_months } of exact)
      if (window_months === 1)
        expect(Math.log(own / start.index)).toBeCloseTo(levelAt(month) - levelAt(start.month), 2);
  });

  it('has months of their own where they carry one, and joins thin ones', () => {
    for (const { sample, window_months } of index) {
      expect(sample).toBeGreaterThanOrEqual(PARAMS.min_sample);
      expect(window_months).toBeLessThanOrEqual(PARAMS.max_period);
    }
    expect(index.filter(({ window_months }) => window_months === 1).length).toBeGreaterThan(20);
    const thin = repeatSalesIndex(sales.slice(0, 300), PARAMS)!;
    expect(Math.max(...thin.map(({ window_months }) => window_months))).toBeGreaterThan(2);
    thin.slice(1).forEach(({ month, window_months }, i) => {
      expect(month - window_months).toBe(thin[i]!.month);
    });
  });

  it('does not depend on the order of the sales', () => {
    expect(repeatSalesIndex(sales.toReversed(), PARAMS)).toEqual(index);
  });

  it.each([
    ['too few homes sold twice', sales.slice(0, 90)],
    ['no home sold twice', sales.map((sale, i) => ({ ...sale, property: `${i}` }))],
    ['all of it lies in two years', sales.filter(({ day }) => monthOf(day) > LAST - 23)],
    [
      'homes were traded within months',
      sales.map((sale) => ({ ...sale, day: firstDayOfMonth(LAST) - (sale.day % 100) })),
    ],
    [
      'prices are no prices',
      sales.map((sale) => ({ ...sale, price: 1.05 ** (sale.day - firstDayOfMonth(FIRST)) })),
    ],
  ])('is none where %s', (_, given) => {
    expect(repeatSalesIndex(given, PARAMS)).toBeNull();
  });
});
