import { append } from '../../schema/group_by.ts';
import { scoreOf } from '../cma/comparable_distance.ts';
import { COMPARABLES, makeRanked, rankComparables } from '../cma/comparables.ts';
import { keepNearest, nearestPoints, pointsWithin } from '../cma/point_grid.ts';
import { type SubjectProperty, subjectOf } from '../cma/sales_index.ts';
import { type HomeTable, knownBy } from '../property/home_table.ts';
import { quantileInPlace } from '../stats/quantile.ts';
import { endBelow } from '../stats/row_groups.ts';
import { designRows } from './design.ts';
import { type AnyEvidence, type Evidence, type PricesAtLevel, vintageOf } from './evidence.ts';
import { type Hedonic, hedonicBase } from './hedonic.ts';

/** Names of the evidence features in column order. Prices are logs relative to the anchor. */
export const EVIDENCE_FEATURES = [
  'hedonic_value',
  'area_median',
  'area_count',
  'area_spread',
  'area_residual',
  'nearest_5',
  'nearest_15',
  'residual_10',
  'residual_40',
  'residual_kernel',
  'kernel_weight',
  'comparables',
  'comparables_residual',
  'comparables_residual_wide',
  'comparables_residual_median',
  'comparables_weight',
  'comparables_spread',
  'comparables_best',
  'sales_1km_12m',
  'own_previous',
  'own_previous_years',
] as const;
const COLUMN = Object.fromEntries(EVIDENCE_FEATURES.map((name, k) => [name, k])) as Record<
  (typeof EVIDENCE_FEATURES)[number],
  number
>;

/** Properties described by the sales known on their days. */
export interface Described {
  /** Column k of row i is at k * rows + i; columns as in EVIDENCE_FEATURES. NaN: no evidence. */
  values: Float64Array;
  /** Hedonic value at the day's price level, log dollars; price features are relative to it. NaN: no model. */
  anchor: Float64Array;
  /** Estimate from comparables, log dollars; NaN: none. */
  comparables: Float64Array;
  /** Number of sales in the median of the suburb and type. */
  area_count: Float64Array;
  /** Median of the suburb and type at the day's price level, log dollars; NaN: none. */
  area_median: Float64Array;
}

/** Returns the dist_score of a property's most similar sale; NaN: none known. */
export const bestScore = ({ values, anchor }: Described, row: number): number =>
  scoreOf(values[COLUMN.comparables_best * anchor.length + row]!);

/** Maximum age of sales in the neighbourhood features, days. */
export const WINDOW_DAYS = 731;
const YEAR_DAYS = 365;
/** Maximum sales in the median of a suburb and type, newest first. */
const AREA_SALES = 100;
/** Maximum number of sales of any type whose residuals count. */
const RESIDUAL_SALES = 40;
/** Maximum distance, metres, of these sales and of comparables. */
const SALES_MAX_M = 12_000;
/** Scales of the residual kernel: distance (metres) and age (days) at which a sale's weight is exp(-1). */
const KERNEL_M = 800;
const KERNEL_DAYS = 365;
/** Weight of the prior mean 0 in residual means, in sales. */
const PRIOR_SALES = 1;
/** Weight of the prior mean 0 in the mean of a suburb and type, in sales. */
const AREA_PRIOR = 3;
/**
 * Squared distances at which a comparable's weight is exp(-1), in the narrow and the wide kernel, and the narrow kernel's weight of
 * the prior mean 0.
 */
const ALIKE_SCALE = 2;
const WIDE_SCALE = 8;
const ALIKE_PRIOR = Math.exp(-4);
/** Maximum comparables in their estimate, best first. */
const COMPARABLES_USED = 8;
const CANDIDATES = { ...COMPARABLES, top: COMPARABLES.candidates, max_m: SALES_MAX_M };

/** Returns the prices of the first `known` sales at the price level of a model. */
export function pricesAtLevel(evidence: Evidence, model: Hedonic, knownSales: number): PricesAtLevel {
  const { design, rows, area, type, month, log_price } = evidence;
  const levels = design.types.map((name) => model.levels.by_type.get(name)!);
  const adjusted = new Float64Array(knownSales);
  const residual = new Float64Array(knownSales);
  const { first_month } = model.levels;
  for (let i = 0; i < knownSales; i++) {
    const typeLevels = levels[type[i]!]!;
    const level = typeLevels[Math.max(0, Math.min(typeLevels.length - 1, month[i]! - first_month))]!;
    adjusted[i] = log_price[i]! + typeLevels.at(-1)! - level;
    residual[i] = log_price[i]! - level - hedonicBase(model, rows, i, area[i]!);
  }
  return { adjusted, residual };
}

/** Describes properties with one hedonic model; buffers are reused from row to row. */
class Describer {
  private readonly evidence: AnyEvidence;
  private readonly model: Hedonic;
  private readonly latest: readonly number[];
  private readonly adjusted: Float64Array;
  private readonly residual: Float64Array;
  private readonly ranked = makeRanked(CANDIDATES.top);
  private readonly scratch = new Float64Array(AREA_SALES);

  constructor(evidence: AnyEvidence, model: Hedonic, last_day: number) {
    this.evidence = evidence;
    this.model = model;
    const { design, index } = evidence;
    this.latest = design.types.map((name) => model.levels.by_type.get(name)!.at(-1)!);
    const priced =
      'adjusted' in evidence ? evidence : pricesAtLevel(evidence, model, knownBy(index.sales.day, last_day));
    this.adjusted = priced.adjusted;
    this.residual = priced.residual;
  }

  /** Describes row `row` of `homes` from sales dated at most `day`. */
  describe(homes: HomeTable, row: number, design_rows: Float32Array, day: number, out: Described): void {
    const { evidence, model } = this;
    const n = homes.length;
    const set = (name: keyof typeof COLUMN, value: number): void => {
      out.values[COLUMN[name] * n + row] = value;
    };
    const subject = subjectOf(homes, row);
    const area = evidence.area_codes.get(subject.area) ?? -1;
    const type = evidence.design.types.indexOf(subject.dwelling_type);
    const pooled = model.levels.pooled.at(-1)!;
    const anchor = hedonicBase(model, design_rows, row, area) + (type >= 0 ? this.latest[type]! : pooled);
    out.anchor[row] = anchor;
    set('hedonic_value', anchor - pooled);
    const target = { row, day, anchor, out, set };
    this.describeArea(area, type, target);
    this.describeNearest(subject, target);
    this.describeResiduals(subject, day, set);
    this.describeOwn(subject, day, anchor, set);
  }

  private describeArea(area: number, type: number, { row, day, anchor, out, set }: DescribedRow): void {
    if (area < 0 || type < 0) return;
    const { index, of_area_and_type: groups, design } = this.evidence;
    const group = area * design.types.length + type;
    const end = endBelow(groups, group, knownBy(index.sales.day, day));
    const oldest = endBelow(groups, group, knownBy(index.sales.day, day - WINDOW_DAYS - 1));
    const from = Math.max(oldest, end - AREA_SALES);
    const n = end - from;
    out.area_count[row] = n;
    set('area_count', n);
    if (n === 0) return;
    const { scratch } = this;
    for (let k = 0; k < n; k++) scratch[k] = this.adjusted[groups.rows[from + k]!]!;
    let residuals = 0;
    for (let k = 0; k < n; k++) residuals += this.residual[groups.rows[from + k]!]!;
    set('area_residual', residuals / (n + AREA_PRIOR));
    const middle = quantileInPlace(scratch, 0.5, n);
    out.area_median[row] = middle;
    set('area_median', middle - anchor);
    if (n >= 3) set('area_spread', quantileInPlace(scratch, 0.75, n) - quantileInPlace(scratch, 0.25, n));
  }

  /** Describes the nearest sales of the type and the most similar of them. */
  private describeNearest(subject: SubjectProperty, { row, day, anchor, out, set }: DescribedRow): void {
    const { index } = this.evidence;
    const { ranked, adjusted, residual, scratch } = this;
    rankComparables(index, subject, day, CANDIDATES, ranked);
    if (ranked.n === 0) return;
    const used = Math.min(COMPARABLES_USED, ranked.n);
    for (let k = 0; k < used; k++) scratch[k] = adjusted[ranked.sales[k]!]!;
    const middle = quantileInPlace(scratch, 0.5, used);
    out.comparables[row] = middle;
    set('comparables', middle - anchor);
    if (used >= 3)
      set('comparables_spread', quantileInPlace(scratch, 0.75, used) - quantileInPlace(scratch, 0.25, used));
    set('comparables_best', Math.sqrt(ranked.distance2[0]!));
    for (let k = 0; k < used; k++) scratch[k] = residual[ranked.sales[k]!]!;
    set('comparables_residual_median', quantileInPlace(scratch, 0.5, used));
    this.describeAlike(set);
    for (const [name, k] of [['nearest_15', 15] as const, ['nearest_5', 5] as const]) {
      keepNearest(index.matches, k);
      let total = 0;
      for (let i = 0; i < index.matches.n; i++) total += adjusted[index.matches.items[i]!]!;
      set(name, total / index.matches.n - anchor);
    }
  }

  /** Averages the candidates' residuals weighted by similarity, with a narrow and a wide kernel. */
  private describeAlike(set: Setter): void {
    const { ranked, residual } = this;
    let sum = 0;
    let weights = ALIKE_PRIOR;
    let wide_sum = 0;
    let wide_weights = PRIOR_SALES / 2;
    for (let k = 0; k < ranked.n; k++) {
      const saleResidual = residual[ranked.sales[k]!]!;
      const weight = Math.exp(-ranked.distance2[k]! / ALIKE_SCALE);
      const wide = Math.exp(-ranked.distance2[k]! / WIDE_SCALE);
      sum += weight * saleResidual;
      weights += weight;
      wide_sum += wide * saleResidual;
      wide_weights += wide;
    }
    set('comparables_residual', sum / weights);
    set('comparables_residual_wide', wide_sum / wide_weights);
    set('comparables_weight', Math.log(wide_weights));
  }

  /** Averages the residuals above the hedonic value of nearby sales of any type. */
  private describeResiduals({ lon, lat }: SubjectProperty, day: number, set: Setter): void {
    const { index } = this.evidence;
    const { matches, everything, sales } = index;
    if (!Number.isFinite(lon) || !Number.isFinite(lat)) return;
    const to = knownBy(sales.day, day);
    const from = knownBy(sales.day, day - WINDOW_DAYS - 1);
    const year = knownBy(sales.day, day - YEAR_DAYS);
    pointsWithin(everything, lon, lat, 1000, year, to, matches);
    set('sales_1km_12m', matches.n);
    const radius_m = matches.radius_m;
    nearestPoints(everything, lon, lat, RESIDUAL_SALES, SALES_MAX_M, from, to, matches);
    matches.radius_m = radius_m;
    let sum = 0;
    let weights = PRIOR_SALES;
    for (let i = 0; i < matches.n; i++) {
      const sale = matches.items[i]!;
      const weight = Math.exp(
        -matches.distance2[i]! / (KERNEL_M * KERNEL_M) - (day - sales.day[sale]!) / KERNEL_DAYS,
      );
      sum += weight * this.residual[sale]!;
      weights += weight;
    }
    set('residual_kernel', sum / weights);
    set('kernel_weight', Math.log(weights));
    for (const [name, k] of [['residual_40', 40] as const, ['residual_10', 10] as const]) {
      keepNearest(matches, k);
      let total = 0;
      for (let i = 0; i < matches.n; i++) total += this.residual[matches.items[i]!]!;
      set(name, total / (matches.n + PRIOR_SALES));
    }
  }

  private describeOwn(subject: SubjectProperty, day: number, anchor: number, set: Setter): void {
    const { index, of_property } = this.evidence;
    const property = index.property_codes.get(subject.property) ?? -1;
    if (property < 0) return;
    const end = endBelow(of_property, property, knownBy(index.sales.day, day));
    if (end === of_property.starts[property]!) return;
    const sale = of_property.rows[end - 1]!;
    set('own_previous', this.adjusted[sale]! - anchor);
    set('own_previous_years', (day - index.sales.day[sale]!) / YEAR_DAYS);
  }
}

type Setter = (name: keyof typeof COLUMN, value: number) => void;

/** Row of a property in `out`, and what its features are compared with. */
interface DescribedRow {
  row: number;
  day: number;
  /** Hedonic value, log dollars. */
  anchor: number;
  out: Described;
  set: Setter;
}

/**
 * Describes properties by the sales dated at most days[i] - lag_days. Rows whose day has no hedonic model yet stay NaN. A
 * property's own sale of that day is never seen; its earlier sales are.
 */
export function describeHomes(evidence: AnyEvidence, homes: HomeTable, days: Int32Array): Described {
  const n = homes.length;
  const out: Described = {
    values: new Float64Array(n * EVIDENCE_FEATURES.length).fill(NaN),
    anchor: new Float64Array(n).fill(NaN),
    comparables: new Float64Array(n).fill(NaN),
    area_count: new Float64Array(n),
    area_median: new Float64Array(n).fill(NaN),
  };
  const cutoffs = days.map((day) => day - evidence.params.lag_days);
  const byModel = new Map<Hedonic, number[]>();
  for (let i = 0; i < n; i++) {
    const model = vintageOf(evidence, cutoffs[i]!);
    if (!model) continue;
    append(byModel, model, i);
  }
  const design_rows = designRows(evidence.design, homes);
  for (const [model, rows] of byModel) {
    let last_day = -Infinity;
    for (const row of rows) last_day = Math.max(last_day, cutoffs[row]!);
    const describer = new Describer(evidence, model, last_day);
    for (const row of rows) describer.describe(homes, row, design_rows, cutoffs[row]!, out);
  }
  return out;
}
