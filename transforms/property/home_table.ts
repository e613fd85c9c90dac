/** Properties in columns. NaN: unknown number; '': unknown text. All columns have `length` entries. */
export interface HomeTable {
  readonly length: number;
  /** Key of the property; equal keys are one property. '': unknown. */
  readonly property: readonly string[];
  /** Dwelling type, from the fixed vocabulary. */
  readonly dwelling_type: readonly string[];
  /** Suburb, by a name that is unique in the table. */
  readonly area: readonly string[];
  /** Street in the suburb, under any name; '': unknown. It locates properties without coordinates. */
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
  /** Extra features by name; the part before the first dot is the group, for example `school.nearest_m`. */
  readonly extra: Readonly<Record<string, Float64Array>>;
}

/** Sales, or rents, in columns. */
export interface SaleTable extends HomeTable {
  /** Unique key of each sale. */
  readonly id: readonly string[];
  /** Contract date, days since 1970-01-01. */
  readonly day: Int32Array;
  /** Whole dollars; for rents dollars per week. */
  readonly price: Float64Array;
}

/** Number columns of every property, other than `extra`. */
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

/** Selects `rows` of numbers, in their order. A loop: Float64Array.from calls a function per number, at ten times the cost. */
export function pickNumbers(values: ArrayLike<number>, rows: ArrayLike<number>): Float64Array {
  const picked = new Float64Array(rows.length);
  for (let k = 0; k < rows.length; k++) picked[k] = values[rows[k]!]!;
  return picked;
}

/** Selects `rows` of texts, in their order. */
function pickTexts(values: readonly string[], rows: ArrayLike<number>): string[] {
  const picked: string[] = [];
  for (let k = 0; k < rows.length; k++) picked.push(values[rows[k]!]!);
  return picked;
}

/** Selects `rows` of a table, in their order. */
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

/** Selects `rows` of sales, in their order. */
export function selectSales(sales: SaleTable, rows: ArrayLike<number>): SaleTable {
  return {
    ...selectHomes(sales, rows),
    id: pickTexts(sales.id, rows),
    day: Int32Array.from(pickNumbers(sales.day, rows)),
    price: pickNumbers(sales.price, rows),
  };
}

/** Compares texts by code unit, like all sort keys of the project. */
export const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Sorts sales by day, then id: the canonical order for all computations. */
export function inCanonicalOrder(sales: SaleTable): SaleTable {
  const rows = Array.from({ length: sales.length }, (_, i) => i);
  rows.sort((a, b) => sales.day[a]! - sales.day[b]! || byCodeUnit(sales.id[a]!, sales.id[b]!));
  return selectSales(sales, rows);
}

/** Returns the number of sales, in canonical order, dated at most `day`. O(log n). */
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
