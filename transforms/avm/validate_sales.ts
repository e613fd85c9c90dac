import {
  HOME_NUMBERS,
  type HomeNumber,
  inCanonicalOrder,
  type SaleTable,
  selectSales,
} from '../property/home_table.ts';
import type { ValuationKind } from './model.ts';

/** Reasons to exclude a row from the training sales. */
const SALE_EXCLUSIONS = [
  /** A bid, a passed-in auction, an asking price: nothing was sold. */
  'not_a_sale',
  /** No price, or not a positive number. */
  'no_price',
  /** Below any market price or rent: a transfer within a family, a peppercorn rent, an error in the price. */
  'nominal_price',
  /** Above any dwelling's price or rent; for rents often a price in the rent field. */
  'excessive_price',
  /** No date. */
  'no_date',
  /** Dated after the day of the input. */
  'future_date',
  /** Less than the whole interest was sold. */
  'partial_interest',
  /** Several properties in one price. */
  'multi_property',
  /** A dwelling type that is not valued, or none. */
  'type_not_valued',
  /** Neither coordinates nor suburb. */
  'no_place',
  /** Same property, day and price as another row. */
  'duplicate',
] as const;
export type SaleExclusion = (typeof SALE_EXCLUSIONS)[number];

/** Day of a sale without a date. */
export const NO_DAY = -(2 ** 31);

/** Facts that sources state about sales in addition to the price; each is optional and as long as the table. */
export interface SaleFacts {
  /** False: the row is not a sale. */
  is_sale?: readonly boolean[];
  /** Percent of the interest that was sold; NaN or 0: the whole. */
  interest_pct?: Float64Array;
  /** Key of the transaction; all its properties share its price. '': none. */
  transaction?: readonly string[];
}

/** Limits of a valid row. */
export interface SaleRules {
  /** Dollars; for rents dollars per week. */
  min_price: number;
  max_price: number;
  types: readonly string[];
}

/** Types whose price is the price of a dwelling. */
const DWELLINGS = ['house', 'unit', 'townhouse', 'villa', 'duplex'] as const;

/** Rules of sales and of rents. */
export const SALE_RULES: Readonly<Record<ValuationKind, SaleRules>> = {
  sale: { min_price: 20_000, max_price: 100_000_000, types: DWELLINGS },
  rent: { min_price: 50, max_price: 10_000, types: DWELLINGS },
};

/** Plausible range of each attribute; values outside are errors and count as unknown. */
const PLAUSIBLE: Readonly<Record<HomeNumber, readonly [number, number]>> = {
  lon: [-180, 180],
  lat: [-90, 90],
  bedrooms: [0, 20],
  // Every dwelling has a bathroom: 0 is an empty field.
  bathrooms: [0.5, 20],
  parking: [0, 30],
  land_area_sqm: [20, 1_000_000],
  floor_area_sqm: [15, 5000],
  year_built: [1788, 2100],
};

/** Valid sales in canonical order, and the excluded rows with reasons. Rows given = valid + all counts. */
export interface ValidatedSales {
  sales: SaleTable;
  /** Reason of each excluded row, by row number in the input. */
  excluded: Map<number, SaleExclusion>;
  counts: Record<SaleExclusion, number>;
  /** Number of implausible values set to unknown, by attribute. */
  blanked: Record<HomeNumber, number>;
}

/** Returns the keys of transactions that cover more than one property. */
function multiProperty(sales: SaleTable, transactions: readonly string[] | undefined): Set<string> {
  const firstIds = new Map<string, string>();
  const multi = new Set<string>();
  transactions?.forEach((key, i) => {
    if (key === '') return;
    const property = sales.property[i]!;
    const other = firstIds.get(key);
    if (other === undefined) firstIds.set(key, property);
    else if (other !== property) multi.add(key);
  });
  return multi;
}

/** Sales to validate, and what a rule compares them with. */
interface SaleCandidates {
  sales: SaleTable;
  facts: SaleFacts;
  /** Keys of transactions that cover more than one property. */
  multi: ReadonlySet<string>;
  today: number;
  rules: SaleRules;
}

/** Returns the first rule that row `i` breaks on its own. */
function findBrokenRule(
  { sales, facts, multi, today, rules }: SaleCandidates,
  i: number,
): SaleExclusion | null {
  const price = sales.price[i]!;
  const interest = facts.interest_pct?.[i] ?? NaN;
  if (facts.is_sale && !facts.is_sale[i]) return 'not_a_sale';
  if (!Number.isFinite(price) || price <= 0) return 'no_price';
  if (price < rules.min_price) return 'nominal_price';
  if (price > rules.max_price) return 'excessive_price';
  if (sales.day[i] === NO_DAY) return 'no_date';
  if (sales.day[i]! > today) return 'future_date';
  if (interest > 0 && interest < 100) return 'partial_interest';
  if (facts.transaction && multi.has(facts.transaction[i]!)) return 'multi_property';
  if (!rules.types.includes(sales.dwelling_type[i]!)) return 'type_not_valued';
  const isPlaced = Number.isFinite(sales.lon[i]!) && Number.isFinite(sales.lat[i]!);
  if (!isPlaced && sales.area[i] === '') return 'no_place';
  return null;
}

/** Sets implausible attribute values to unknown and counts them. */
function plausible(sales: SaleTable): { sales: SaleTable; blanked: Record<HomeNumber, number> } {
  const blanked = {} as Record<HomeNumber, number>;
  const columns = {} as Record<HomeNumber, Float64Array>;
  for (const name of HOME_NUMBERS) {
    const [low, high] = PLAUSIBLE[name];
    blanked[name] = 0;
    columns[name] = sales[name].map((value) => {
      if (Number.isNaN(value) || (value >= low && value <= high)) return value;
      blanked[name]++;
      return NaN;
    });
  }
  return { sales: { ...sales, ...columns }, blanked };
}

/**
 * Selects the rows that show market value, and gives the reason for each excluded one. A rule looks at the row and its transaction
 * only, so no later price leaks in; it runs on the whole input before any split in time.
 * Prices far from the one expected at their time are removed later, see buildEvidence. Rows with equal property, day and price: the
 * first id stays.
 */
export function validateSales(
  table: SaleTable,
  facts: SaleFacts,
  today: number,
  rules: SaleRules,
): ValidatedSales {
  const { sales, blanked } = plausible(table);
  const excluded = new Map<number, SaleExclusion>();
  const multi = multiProperty(sales, facts.transaction);
  const candidates: number[] = [];
  const compared = { sales, facts, multi, today, rules };
  for (let i = 0; i < sales.length; i++) {
    const broken = findBrokenRule(compared, i);
    if (broken) excluded.set(i, broken);
    else candidates.push(i);
  }
  candidates.sort((a, b) => sales.day[a]! - sales.day[b]! || (sales.id[a]! < sales.id[b]! ? -1 : 1));
  const keys = new Set<string>();
  const valid = candidates.filter((i) => {
    const key = `${sales.property[i]}\n${sales.day[i]}\n${sales.price[i]}`;
    const isRepeated = sales.property[i] !== '' && keys.has(key);
    if (isRepeated) excluded.set(i, 'duplicate');
    keys.add(key);
    return !isRepeated;
  });
  const counts = Object.fromEntries(SALE_EXCLUSIONS.map((name) => [name, 0])) as Record<
    SaleExclusion,
    number
  >;
  for (const name of excluded.values()) counts[name]++;
  return { sales: inCanonicalOrder(selectSales(sales, valid)), excluded, counts, blanked };
}
