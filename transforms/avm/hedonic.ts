import type { PriceLevels } from '../cma/price_levels.ts';
import { smoothLevels, solveSpd } from '../stats/solve.ts';

/** Penalties of the hedonic model. */
export interface HedonicParams {
  /** Ridge on attributes and location. */
  ridge: number;
  /** Ridge on suburb effects: number of sales at which a suburb's own level counts half. */
  area_ridge: number;
  /** Penalty on the month-to-month change of the pooled level, in sales. */
  month_smooth: number;
  /** Penalty on the monthly change of a type's deviation from the pool, and its shrinkage to 0. */
  type_smooth: number;
  type_shrink: number;
}

/** Penalties for a residual spread of about 0.2 and monthly steps of about 0.01. */
export const HEDONIC: HedonicParams = {
  ridge: 1,
  area_ridge: 1,
  month_smooth: 300,
  type_smooth: 300,
  type_shrink: 10,
};

/** A fitted hedonic model: log price = row · weights + suburb effect + level of type and month. */
export interface Hedonic {
  /** One weight per design column. */
  readonly weights: Float64Array;
  /** By area code; areas without sales have 0. */
  readonly area_effects: Float64Array;
  readonly levels: PriceLevels;
  /** Last complete month of sales seen; months since January 1970. */
  readonly last_month: number;
  /** Robust standard deviation of the residuals. */
  readonly spread: number;
  readonly sales: number;
}

/** Returns the value of a design row without the level: attributes, location and suburb. `row`: index of the row; `area`: -1 for none. */
export function hedonicBase(
  { weights, area_effects }: Pick<Hedonic, 'weights' | 'area_effects'>,
  rows: Float32Array | Float64Array,
  row: number,
  area: number,
): number {
  let sum = area >= 0 ? area_effects[area]! : 0;
  const at = row * weights.length;
  for (let k = 0; k < weights.length; k++) sum += weights[k]! * rows[at + k]!;
  return sum;
}

/** Minimal ridge on the constant and the months; it only keeps the equations solvable. */
const TINY = 1e-3;

/**
 * Accumulates sums of squares and products of sales month by month; any month's model can be solved from them. Suburb effects are
 * eliminated exactly (block elimination), so the equations have only one row per column and month.
 */
export class HedonicSums {
  private readonly columns: number;
  private readonly first_month: number;
  private readonly areas: number;
  private readonly products: Float64Array;
  private readonly targets: Float64Array;
  /** Row per area: sums of columns, then of months, then of the target. */
  private readonly by_area: Float64Array;
  private readonly area_count: Float64Array;
  private readonly width: number;
  count = 0;

  constructor(columns: number, areas: number, first_month: number, months: number) {
    this.columns = columns;
    this.first_month = first_month;
    this.areas = areas;
    this.width = columns + months;
    this.products = new Float64Array(this.width * this.width);
    this.targets = new Float64Array(this.width);
    this.by_area = new Float64Array(areas * (this.width + 1));
    this.area_count = new Float64Array(areas);
  }

  /** Adds a sale: row[at, at + columns), its area code (-1: none), month and log price. */
  add(rows: Float32Array, at: number, area: number, month: number, log_price: number): void {
    const { columns, width, products, targets } = this;
    const ownColumn = columns + month - this.first_month;
    for (let i = 0; i < columns; i++) {
      const a = rows[at + i]!;
      if (a === 0) continue;
      for (let j = 0; j <= i; j++) products[i * width + j] = products[i * width + j]! + a * rows[at + j]!;
      products[ownColumn * width + i] = products[ownColumn * width + i]! + a;
      targets[i] = targets[i]! + a * log_price;
    }
    products[ownColumn * width + ownColumn] = products[ownColumn * width + ownColumn]! + 1;
    targets[ownColumn] = targets[ownColumn]! + log_price;
    this.count++;
    if (area < 0) return;
    const base = area * (width + 1);
    for (let i = 0; i < columns; i++) this.by_area[base + i] = this.by_area[base + i]! + rows[at + i]!;
    this.by_area[base + ownColumn] = this.by_area[base + ownColumn]! + 1;
    this.by_area[base + width] = this.by_area[base + width]! + log_price;
    this.area_count[area] = this.area_count[area]! + 1;
  }

  /** Solves for the weights, suburb effects and pooled level of each month up to `last_month`. */
  solve(
    last_month: number,
    params: HedonicParams,
  ): { weights: Float64Array; area_effects: Float64Array; pooled: Float64Array } {
    const { columns, width } = this;
    const size = columns + last_month - this.first_month + 1;
    const a = new Float64Array(size * size);
    const b = this.targets.slice(0, size);
    for (let i = 0; i < size; i++)
      for (let j = 0; j <= i; j++) a[i * size + j] = this.products[i * width + j]!;
    this.eliminateAreas(a, b, size, params.area_ridge);
    for (let i = 0; i < size; i++)
      a[i * size + i] = a[i * size + i]! + (i > 0 && i < columns ? params.ridge : TINY);
    for (let i = columns + 1; i < size; i++) {
      a[i * size + i] = a[i * size + i]! + params.month_smooth;
      a[(i - 1) * size + i - 1] = a[(i - 1) * size + i - 1]! + params.month_smooth;
      a[i * size + i - 1] = a[i * size + i - 1]! - params.month_smooth;
    }
    solveSpd(a, b);
    const area_effects = new Float64Array(this.areas);
    for (let area = 0; area < this.areas; area++) {
      const base = area * (width + 1);
      let sum = this.by_area[base + width]!;
      for (let i = 0; i < size; i++) sum -= this.by_area[base + i]! * b[i]!;
      area_effects[area] = sum / (this.area_count[area]! + params.area_ridge);
    }
    const weights = b.slice(0, columns);
    // The constant and the monthly levels are not separately identified: the first month's level is set to 0.
    const first = b[columns]!;
    weights[0] = weights[0]! + first;
    return { weights, area_effects, pooled: b.slice(columns).map((level) => level - first) };
  }

  private eliminateAreas(a: Float64Array, b: Float64Array, size: number, ridge: number): void {
    const { width, by_area } = this;
    const used = new Int32Array(size);
    for (let area = 0; area < this.areas; area++) {
      if (this.area_count[area] === 0) continue;
      const base = area * (width + 1);
      const factor = 1 / (this.area_count[area]! + ridge);
      let n = 0;
      for (let i = 0; i < size; i++) if (by_area[base + i] !== 0) used[n++] = i;
      const target = by_area[base + width]! * factor;
      for (let p = 0; p < n; p++) {
        const i = used[p]!;
        const areaLevel = by_area[base + i]!;
        b[i] = b[i]! - areaLevel * target;
        for (let q = 0; q <= p; q++) {
          const at = i * size + used[q]!;
          a[at] = a[at]! - areaLevel * by_area[base + used[q]!]! * factor;
        }
      }
    }
  }
}

/** Residuals of the first `n` sales with their type and month. */
export interface TypedResiduals {
  n: number;
  /** Index in `types`. */
  type: Int32Array;
  /** Months since January 1970. */
  month: Int32Array;
  residual: Float64Array;
}

/** Returns each type's levels: the pooled level plus the type's deviation, smoothed over months and shrunk to 0. */
export function typeLevels(
  types: readonly string[],
  first_month: number,
  pooled: Float64Array,
  { n, type, month, residual }: TypedResiduals,
  params: HedonicParams,
): PriceLevels {
  const sums = types.map(() => new Float64Array(pooled.length));
  const counts = types.map(() => new Float64Array(pooled.length));
  for (let i = 0; i < n; i++) {
    const saleType = type[i]!;
    const at = month[i]! - first_month;
    sums[saleType]![at] = sums[saleType]![at]! + residual[i]!;
    counts[saleType]![at] = counts[saleType]![at]! + 1;
  }
  const by_type = new Map(
    types.map((name, t) => {
      const departure = smoothLevels(sums[t]!, counts[t]!, params.type_smooth, params.type_shrink);
      return [name, departure.map((own, at) => own + pooled[at]!)];
    }),
  );
  return { first_month, by_type, pooled };
}
