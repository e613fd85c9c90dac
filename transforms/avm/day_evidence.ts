import { COMPARABLES } from '../cma/comparables.ts';
import { buildSalesIndex, coded, searchedWithin } from '../cma/sales_index.ts';
import {
  HOME_NUMBERS,
  type HomeNumber,
  knownBy,
  pickNumbers,
  type SaleTable,
} from '../property/home_table.ts';
import { groupRows } from '../stats/row_groups.ts';
import { packValue, unpackValue } from './artefact.ts';
import { pricesAtLevel, WINDOW_DAYS } from './describe_homes.ts';
import { type DayEvidence, type Evidence, typeCodes, vintageOf } from './evidence.ts';
import type { HomePositions, PositionSums } from './home_positions.ts';

/** First bytes of packed evidence; the digit is the layout version. */
export const EVIDENCE_MAGIC = 'AVE1';

/** Streets or suburbs as columns: the five sums of entry k start at 5 k. */
interface PackedPlaces {
  keys: string[];
  sums: Float64Array;
}

/** Data from which the evidence of a day is restored. */
interface Packed {
  params: Evidence['params'];
  design: Evidence['design'];
  vintages: Evidence['vintages'];
  streets: PackedPlaces;
  suburbs: PackedPlaces;
  /** Suburb names in order of their codes. */
  areas: string[];
  property: string[];
  day: Int32Array;
  price: Float64Array;
  area: Int32Array;
  type: Int32Array;
  numbers: Record<HomeNumber, Float64Array>;
  adjusted: Float64Array;
  residual: Float64Array;
  /** First and last day that searches look at. */
  from: number;
  to: number;
}

function packPlaces(places: ReadonlyMap<string, PositionSums>): PackedPlaces {
  const sums = new Float64Array(places.size * 5);
  let at = 0;
  for (const { n, lon, lat, lon2, lat2 } of places.values()) {
    sums.set([n, lon, lat, lon2, lat2], at);
    at += 5;
  }
  return { keys: [...places.keys()], sums };
}

function unpackPlaces({ keys, sums }: PackedPlaces): Map<string, PositionSums> {
  const places = new Map<string, PositionSums>();
  keys.forEach((key, k) => {
    const [n, lon, lat, lon2, lat2] = sums.subarray(5 * k, 5 * k + 5) as unknown as [
      number,
      number,
      number,
      number,
      number,
    ];
    places.set(key, { n, lon, lat, lon2, lat2 });
  });
  return places;
}

/** Returns the rows that describe a property as of a day: sales within the search window, and each property's last earlier sale. */
function rowsOfDay({ index }: Evidence, from: number, knownCount: number): number[] {
  const { property } = index;
  const first = knownBy(index.sales.day, from - 1);
  const last = new Map<number, number>();
  for (let i = 0; i < knownCount; i++) if (property[i]! >= 0) last.set(property[i]!, i);
  const rows: number[] = [];
  for (let i = 0; i < knownCount; i++) if (i >= first || last.get(property[i]!) === i) rows.push(i);
  return rows;
}

/**
 * Packs the evidence that describes properties as of one day: the sales that count on it, at its price level, without models of
 * earlier months. Descriptions equal those by the full evidence. Equal evidence gives equal bytes.
 */
export function packEvidence(evidence: Evidence, as_of: number): Uint8Array {
  const to = as_of - evidence.params.lag_days;
  const from = to - Math.max(WINDOW_DAYS, COMPARABLES.max_age_days);
  const { index, places, area_codes, design, params } = evidence;
  const { sales } = index;
  const knownCount = knownBy(sales.day, to);
  const rows = rowsOfDay(evidence, from, knownCount);
  const vintage = vintageOf(evidence, to);
  const priced = vintage === null ? null : pricesAtLevel(evidence, vintage, knownCount);
  const none = new Float64Array(knownCount);
  const picked = (values: ArrayLike<number>): Float64Array => pickNumbers(values, rows);
  const packed: Packed = {
    params,
    design,
    vintages: vintage === null ? [] : [vintage],
    streets: packPlaces(places.streets),
    suburbs: packPlaces(places.areas),
    areas: [...area_codes.keys()],
    property: rows.map((row) => sales.property[row]!),
    day: Int32Array.from(picked(sales.day)),
    price: picked(sales.price),
    area: Int32Array.from(picked(evidence.area)),
    type: Int32Array.from(picked(evidence.type)),
    numbers: Object.fromEntries(HOME_NUMBERS.map((name) => [name, picked(sales[name])])) as Packed['numbers'],
    adjusted: picked(priced?.adjusted ?? none),
    residual: picked(priced?.residual ?? none),
    from,
    to,
  };
  return packValue(EVIDENCE_MAGIC, packed);
}

/** Unpacks the bytes of packEvidence. @throws EtlError `avm_artefact` */
export function unpackEvidence(bytes: Uint8Array): DayEvidence {
  const packed = unpackValue(EVIDENCE_MAGIC, bytes) as Packed;
  const { params, design, vintages, areas, property, day, price, area, type, numbers } = packed;
  const length = property.length;
  const sales: SaleTable = {
    length,
    ...numbers,
    property,
    day,
    price,
    dwelling_type: Array.from(type, (code) => design.types[code]!),
    area: Array.from(area, (code) => areas[code] ?? ''),
    street: [],
    // Ids only serve canonical order, which the rows already have.
    id: new Array<string>(length).fill(''),
    extra: {},
  };
  const index = searchedWithin(buildSalesIndex(sales), packed.from, packed.to);
  const area_codes = new Map(areas.map((name, code) => [name, code]));
  const types = design.types.length;
  const places: HomePositions = {
    streets: unpackPlaces(packed.streets),
    areas: unpackPlaces(packed.suburbs),
  };
  return {
    params,
    places,
    design,
    index,
    area_codes,
    area: coded(sales.area, area_codes),
    type: typeCodes(design, sales),
    of_area_and_type: groupRows(
      area.map((own, i) => (own >= 0 ? own * types + type[i]! : -1)),
      area_codes.size * types,
    ),
    of_property: groupRows(index.property, index.property_codes.size),
    vintages,
    adjusted: packed.adjusted,
    residual: packed.residual,
  };
}
