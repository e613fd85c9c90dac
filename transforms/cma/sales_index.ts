import { append } from '../../schema/group_by.ts';
import {
  byCodeUnit,
  type HomeTable,
  inCanonicalOrder,
  knownBy,
  type SaleTable,
} from '../property/home_table.ts';
import { type HomeAttributes, LIKENESS_KEYS, writeLikeness } from './comparable_distance.ts';
import {
  buildPointGrid,
  makeFound,
  type PointGrid,
  pointsNumbered,
  type RadiusSearchResult,
} from './point_grid.ts';

/** Sales prepared for comparablesFor and the features of a model. Built by buildSalesIndex. */
export interface SalesIndex {
  /** In canonical order: by day, then id. */
  readonly sales: SaleTable;
  /** Sales of each dwelling type by position. */
  readonly by_type: ReadonlyMap<string, PointGrid>;
  readonly everything: PointGrid;
  /** Codes of suburbs and properties; -1 for ''. */
  readonly area_codes: ReadonlyMap<string, number>;
  readonly area: Int32Array;
  readonly property_codes: ReadonlyMap<string, number>;
  readonly property: Int32Array;
  /** Compared numbers of sale i at i * 6, in the order of LIKENESS_KEYS. */
  readonly likeness: Float64Array;
  readonly matches: RadiusSearchResult;
}

/** A property that sales are compared with. */
export interface SubjectProperty extends HomeAttributes {
  /** Key of the property; its own sales are never comparables. '': unknown. */
  property: string;
  area: string;
  /** GDA2020 degrees; NaN: none. */
  lon: number;
  lat: number;
}

export function subjectOf(homes: HomeTable, row: number): SubjectProperty {
  return {
    property: homes.property[row]!,
    dwelling_type: homes.dwelling_type[row]!,
    area: homes.area[row]!,
    lon: homes.lon[row]!,
    lat: homes.lat[row]!,
    bedrooms: homes.bedrooms[row]!,
    bathrooms: homes.bathrooms[row]!,
    parking: homes.parking[row]!,
    land_area_sqm: homes.land_area_sqm[row]!,
    floor_area_sqm: homes.floor_area_sqm[row]!,
    year_built: homes.year_built[row]!,
  };
}

/** Returns the codes of texts in code-unit order, without ''. */
export function codesOf(texts: readonly string[]): Map<string, number> {
  const distinct = [...new Set(texts)].filter((text) => text !== '').sort(byCodeUnit);
  return new Map(distinct.map((text, code) => [text, code]));
}

/** Returns each text's code; -1: none. */
export const coded = (texts: readonly string[], codes: ReadonlyMap<string, number>): Int32Array =>
  Int32Array.from(texts, (text) => codes.get(text) ?? -1);

function isCanonical({ day, id, length }: SaleTable): boolean {
  for (let i = 1; i < length; i++)
    if (day[i]! < day[i - 1]! || (day[i] === day[i - 1] && id[i]! < id[i - 1]!)) return false;
  return true;
}

/** Prepares valid sales for searching, in any order; see validateSales. */
export function buildSalesIndex(table: SaleTable): SalesIndex {
  const sales = isCanonical(table) ? table : inCanonicalOrder(table);
  const rowsOfType = new Map<string, number[]>();
  for (let i = 0; i < sales.length; i++) {
    const type = sales.dwelling_type[i]!;
    append(rowsOfType, type, i);
  }
  const likeness = new Float64Array(sales.length * LIKENESS_KEYS.length);
  for (let i = 0; i < sales.length; i++)
    writeLikeness(subjectOf(sales, i), likeness, i * LIKENESS_KEYS.length);
  const area_codes = codesOf(sales.area);
  const property_codes = codesOf(sales.property);
  const { lon, lat } = sales;
  return {
    sales,
    by_type: new Map([...rowsOfType].map(([type, rows]) => [type, buildPointGrid(lon, lat, rows)])),
    everything: buildPointGrid(
      lon,
      lat,
      Array.from({ length: sales.length }, (_, i) => i),
    ),
    area_codes,
    area: coded(sales.area, area_codes),
    property_codes,
    property: coded(sales.property, property_codes),
    likeness,
    matches: makeFound(),
  };
}

/**
 * Returns the index for searches limited to sales from `from_day` to `to_day`: results are equal, but the cost only depends on the
 * sales of those days. Sale indexes are unchanged.
 */
export function searchedWithin(index: SalesIndex, from_day: number, to_day: number): SalesIndex {
  const from = knownBy(index.sales.day, from_day - 1);
  const to = knownBy(index.sales.day, to_day);
  return {
    ...index,
    by_type: new Map([...index.by_type].map(([type, grid]) => [type, pointsNumbered(grid, from, to)])),
    everything: pointsNumbered(index.everything, from, to),
  };
}
