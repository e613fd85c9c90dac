import { buildSalesIndex, coded, codesOf, type SalesIndex } from '../cma/sales_index.ts';
import { type HomeTable, inCanonicalOrder, type SaleTable, selectSales } from '../property/home_table.ts';
import { monthOf } from '../stats/calendar.ts';
import { groupRows, type RowGroups } from '../stats/row_groups.ts';
import { type Design, designRows, makeDesign } from './design.ts';
import { EVIDENCE, type EvidenceParams } from './evidence_params.ts';
import type { Hedonic } from './hedonic.ts';
import { type HomePositions, placeHomes, placesOf } from './home_positions.ts';
import { walkMonths } from './vintages.ts';

/** Training sales that describe properties. */
interface KnownSales {
  readonly params: EvidenceParams;
  /** Assumed positions of properties without coordinates. */
  readonly places: HomePositions;
  readonly design: Design;
  /** Searchable sales without outliers, in canonical order. */
  readonly index: SalesIndex;
  /** Suburb codes used by the hedonic models. */
  readonly area_codes: ReadonlyMap<string, number>;
  readonly area: Int32Array;
  /** Index of each sale's type in the design. */
  readonly type: Int32Array;
  /** Sales by area code · number of types + type, and by the property codes of the index. */
  readonly of_area_and_type: RowGroups;
  readonly of_property: RowGroups;
  /** Hedonic models by the last complete month of sales seen, ascending. */
  readonly vintages: readonly Hedonic[];
}

/** Sales prepared to describe properties as of any day: the sales known on that day, and each month's hedonic model. */
export interface Evidence extends KnownSales {
  readonly log_price: Float64Array;
  /** Months since January 1970. */
  readonly month: Int32Array;
  /** Design rows of the sales, one after the other. */
  readonly rows: Float32Array;
  /** Ids of outliers in canonical order: sales whose price is far from the one expected at the time. */
  readonly outliers: readonly string[];
}

/** Sale prices at the price level of a model, log dollars, and their residuals above the hedonic value. */
export interface PricesAtLevel {
  readonly adjusted: Float64Array;
  readonly residual: Float64Array;
}

/** Sales prepared to describe properties as of one day with one hedonic model. Built by unpackEvidence. */
export interface DayEvidence extends KnownSales, PricesAtLevel {}

export type AnyEvidence = Evidence | DayEvidence;

/** Returns the index of each property's type in the design, or -1 for another type. */
export function typeCodes(design: Design, homes: HomeTable): Int32Array {
  return Int32Array.from(homes.dwelling_type, (type) => design.types.indexOf(type));
}

/**
 * Prepares valid sales as evidence, in any order. Only sales of earlier months decide whether a sale is an outlier, so that no
 * later price changes what was known on a day.
 */
export function buildEvidence(table: SaleTable, params: EvidenceParams = EVIDENCE): Evidence {
  const unplaced = inCanonicalOrder(table);
  const places = placesOf(unplaced);
  const all = placeHomes(unplaced, places);
  const design = makeDesign(all);
  const area_codes = codesOf(all.area);
  const { vintages, keptRows } = walkMonths(
    {
      design,
      rows: designRows(design, all),
      area: coded(all.area, area_codes),
      areas: area_codes.size,
      log_price: Float64Array.from(all.price, Math.log),
      month: Int32Array.from(all.day, monthOf),
      type: typeCodes(design, all),
    },
    params,
  );
  const sales = keptRows.length === all.length ? all : selectSales(all, keptRows);
  const isKept = new Set(sales.id);
  const index = buildSalesIndex(sales);
  const types = design.types.length;
  const area = coded(sales.area, area_codes);
  const type = typeCodes(design, sales);
  const area_and_type = area.map((own, i) => (own >= 0 ? own * types + type[i]! : -1));
  return {
    params,
    places,
    design,
    index,
    log_price: Float64Array.from(sales.price, Math.log),
    month: Int32Array.from(sales.day, monthOf),
    rows: designRows(design, sales),
    area_codes,
    area,
    type,
    of_area_and_type: groupRows(area_and_type, area_codes.size * types),
    of_property: groupRows(index.property, index.property_codes.size),
    vintages,
    outliers: all.id.filter((id) => !isKept.has(id)),
  };
}

const completeMonth = (day: number): number => monthOf(day + 1) - 1;

/** Returns the hedonic model that a day may use: the newest one up to the last complete month. Null: none yet. */
export function vintageOf({ vintages }: Pick<Evidence, 'vintages'>, day: number): Hedonic | null {
  const month = completeMonth(day);
  let lo = 0;
  let hi = vintages.length;
  while (lo < hi) {
    const middle = (lo + hi) >> 1;
    if (vintages[middle]!.last_month <= month) lo = middle + 1;
    else hi = middle;
  }
  return lo > 0 ? vintages[lo - 1]! : null;
}
