import { buildSalesIndex, coded, codesOf, type SalesIndex } from '../cma/sales_index.ts';
import { type HomeTable, inCanonicalOrder, type SaleTable, selectSales } from '../property/home_table.ts';
import { monthOf } from '../stats/calendar.ts';
import { groupRows, type RowGroups } from '../stats/row_groups.ts';
import { type Design, designRows, makeDesign } from './design.ts';
import { EVIDENCE, type EvidenceParams } from './evidence_params.ts';
import type { Hedonic } from './hedonic.ts';
import { type HomePositions, placeHomes, placesOf } from './places.ts';
import { walkMonths } from './vintages.ts';

/** Sales that homes are described by. */
interface KnownSales {
  readonly params: EvidenceParams;
  /** Where homes without coordinates are taken to lie. */
  readonly places: HomePositions;
  readonly design: Design;
  /** Sales without outliers, searchable; in canonical order. */
  readonly index: SalesIndex;
  /** Suburbs as numbers, as the hedonic models know them. */
  readonly area_codes: ReadonlyMap<string, number>;
  readonly area: Int32Array;
  /** Position of a sale's type among those of the design. */
  readonly type: Int32Array;
  /** Sales by area code · number of types + type, and by the property codes of the index. */
  readonly of_area_and_type: RowGroups;
  readonly of_property: RowGroups;
  /** Hedonic models by the last complete month that each has seen, ascending. */
  readonly vintages: readonly Hedonic[];
}

/** Sales prepared for describing homes as of any day: what was known then, and the hedonic model of each month. */
export interface Evidence extends KnownSales {
  readonly log_price: Float64Array;
  /** Months from January 1970. */
  readonly month: Int32Array;
  /** Design rows of the sales, one after the other. */
  readonly rows: Float32Array;
  /** Ids of sales left out because their price is far from what was expected at their time, in canonical order. */
  readonly outliers: readonly string[];
}

/** Prices of sales carried to the level of a model, log dollars, and what is left of them beyond their hedonic value. */
export interface PricesAtLevel {
  readonly adjusted: Float64Array;
  readonly residual: Float64Array;
}

/** Sales prepared for describing homes as of one day, by its one hedonic model. Made by unpackEvidence. */
export interface DayEvidence extends KnownSales, PricesAtLevel {}

export type AnyEvidence = Evidence | DayEvidence;

/** Position of each home's type among those of the design, -1 for another type. */
export function typeCodes(design: Design, homes: HomeTable): Int32Array {
  return Int32Array.from(homes.dwelling_type, (type) => design.types.indexOf(type));
}

/**
 * Prepares valid sales as evidence; their order does not matter. Whether a sale is an outlier is judged by sales of earlier
 * months alone, so that no later price changes what was known on a day.
 */
export function buildEvidence(given: SaleTable, params: EvidenceParams = EVIDENCE): Evidence {
  const unplaced = inCanonicalOrder(given);
  const places = placesOf(unplaced);
  const all = placeHomes(unplaced, places);
  const design = makeDesign(all);
  const area_codes = codesOf(all.area);
  const { vintages, kept } = walkMonths(
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
  const sales = kept.length === all.length ? all : selectSales(all, kept);
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

/** Last month that is complete on a day. */
const completeMonth = (day: number): number => monthOf(day + 1) - 1;

/** The hedonic model that a day may use: of the last complete month, or before it; null where there is none yet. */
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
