import { append } from '../../schema/group_by.ts';
import type { Estimate } from '../../transforms/avm/predict.ts';
import { bootstrapIntervals, type ConfidenceInterval } from '../../transforms/stats/bootstrap.ts';
import { median, quantile } from '../../transforms/stats/quantile.ts';
import { type RatioStudy, ratioStudy } from '../../transforms/stats/ratio_study.ts';
import { type StandardsMet, standardsMet } from '../../transforms/stats/standards.ts';
import { NO_EQUITY, type VerticalEquity, verticalEquity } from '../../transforms/stats/vertical_equity.ts';

/** A test sale with its estimate. */
export interface EvaluatedSale {
  /** Row number among the test sales. */
  row: number;
  price: number;
  dwelling_type: string;
  area: string;
  /** State and SA4; null: unknown, as for sales of a file. */
  state: string | null;
  sa4: string | null;
  lon: number;
  lat: number;
  estimate: Estimate;
}

/** State and SA4 of sales, by id. */
export type Labels = ReadonlyMap<string, { state: string; sa4: string | null }>;

/** Metrics of one method over the sales with an estimate. */
export interface MethodFigures extends RatioStudy {
  method: string;
  /** Test sales with an estimate, percent. */
  hit_pct: number;
  /** 95 % bootstrap intervals. */
  interval: Record<Exclude<keyof RatioStudy, 'n'>, ConfidenceInterval>;
}

/** Metrics of a group of sales, from the model's estimates and intervals. */
export interface GroupFigures extends RatioStudy, VerticalEquity {
  group: string;
  /** Standards of the IAAO that the group meets. */
  met: StandardsMet;
  /** Prices inside the 80 % interval, percent. */
  coverage_pct: number;
  /** Median width of the interval, percent of the estimate. */
  median_width_pct: number;
}

/** Rounds, seed and confidence level of the bootstrap. */
const BOOTSTRAP = { rounds: 200, seed: 1, level: 0.95 };

/** Computes a method's ratio study with bootstrap intervals. NaN estimates are left out. */
export function methodFigures(method: string, estimates: Float64Array, prices: Float64Array): MethodFigures {
  const rows = Array.from({ length: prices.length }, (_, i) => i).filter((i) =>
    Number.isFinite(estimates[i]!),
  );
  const ownEstimates = Float64Array.from(rows, (i) => estimates[i]!);
  const paid = Float64Array.from(rows, (i) => prices[i]!);
  const interval = bootstrapIntervals(
    rows.length,
    (sample) => {
      const { n, ...figures } = ratioStudy(
        Float64Array.from(sample, (i) => ownEstimates[i]!),
        Float64Array.from(sample, (i) => paid[i]!),
      );
      return figures;
    },
    BOOTSTRAP,
  );
  return {
    method,
    ...ratioStudy(ownEstimates, paid),
    hit_pct: (100 * rows.length) / prices.length,
    interval,
  };
}

/** Computes the metrics of one group. */
export function groupFigures(group: string, sales: readonly EvaluatedSale[]): GroupFigures {
  const inside = sales.filter(
    ({ price, estimate }) => price >= estimate.low && price <= estimate.high,
  ).length;
  const widths = sales.map(({ estimate }) => (100 * (estimate.high - estimate.low)) / estimate.price);
  const estimates = Float64Array.from(sales, ({ estimate }) => estimate.price);
  const prices = Float64Array.from(sales, ({ price }) => price);
  const study = ratioStudy(estimates, prices);
  const equity = verticalEquity(estimates, prices);
  return {
    group,
    ...study,
    ...equity,
    met: standardsMet(study, equity),
    coverage_pct: (100 * inside) / sales.length,
    median_width_pct: median(widths),
  };
}

/** Metrics whose spread over time windows is reported. */
export const SPREAD_METRICS = [
  'median_abs_error_pct',
  'median_ratio',
  'cod',
  'prd',
  'prb',
  'vei',
  'coverage_pct',
] as const;

/** Mean and standard deviation of a metric over time windows, and its lowest and highest value. */
export interface WindowSpread {
  mean: number;
  sd: number;
  low: number;
  high: number;
}

/** Computes the spread of each metric over windows that have it. Null: fewer than two do. */
export const errorSpread = (
  windows: readonly GroupFigures[],
): Record<(typeof SPREAD_METRICS)[number], WindowSpread | null> =>
  Object.fromEntries(
    SPREAD_METRICS.map((metric) => {
      const values = windows.map((each) => each[metric]).filter(Number.isFinite);
      if (values.length < 2) return [metric, null];
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
      const sd = Math.sqrt(squares / (values.length - 1));
      return [metric, { mean, sd, low: Math.min(...values), high: Math.max(...values) }];
    }),
  ) as Record<(typeof SPREAD_METRICS)[number], WindowSpread | null>;

/**
 * Computes metrics by `groupOf`; groups are in the order of `order`, else by name. Empty groups and sales without a group (null) are left
 * out.
 */
export function figuresBy(
  sales: readonly EvaluatedSale[],
  groupOf: (sale: EvaluatedSale) => string | null,
  order?: readonly string[],
): GroupFigures[] {
  const groups = new Map<string, EvaluatedSale[]>();
  for (const sale of sales) {
    const name = groupOf(sale);
    if (name === null) continue;
    append(groups, name, sale);
  }
  const names = order ? order.filter((name) => groups.has(name)) : [...groups.keys()].sort();
  return names.map((name) => groupFigures(name, groups.get(name)!));
}

/** Removes vertical equity from groups by price or estimate: within one, the ratio follows the value by selection alone. */
export const withoutEquity = (groups: readonly GroupFigures[]): GroupFigures[] =>
  groups.map((own) => ({
    ...own,
    ...NO_EQUITY,
    met: { ...own.met, vertical_equity: null },
  }));

export const TERCILES = ['lower third', 'middle third', 'upper third'] as const;

/** Returns a function that names the tercile of a sale's value. */
export function tercileBy(
  sales: readonly EvaluatedSale[],
  numberOf: (sale: EvaluatedSale) => number,
): (sale: EvaluatedSale) => string {
  const values = sales.map(numberOf);
  const first = quantile(values, 1 / 3);
  const second = quantile(values, 2 / 3);
  return (sale) => {
    const value = numberOf(sale);
    return TERCILES[value <= first ? 0 : value <= second ? 1 : 2];
  };
}
