import { TYPES_WITHOUT_LAND } from '../cma/distance.ts';
import { type SaleTable, selectSales } from '../property/home_table.ts';
import type { AnyEvidence } from './evidence.ts';
import type { Ledger } from './ledger.ts';
import { isCommon } from './mask.ts';
import type { MaskedAttribute } from './params.ts';
import { hasOwnPoint } from './places.ts';
import { type DescribedHomes, describe } from './rows.ts';

/** Facts of a home that may be unknown, each of attributes that are stated together; in the order in which they are mostly missing. */
const FACTS: readonly (readonly MaskedAttribute[])[] = [
  ['year_built'],
  ['floor_area_sqm'],
  ['bathrooms', 'parking'],
  ['bedrooms'],
  ['land_area_sqm'],
];
const LAND = 1 << (FACTS.length - 1);
/** The home's own point: the fact after those of attributes. */
const POINT = 1 << FACTS.length;
const ATTRIBUTES = POINT - 1;

/** Sales that a pattern is calibrated by, the newest. */
const MOST_SALES = 500;
/** Errors without which no quantile of the interval is known: a pattern with fewer is pooled with one that knows less. */
const LEAST_ERRORS = 10;

/** What is unknown of a home, one bit for each fact; 0: nothing that sales commonly say. */
export type Unknown = number;

/** The facts that enough of the sales have, whether the point is one of them by `needs_place`; others tell no home from another. */
export function commonFacts(sales: SaleTable, needs_place: boolean): Unknown {
  return FACTS.reduce(
    (common, [name], k) => (isCommon(sales, name!) ? common | (1 << k) : common),
    needs_place ? POINT : 0,
  );
}

/** Which of the common facts are unknown of a home. The recorded land of a flat, that of the whole lot, is no fact of it. */
export function unknownOf({ homes }: DescribedHomes, row: number, common: Unknown): Unknown {
  let unknown = hasOwnPoint(homes, row) ? 0 : POINT;
  FACTS.forEach(([name], k) => {
    if (!Number.isFinite(homes[name!][row]!)) unknown |= 1 << k;
  });
  if (TYPES_WITHOUT_LAND.has(homes.dwelling_type[row]!)) unknown &= ~LAND;
  return unknown & common;
}

/**
 * Patterns that are calibrated by themselves: nothing unknown, one fact, the first facts up to each and these with the land, and without
 * the point none or all of the attributes. Others are pooled.
 */
function patternsOf(common: Unknown): Unknown[] {
  const patterns = [0, POINT, ATTRIBUTES | POINT];
  for (let bit = 1; bit < POINT; bit <<= 1) patterns.push(bit, bit * 2 - 1, (bit * 2 - 1) | LAND);
  return [...new Set(patterns.map((pattern) => pattern & common))].sort((a, b) => a - b);
}

/** Sales of which the facts of a pattern are hidden, and nothing else is unknown. */
export interface BlankedSales {
  unknown: Unknown;
  /** Which of the sales given they are, ascending. */
  rows: Int32Array;
  sales: SaleTable;
  described: DescribedHomes;
}

/** The newest sales of `rows` that know as much as each pattern, its facts hidden. A pattern that few can show is left out. */
export function blankedSales(
  evidence: AnyEvidence,
  sales: SaleTable,
  full: DescribedHomes,
  rows: Int32Array,
  common: Unknown,
): BlankedSales[] {
  return patternsOf(common).flatMap((unknown) => {
    const picked = rows.filter((row) => (unknownOf(full, row, common) & ~unknown) === 0).slice(-MOST_SALES);
    if (picked.length < LEAST_ERRORS) return [];
    const own = selectSales(sales, picked);
    const hidden = new Float64Array(own.length).fill(Number.NaN);
    const names = FACTS.flatMap((attributes, k) => ((unknown >> k) & 1 ? attributes : []));
    const blanked = { ...own, ...Object.fromEntries(names.map((name) => [name, hidden])) };
    const described = describe(evidence, blanked, own.day, () => (unknown & POINT) !== 0);
    return [{ unknown, rows: picked, sales: own, described }];
  });
}

/** Name of the ledger of a pattern in the ledgers by what is unknown. */
export const unknownKey = (ledger: string, unknown: Unknown): string => `${ledger}/${unknown}`;

/** Those of the ledgers that homes can be calibrated by. */
export const largeEnough = (ledgers: readonly [string, Ledger][]): Record<string, Ledger> =>
  Object.fromEntries(ledgers.filter(([, { day }]) => day.length >= LEAST_ERRORS));

const count = (unknown: Unknown): number => unknown.toString(2).replaceAll('0', '').length;

/**
 * The ledger of a home of which `unknown` is not known: that of the pattern which hides this and least besides, else of the one that hides
 * most. Null: there is none.
 */
export function unknownLedger(keys: readonly string[], ledger: string, unknown: Unknown): string | null {
  const patterns = keys.flatMap((key) => {
    const at = key.lastIndexOf('/');
    return key.slice(0, at) === ledger ? [Number(key.slice(at + 1))] : [];
  });
  patterns.sort((a, b) => count(a) - count(b) || a - b);
  const pattern = patterns.find((each) => (unknown & ~each) === 0) ?? patterns.at(-1);
  return pattern === undefined ? null : unknownKey(ledger, pattern);
}
