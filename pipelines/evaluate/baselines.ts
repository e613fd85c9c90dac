import { type Evidence, vintageOf } from '../../transforms/avm/evidence.ts';
import { COMPARABLES, comparablesEstimate, comparablesFor } from '../../transforms/cma/comparables.ts';
import { nearestPoints, type PointGrid, pointsWithin } from '../../transforms/cma/point_grid.ts';
import { logAdjustment } from '../../transforms/cma/price_levels.ts';
import { type SubjectProperty, subjectOf } from '../../transforms/cma/sales_index.ts';
import { knownBy, type SaleTable } from '../../transforms/property/home_table.ts';
import { median } from '../../transforms/stats/quantile.ts';
import { seededRandom, shuffleFirst } from '../../transforms/stats/random.ts';
import { endBelow } from '../../transforms/stats/row_groups.ts';

/** Simple estimates of sales, each from sales at least lag_days older. NaN: none. */
export interface Baselines {
  /** Median price of the suburb and type; if the suburb has none, of the type. */
  area_median: Float64Array;
  /** Median price of the five nearest sales of the type. */
  nearest_five: Float64Array;
  /** Median time-adjusted price of the best eight comparables. */
  comparables: Float64Array;
  /** Median price of eight random sales of the type within 1 km: raw, and time-adjusted like the comparables. */
  random_eight: Float64Array;
  random_eight_adjusted: Float64Array;
}

/** Maximum age of sales for baselines: two years in days, as for comparables. */
const WINDOW_DAYS = 731;
const RANDOM_RADIUS_M = 1000;
/** Maximum distance of the nearest five sales, metres. */
const NEAREST_MAX_M = 12_000;
const USED = 8;
const SEED = 5;

type SalesWindow = { as_of: number; from: number; to: number };

/** Computes the baselines of sales one by one. */
class Baseliner {
  private readonly evidence: Evidence;
  private readonly random = seededRandom(SEED, 1);
  private readonly typeMedians = new Map<string, number>();

  constructor(evidence: Evidence) {
    this.evidence = evidence;
  }

  /** Returns the sales that may be used on a day. */
  window(day: number): SalesWindow {
    const { index, params } = this.evidence;
    const as_of = day - params.lag_days;
    const { day: days } = index.sales;
    return { as_of, from: knownBy(days, as_of - WINDOW_DAYS - 1), to: knownBy(days, as_of) };
  }

  private medianOf(sales: Iterable<number>): number {
    return median(Float64Array.from(sales, (i) => this.evidence.index.sales.price[i]!));
  }

  areaMedian({ area, dwelling_type }: SubjectProperty, { from, to }: SalesWindow): number {
    const { area_codes, design, of_area_and_type: groups } = this.evidence;
    const type = design.types.indexOf(dwelling_type);
    const code = area_codes.get(area) ?? -1;
    if (type >= 0 && code >= 0) {
      const group = code * design.types.length + type;
      const rowsBetween = groups.rows.subarray(endBelow(groups, group, from), endBelow(groups, group, to));
      if (rowsBetween.length > 0) return this.medianOf(rowsBetween);
    }
    return this.typeMedian(dwelling_type, from, to);
  }

  private typeMedian(type: string, from: number, to: number): number {
    const key = `${type} ${from} ${to}`;
    const cached = this.typeMedians.get(key);
    if (cached !== undefined) return cached;
    const { sales } = this.evidence.index;
    const rowsOfType: number[] = [];
    for (let i = from; i < to; i++) if (sales.dwelling_type[i] === type) rowsOfType.push(i);
    const middle = this.medianOf(rowsOfType);
    this.typeMedians.set(key, middle);
    return middle;
  }

  nearestFive(grid: PointGrid, { lon, lat }: SubjectProperty, { from, to }: SalesWindow): number {
    const { matches } = this.evidence.index;
    nearestPoints(grid, lon, lat, 5, NEAREST_MAX_M, from, to, matches);
    return this.medianOf(matches.items.subarray(0, matches.n));
  }

  /** Selects random sales of the type nearby. */
  randomEight(grid: PointGrid, { lon, lat }: SubjectProperty, { from, to }: SalesWindow): Int32Array {
    const { matches } = this.evidence.index;
    pointsWithin(grid, lon, lat, RANDOM_RADIUS_M, from, to, matches);
    const near = Int32Array.from(matches.items.subarray(0, matches.n)).sort();
    const take = Math.min(USED, near.length);
    shuffleFirst(near, take, this.random);
    return near.subarray(0, take);
  }

  /** Fills in the estimates from sales nearby. */
  around(subject: SubjectProperty, window: SalesWindow, row: number, out: Baselines): void {
    const { index } = this.evidence;
    const grid = index.by_type.get(subject.dwelling_type);
    if (!grid || !Number.isFinite(subject.lon) || !Number.isFinite(subject.lat)) return;
    const { as_of } = window;
    const levels = vintageOf(this.evidence, as_of)?.levels ?? null;
    out.nearest_five[row] = this.nearestFive(grid, subject, window);
    const set = comparablesFor(index, subject, as_of, { ...COMPARABLES, levels });
    out.comparables[row] = comparablesEstimate(set, USED)?.price ?? NaN;
    const picked = this.randomEight(grid, subject, window);
    out.random_eight[row] = this.medianOf(picked);
    const { price, day } = index.sales;
    const adjusted = (i: number): number =>
      price[i]! * Math.exp(levels ? logAdjustment(levels, subject.dwelling_type, day[i]!, as_of) : 0);
    out.random_eight_adjusted[row] = median(Float64Array.from(picked, adjusted));
  }
}

/** Computes the baselines of sales. Outliers of the training sales are left out. */
export function baselines(evidence: Evidence, subjects: SaleTable): Baselines {
  const make = (): Float64Array => new Float64Array(subjects.length).fill(NaN);
  const out: Baselines = {
    area_median: make(),
    nearest_five: make(),
    comparables: make(),
    random_eight: make(),
    random_eight_adjusted: make(),
  };
  const baseliner = new Baseliner(evidence);
  for (let row = 0; row < subjects.length; row++) {
    const subject = subjectOf(subjects, row);
    const window = baseliner.window(subjects.day[row]!);
    out.area_median[row] = baseliner.areaMedian(subject, window);
    baseliner.around(subject, window, row, out);
  }
  return out;
}
