import { append } from '../../schema/group_by.ts';
import { median, robustSpread } from '../stats/quantile.ts';
import type { Design } from './design.ts';
import type { EvidenceParams } from './evidence_params.ts';
import { type Hedonic, HedonicSums, hedonicBase, typeLevels } from './hedonic.ts';

/** Input of the hedonic models: sales in canonical order. */
export interface HedonicSales {
  design: Design;
  /** Design rows, one after the other. */
  rows: Float32Array;
  /** Area codes (-1: none), and the number of codes. */
  area: Int32Array;
  areas: number;
  log_price: Float64Array;
  /** Months since January 1970, ascending. */
  month: Int32Array;
  /** Index of the type in the design. */
  type: Int32Array;
}

/** Monthly models, and the training sales. */
export interface HedonicVintages {
  vintages: Hedonic[];
  /** Sales that are not outliers, ascending. */
  keptRows: number[];
}

/** Returns whether a sale of a later month is too far from the model's value. */
function isOutlier(sales: HedonicSales, { model, level }: Latest, i: number, limit: number): boolean {
  const typeLevel = level[sales.type[i]!]!;
  const expected = hedonicBase(model, sales.rows, i, sales.area[i]!) + typeLevel;
  return Math.abs(sales.log_price[i]! - expected) > limit;
}

/** Newest model and its level of each type. */
interface Latest {
  model: Hedonic;
  level: number[];
}

/** Screens the sales before the first model: keeps those within the early factor of their type's median. */
function screenEarly({ log_price, type }: HedonicSales, to: number, limit: number): number[] {
  const byType = new Map<number, number[]>();
  for (let i = 0; i < to; i++) append(byType, type[i]!, log_price[i]!);
  const middle = new Map([...byType].map(([own, prices]) => [own, median(prices)]));
  return Array.from({ length: to }, (_, i) => i).filter(
    (i) => Math.abs(log_price[i]! - middle.get(type[i]!)!) <= limit,
  );
}

/** Fits the model of a month. `last_month` counts as seen even if none of its sales is kept: they decided which sales are. */
function fitModel(
  sales: HedonicSales,
  sums: HedonicSums,
  keptRows: readonly number[],
  last_month: number,
  params: EvidenceParams,
): Hedonic {
  const first_month = sales.month[0]!;
  const solved = sums.solve(last_month, params.hedonic);
  const n = keptRows.length;
  const typed = {
    n,
    type: Int32Array.from(keptRows, (i) => sales.type[i]!),
    month: Int32Array.from(keptRows, (i) => sales.month[i]!),
    residual: new Float64Array(n),
  };
  keptRows.forEach((i, k) => {
    const level = solved.pooled[typed.month[k]! - first_month]!;
    typed.residual[k] = sales.log_price[i]! - hedonicBase(solved, sales.rows, i, sales.area[i]!) - level;
  });
  const levels = typeLevels(sales.design.types, first_month, solved.pooled, typed, params.hedonic);
  const { weights, area_effects } = solved;
  return { weights, area_effects, levels, last_month, spread: robustSpread(typed.residual), sales: n };
}

/**
 * Goes through the months once: screens each month's sales with the model of the months before, then fits a model that includes
 * them. The first model waits for min_sales.
 */
export function walkMonths(sales: HedonicSales, params: EvidenceParams): HedonicVintages {
  const { month, design } = sales;
  const walked: HedonicVintages = { vintages: [], keptRows: [] };
  const n = month.length;
  if (n === 0) return walked;
  const sums = new HedonicSums(design.columns, sales.areas, month[0]!, month[n - 1]! - month[0]! + 1);
  const limit = Math.log(params.outlier_factor);
  let latest: Latest | null = null;
  for (let from = 0, to = 0; from < n; from = to) {
    while (to < n && month[to] === month[from]) to++;
    let fresh: number[] = [];
    if (latest) {
      for (let i = from; i < to; i++) if (!isOutlier(sales, latest, i, limit)) fresh.push(i);
    } else if (to >= params.min_sales) fresh = screenEarly(sales, to, Math.log(params.early_outlier_factor));
    else continue;
    for (const i of fresh) {
      sums.add(sales.rows, i * design.columns, sales.area[i]!, month[i]!, sales.log_price[i]!);
      walked.keptRows.push(i);
    }
    const model = fitModel(sales, sums, walked.keptRows, month[from]!, params);
    walked.vintages.push(model);
    latest = { model, level: design.types.map((type) => model.levels.by_type.get(type)!.at(-1)!) };
  }
  if (!latest) walked.keptRows = screenEarly(sales, n, Math.log(params.early_outlier_factor));
  return walked;
}
