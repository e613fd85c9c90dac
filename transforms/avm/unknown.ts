import { TYPES_WITHOUT_LAND } from '../cma/comparable_distance.ts';
import { type SaleTable, selectSales } from '../property/home_table.ts';
import { type DescribedHomes, describe } from './described_rows.ts';
import type { AnyEvidence } from './evidence.ts';
import { hasOwnPoint } from './home_positions.ts';
import type { Ledger } from './ledger.ts';
import { isCommon } from './mask.ts';
import type { MaskedAttribute } from './params.ts';

/** Facts of a property that may be unknown; each is a group of attributes that are stated together. Most often missing first. */
const FACTS: readonly (readonly MaskedAttribute[])[] = [
  ['year_built'],
  ['floor_area_sqm'],
  ['bathrooms', 'parking'],
  ['bedrooms'],
  ['land_area_sqm'],
];
const LAND = 1 << (FACTS.length - 1);
/** Bit of the property's own point, after the bits of the attributes. */
const POINT = 1 << FACTS.length;
const ATTRIBUTES = POINT - 1;

/** Maximum sales that calibrate a pattern, newest first. */
const MOST_SALES = 500;
/** Minimum errors for a quantile of the interval; a pattern with fewer is pooled with one with more unknown facts. */
const LEAST_ERRORS = 10;

/** Unknown facts of a property, one bit each; 0: all facts that sales commonly state are known. */
export type Unknown = number;

/** Returns the facts that enough sales state; `needs_place` decides about the point. Other facts do not separate properties. */
export function commonFacts(sales: SaleTable, needs_place: boolean): Unknown {
  return FACTS.reduce(
    (common, [name], k) => (isCommon(sales, name!) ? common | (1 << k) : common),
    needs_place ? POINT : 0,
  );
}

/** Returns which common facts are unknown of a property. Land of a flat is never unknown: its recorded land is the whole lot's. */
export function unknownOf({ homes }: DescribedHomes, row: number, common: Unknown): Unknown {
  let unknown = hasOwnPoint(homes, row) ? 0 : POINT;
  FACTS.forEach(([name], k) => {
    if (!Number.isFinite(homes[name!][row]!)) unknown |= 1 << k;
  });
  if (TYPES_WITHOUT_LAND.has(homes.dwelling_type[row]!)) unknown &= ~LAND;
  return unknown & common;
}

/**
 * Returns the patterns with their own calibration; others are pooled. They are: nothing unknown, one fact, the first facts up to
 * each (also with the land), and without the point none or all attributes.
 */
function patternsOf(common: Unknown): Unknown[] {
  const patterns = [0, POINT, ATTRIBUTES | POINT];
  for (let bit = 1; bit < POINT; bit <<= 1) patterns.push(bit, bit * 2 - 1, (bit * 2 - 1) | LAND);
  return [...new Set(patterns.map((pattern) => pattern & common))].sort((a, b) => a - b);
}

/** Sales with the facts of a pattern hidden and no others unknown. */
export interface BlankedSales {
  unknown: Unknown;
  /** Row numbers in the given sales, ascending. */
  rows: Int32Array;
  sales: SaleTable;
  described: DescribedHomes;
}

/**
 * Returns the newest sales of `rows` that state the facts of each pattern, with these facts hidden. Patterns with too few such
 * sales are left out.
 */
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
    const ownSales = selectSales(sales, picked);
    const hidden = new Float64Array(ownSales.length).fill(Number.NaN);
    const names = FACTS.flatMap((attributes, k) => ((unknown >> k) & 1 ? attributes : []));
    const blanked = { ...ownSales, ...Object.fromEntries(names.map((name) => [name, hidden])) };
    const described = describe(evidence, blanked, ownSales.day, () => (unknown & POINT) !== 0);
    return [{ unknown, rows: picked, sales: ownSales, described }];
  });
}

/** Returns the ledger name of a pattern of unknown facts. */
export const ledgerKey = (ledger: string, unknown: Unknown): string => `${ledger}/${unknown}`;

export const largeEnough = (ledgers: readonly [string, Ledger][]): Record<string, Ledger> =>
  Object.fromEntries(ledgers.filter(([, { day }]) => day.length >= LEAST_ERRORS));

const count = (unknown: Unknown): number => unknown.toString(2).replaceAll('0', '').length;

/**
 * Returns the ledger of a property with `unknown` facts: the pattern that hides at least these and fewest others, else the one that
 * hides most. Null: no pattern.
 */
export function unknownLedger(keys: readonly string[], ledger: string, unknown: Unknown): string | null {
  const patterns = keys.flatMap((key) => {
    const at = key.lastIndexOf('/');
    return key.slice(0, at) === ledger ? [Number(key.slice(at + 1))] : [];
  });
  patterns.sort((a, b) => count(a) - count(b) || a - b);
  const pattern = patterns.find((each) => (unknown & ~each) === 0) ?? patterns.at(-1);
  return pattern === undefined ? null : ledgerKey(ledger, pattern);
}
