import { knownBy } from '../property/home_table.ts';
import { median, robustSpread } from '../stats/quantile.ts';
import {
  DISTANCE_COSTS,
  DISTANCE_SCALES,
  type DistanceCosts,
  type DistanceScales,
  LEAST_SCORE,
  LIKENESS_KEYS,
  part,
  reachOf,
  scoreOf,
  TYPES_WITHOUT_LAND,
  writeLikeness,
} from './comparable_distance.ts';
import { keepNearest, metresBetween, nearestPoints } from './point_grid.ts';
import { logAdjustment, type PriceLevels } from './price_levels.ts';
import type { SalesIndex, SubjectProperty } from './sales_index.ts';

/** Settings of a set of comparables. */
export interface ComparablesParams {
  /** Maximum comparables returned. */
  top: number;
  /** Maximum number of nearest sales of the type to examine, and their maximum distance in metres. */
  candidates: number;
  max_m: number;
  /** Maximum age of a sale at the as-of date, days. */
  max_age_days: number;
  /** Minimum dist_score of a sale in the set. */
  least_score: number;
  scales: DistanceScales;
  costs: DistanceCosts;
  /** Price levels for the adjusted price at the as-of date. Null: raw prices only. */
  levels: PriceLevels | null;
}

/** Parameters of the served set. Farther sales would not reach `least_score`, and a search for the nearest finds them last. */
export const COMPARABLES: ComparablesParams = {
  top: 10,
  candidates: 60,
  max_m: reachOf(LEAST_SCORE, DISTANCE_SCALES),
  max_age_days: 731,
  least_score: LEAST_SCORE,
  scales: DISTANCE_SCALES,
  costs: DISTANCE_COSTS,
  levels: null,
};

/** Parts of the squared distance, which is their sum. */
export interface DistanceParts {
  place: number;
  time: number;
  bedrooms: number;
  bathrooms: number;
  parking: number;
  land: number;
  floor: number;
  year: number;
  area: number;
}

/** A sale similar to the subject. */
export interface Comparable {
  /** Index of the sale in `index.sales`. */
  sale: number;
  id: string;
  property: string;
  /** exp(-0.25 · distance): 1 for an identical property next door sold that day; higher is more similar. */
  dist_score: number;
  parts: DistanceParts;
  distance_m: number;
  day: number;
  price: number;
  /** Price adjusted to the as-of date, whole dollars. Null: no price levels. */
  adjusted_price: number | null;
}

/** Ranked comparables: indexes of sales with their squared distances, nearest first. Reused from call to call. */
export interface RankedSales {
  n: number;
  sales: Int32Array;
  distance2: Float64Array;
}

/** Returns an empty ranking for at most `top` sales. */
export function makeRanked(top: number): RankedSales {
  return { n: 0, sales: new Int32Array(top), distance2: new Float64Array(top) };
}

/** Inserts a sale into the ranking. Ties: newer, then lower id. */
function offer(ranked: RankedSales, sale: number, d2: number, days: Int32Array): void {
  const { sales, distance2 } = ranked;
  let at = ranked.n;
  if (at === sales.length) {
    if (!precedes(d2, sale, distance2[at - 1]!, sales[at - 1]!, days)) return;
    at--;
  } else ranked.n++;
  while (at > 0 && precedes(d2, sale, distance2[at - 1]!, sales[at - 1]!, days)) {
    sales[at] = sales[at - 1]!;
    distance2[at] = distance2[at - 1]!;
    at--;
  }
  sales[at] = sale;
  distance2[at] = d2;
}

function precedes(d2: number, sale: number, other2: number, other: number, days: Int32Array): boolean {
  if (d2 !== other2) return d2 < other2;
  // In canonical order, the lower index of one day is the lower id.
  return days[sale] !== days[other] ? days[sale]! > days[other]! : sale < other;
}

/** Compared numbers of the current subject, and parts of the last squared distance; reused by every call. */
const NUMBERS = new Float64Array(LIKENESS_KEYS.length);
const PARTS = new Float64Array(9);

const landCost = ({ dwelling_type }: SubjectProperty, { ln_land }: DistanceCosts): number =>
  TYPES_WITHOUT_LAND.has(dwelling_type) ? 0 : ln_land;

/** Returns the squared distance of a sale from the subject in NUMBERS; writes its parts to PARTS, in the order of DistanceParts. */
// Numbers, not an object: an object would be allocated for each call of the inner loop.
function squaredDistance(
  index: SalesIndex,
  subject: SubjectProperty,
  area: number,
  sale: number,
  metres2: number,
  as_of: number,
  { scales, costs }: ComparablesParams,
): number {
  const { likeness, sales } = index;
  const at = sale * LIKENESS_KEYS.length;
  const km = scales.km * 1000;
  const days = (as_of - sales.day[sale]!) / scales.days;
  PARTS[0] = metres2 / (km * km);
  PARTS[1] = days * days;
  PARTS[2] = part(NUMBERS[0]!, likeness[at]!, scales.bedrooms, costs.bedrooms);
  PARTS[3] = part(NUMBERS[1]!, likeness[at + 1]!, scales.bathrooms, costs.bathrooms);
  PARTS[4] = part(NUMBERS[2]!, likeness[at + 2]!, scales.parking, costs.parking);
  PARTS[5] = part(NUMBERS[3]!, likeness[at + 3]!, scales.ln_land, landCost(subject, costs));
  PARTS[6] = part(NUMBERS[4]!, likeness[at + 4]!, scales.ln_floor, costs.ln_floor);
  PARTS[7] = part(NUMBERS[5]!, likeness[at + 5]!, scales.year_built, costs.year_built);
  PARTS[8] = area >= 0 && area === index.area[sale] ? 0 : costs.other_area;
  let sum = 0;
  for (let k = 0; k < PARTS.length; k++) sum += PARTS[k]!;
  return sum;
}

/** Removes the sales of one property from the search result. */
function leaveOut({ matches, property }: SalesIndex, ownSale: number): void {
  if (ownSale < 0) return;
  let keptCount = 0;
  for (let i = 0; i < matches.n; i++) {
    if (property[matches.items[i]!] === ownSale) continue;
    matches.items[keptCount] = matches.items[i]!;
    matches.distance2[keptCount++] = matches.distance2[i]!;
  }
  matches.n = keptCount;
}

/** Maximum sales of the subject itself among the nearest candidates; they are removed after the search. */
const OWN_SALES = 8;

/**
 * Ranks the sales most similar to a subject into `ranked`, without an object per sale. Only sales of its type and other properties,
 * dated at most `as_of` and at most max_age_days old. Leaves the candidates, unordered, in `index.matches`. A subject without
 * coordinates has none.
 */
export function rankComparables(
  index: SalesIndex,
  subject: SubjectProperty,
  as_of: number,
  params: ComparablesParams,
  ranked: RankedSales,
): void {
  const { matches } = index;
  ranked.n = 0;
  matches.n = 0;
  const grid = index.by_type.get(subject.dwelling_type);
  if (!grid || !Number.isFinite(subject.lon) || !Number.isFinite(subject.lat)) return;
  const to = knownBy(index.sales.day, as_of);
  const from = knownBy(index.sales.day, as_of - params.max_age_days - 1);
  const wantedSales = params.candidates + OWN_SALES;
  nearestPoints(grid, subject.lon, subject.lat, wantedSales, params.max_m, from, to, matches);
  leaveOut(index, index.property_codes.get(subject.property) ?? -1);
  keepNearest(matches, params.candidates);
  writeLikeness(subject, NUMBERS, 0);
  const area = index.area_codes.get(subject.area) ?? -1;
  for (let i = 0; i < matches.n; i++) {
    const sale = matches.items[i]!;
    const d2 = squaredDistance(index, subject, area, sale, matches.distance2[i]!, as_of, params);
    offer(ranked, sale, d2, index.sales.day);
  }
}

/** Returns the parts of the last squared distance. */
const partsFound = (): DistanceParts => ({
  place: PARTS[0]!,
  time: PARTS[1]!,
  bedrooms: PARTS[2]!,
  bathrooms: PARTS[3]!,
  parking: PARTS[4]!,
  land: PARTS[5]!,
  floor: PARTS[6]!,
  year: PARTS[7]!,
  area: PARTS[8]!,
});

function comparable(
  index: SalesIndex,
  subject: SubjectProperty,
  sale: number,
  as_of: number,
  params: ComparablesParams,
): Comparable {
  const { sales } = index;
  const { levels } = params;
  const metres = metresBetween(subject.lon, subject.lat, sales.lon[sale]!, sales.lat[sale]!);
  const area = index.area_codes.get(subject.area) ?? -1;
  const d2 = squaredDistance(index, subject, area, sale, metres * metres, as_of, params);
  const day = sales.day[sale]!;
  const price = sales.price[sale]!;
  return {
    sale,
    id: sales.id[sale]!,
    property: sales.property[sale]!,
    dist_score: scoreOf(Math.sqrt(d2)),
    parts: partsFound(),
    distance_m: Math.round(metres),
    day,
    price,
    adjusted_price: levels
      ? Math.round(price * Math.exp(logAdjustment(levels, subject.dwelling_type, day, as_of)))
      : null,
  };
}

/**
 * Returns the comparable sales of a subject, best first: see rankComparables. Only the most similar sale of each property is
 * included, and none below least_score. The single comparable is the first one. Ties: newer, then lower id. Empty: the subject has
 * no coordinates, or no similar sale is nearby.
 */
export function comparablesFor(
  index: SalesIndex,
  subject: SubjectProperty,
  as_of: number,
  params: ComparablesParams = COMPARABLES,
): Comparable[] {
  const ranked = makeRanked(params.candidates);
  rankComparables(index, subject, as_of, params, ranked);
  const set: Comparable[] = [];
  const homes = new Set<number>();
  for (let k = 0; k < ranked.n && set.length < params.top; k++) {
    if (scoreOf(Math.sqrt(ranked.distance2[k]!)) < params.least_score) break;
    const sale = ranked.sales[k]!;
    const home = index.property[sale]!;
    if (homes.has(home)) continue;
    // -1: the property is unknown.
    if (home >= 0) homes.add(home);
    set.push(comparable(index, subject, sale, as_of, params));
  }
  return set;
}

/** Estimate of a set, in whole dollars: the median of the adjusted prices of its first `use` sales. */
export interface ComparablesEstimate {
  price: number;
  /** Number of sales used. */
  n: number;
  /** Robust standard deviation of the log prices; NaN for fewer than 3. */
  spread: number;
}

/** Returns the comparables' estimate from adjusted prices, or raw ones if there are no adjusted ones. Null: empty set. */
export function comparablesEstimate(set: readonly Comparable[], use = 8): ComparablesEstimate | null {
  if (set.length === 0) return null;
  const logs = set.slice(0, use).map((each) => Math.log(each.adjusted_price ?? each.price));
  return {
    price: Math.round(Math.exp(median(logs))),
    n: logs.length,
    spread: logs.length < 3 ? NaN : robustSpread(logs),
  };
}
