/**
 * Homes in columns. NaN stands for an unknown number, '' for an unknown text. All columns have `length` entries.
 */
export interface HomeTable {
  readonly length: number;
  /** Key of the property; equal keys are one property. '' where it is not known. */
  readonly property: readonly string[];
  /** Word of the vocabulary of dwelling types. */
  readonly dwelling_type: readonly string[];
  /** Suburb, by a name that is unique in the table. */
  readonly area: readonly string[];
  /** Street within the suburb, by whatever name; '' where it is not known. Homes without coordinates are placed by it. */
  readonly street: readonly string[];
  /** GDA2020 degrees. */
  readonly lon: Float64Array;
  readonly lat: Float64Array;
  readonly bedrooms: Float64Array;
  readonly bathrooms: Float64Array;
  readonly parking: Float64Array;
  readonly land_area_sqm: Float64Array;
  readonly floor_area_sqm: Float64Array;
  readonly year_built: Float64Array;
  /** Further features by name; what stands before the first dot is the group, for example `school.nearest_m`. */
  readonly extra: Readonly<Record<string, Float64Array>>;
}

/** Sales, or rents, in columns. */
export interface SaleTable extends HomeTable {
  /** Unique key of each sale. */
  readonly id: readonly string[];
  /** Day of the contract, as days from 1970-01-01. */
  readonly day: Int32Array;
  /** Whole dollars; for rents dollars per week. */
  readonly price: Float64Array;
}

/** Number columns that every home has, besides those of `extra`. */
export const HOME_NUMBERS = [
  'lon',
  'lat',
  'bedrooms',
  'bathrooms',
  'parking',
  'land_area_sqm',
  'floor_area_sqm',
  'year_built',
] as const;
export type HomeNumber = (typeof HOME_NUMBERS)[number];

/** The numbers that `rows` names, in its order. A loop: Float64Array.from calls a function for each, at ten times the cost. */
export function pickNumbers(values: ArrayLike<number>, rows: ArrayLike<number>): Float64Array {
  const picked = new Float64Array(rows.length);
  for (let k = 0; k < rows.length; k++) picked[k] = values[rows[k]!]!;
  return picked;
}

/** The texts that `rows` names, in its order. */
function pickTexts(values: readonly string[], rows: ArrayLike<number>): string[] {
  const picked: string[] = [];
  for (let k = 0; k < rows.length; k++) picked.push(values[rows[k]!]!);
  return picked;
}

/** The rows of a table that `rows` names, in its order. */
export function selectHomes(homes: HomeTable, rows: ArrayLike<number>): HomeTable {
  const numbers = Object.fromEntries(
    HOME_NUMBERS.map((name) => [name, pickNumbers(homes[name], rows)]),
  ) as Record<HomeNumber, Float64Array>;
  return {
    length: rows.length,
    property: pickTexts(homes.property, rows),
    dwelling_type: pickTexts(homes.dwelling_type, rows),
    area: pickTexts(homes.area, rows),
    street: pickTexts(homes.street, rows),
    ...numbers,
    extra: Object.fromEntries(
      Object.entries(homes.extra).map(([name, values]) => [name, pickNumbers(values, rows)]),
    ),
  };
}

/** The sales that `rows` names, in its order. */
export function selectSales(sales: SaleTable, rows: ArrayLike<number>): SaleTable {
  return {
    ...selectHomes(sales, rows),
    id: pickTexts(sales.id, rows),
    day: Int32Array.from(pickNumbers(sales.day, rows)),
    price: pickNumbers(sales.price, rows),
  };
}

/** Orders texts by code unit, as the sort keys of the project are. */
export const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Sales by day, then id: the order in which everything counts, whatever order they came in. */
export function inCanonicalOrder(sales: SaleTable): SaleTable {
  const rows = Array.from({ length: sales.length }, (_, i) => i);
  rows.sort((a, b) => sales.day[a]! - sales.day[b]! || byCodeUnit(sales.id[a]!, sales.id[b]!));
  return selectSales(sales, rows);
}

/** Number of sales, in canonical order, dated at most `day`. O(log n). */
export function knownBy(days: Int32Array, day: number): number {
  let lo = 0;
  let hi = days.length;
  while (lo < hi) {
    const middle = (lo + hi) >> 1;
    if (days[middle]! <= day) lo = middle + 1;
    else hi = middle;
  }
  return lo;
}
