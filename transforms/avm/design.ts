import { TYPES_WITHOUT_LAND } from '../cma/comparable_distance.ts';
import { metresPerDegreeLat, metresPerDegreeLon } from '../geo/plane.ts';
import type { HomeTable } from '../property/home_table.ts';
import { quantile } from '../stats/quantile.ts';

/** Kinds of dwelling whose attributes are priced in the same way. Types not listed: kind 0. */
const KINDS: Readonly<Record<string, number>> = { unit: 1, retirement: 1, townhouse: 2, villa: 2, duplex: 2 };
const KIND_COUNT = 3;
/** Number of attribute columns per kind, see writeRow. */
const PER_KIND = 14;
/** Number of location columns, shared by all kinds. */
const PLACE = 7;
/** Construction years that separate period homes, post-war stock and recent building: age affects price differently in each. */
const PERIOD_END = 1940;
const RECENT_START = 1990;

/** Column layout of the hedonic model: the types it knows and the centre of its coordinates. */
export interface Design {
  /** Types with a column of their own, in code-unit order. */
  readonly types: readonly string[];
  /** Median position of the properties, GDA2020 degrees. */
  readonly lon: number;
  readonly lat: number;
  readonly columns: number;
}

/** Returns the design of a set of properties. Prices are not used. */
export function makeDesign(homes: HomeTable): Design {
  const types = [...new Set(homes.dwelling_type)].sort();
  const middle = (values: Float64Array): number => {
    const finite = values.filter(Number.isFinite);
    return finite.length > 0 ? quantile(finite, 0.5) : 0;
  };
  return {
    types,
    lon: middle(homes.lon),
    lat: middle(homes.lat),
    columns: 1 + types.length + KIND_COUNT * PER_KIND + PLACE,
  };
}

/** Returns the feature of each design column: a feature's name, `place`, or '' for the constant. */
export function designFeatures({ types }: Design): string[] {
  const repeat = (name: string, n: number): string[] => new Array<string>(n).fill(name);
  const kind = [
    ...repeat('bedrooms', 3),
    ...repeat('bathrooms', 2),
    ...repeat('parking', 2),
    ...repeat('ln_land', 3),
    ...repeat('ln_floor', 2),
    ...repeat('year_built', 2),
  ];
  const kinds = Array.from({ length: KIND_COUNT }, () => kind).flat();
  return ['', ...repeat('dwelling_type', types.length), ...kinds, ...repeat('place', PLACE)];
}

/** Returns a property's position relative to the centre, in units of 10 km; NaN without coordinates. */
export function placeOf(design: Design, lon: number, lat: number): { x: number; y: number } {
  return {
    x: ((lon - design.lon) * metresPerDegreeLon(design.lat)) / 10_000,
    y: ((lat - design.lat) * metresPerDegreeLat(design.lat)) / 10_000,
  };
}

/** Writes a known value and 0, or 0 and 1 if it is unknown. */
function setOrMissing(out: Float64Array, at: number, value: number): number {
  const isKnown = Number.isFinite(value);
  out[at] = isKnown ? value : 0;
  out[at + 1] = isKnown ? 0 : 1;
  return isKnown ? value : 0;
}

const clamp = (value: number, low: number, high: number): number => Math.max(low, Math.min(high, value));

/**
 * Writes a property's row to out[0, design.columns): constant, types, attributes of its kind, location. Values are centred by
 * constants and near 1 in size, so that one ridge penalty fits all. They are clamped to the range in which sales are common.
 */
function writeRow(design: Design, homes: HomeTable, row: number, out: Float64Array): void {
  out.fill(0, 0, design.columns);
  const type = homes.dwelling_type[row]!;
  out[0] = 1;
  const column = design.types.indexOf(type);
  if (column >= 0) out[1 + column] = 1;
  const at = 1 + design.types.length + (KINDS[type] ?? 0) * PER_KIND;
  const beds = setOrMissing(out, at, clamp(homes.bedrooms[row]!, 0, 8) - 3);
  out[at + 2] = (beds * beds) / 4;
  setOrMissing(out, at + 3, clamp(homes.bathrooms[row]!, 0, 6) - 1.5);
  setOrMissing(out, at + 5, clamp(homes.parking[row]!, 0, 6) - 1.5);
  const land = TYPES_WITHOUT_LAND.has(type) ? NaN : clamp(Math.log(homes.land_area_sqm[row]!), 3, 11) - 6.2;
  const ln_land = setOrMissing(out, at + 7, land);
  out[at + 9] = (ln_land * ln_land) / 2;
  setOrMissing(out, at + 10, clamp(Math.log(homes.floor_area_sqm[row]!), 2.5, 7.5) - 4.9);
  const year = homes.year_built[row]!;
  const isYearKnown = Number.isFinite(year);
  out[at + 12] = isYearKnown ? clamp((PERIOD_END - year) / 40, 0, 2) : 0;
  out[at + 13] = isYearKnown ? clamp((year - RECENT_START) / 25, 0, 2) : 0;
  writePlace(design, homes, row, out);
}

function writePlace(design: Design, homes: HomeTable, row: number, out: Float64Array): void {
  const at = design.columns - PLACE;
  const { x, y } = placeOf(design, homes.lon[row]!, homes.lat[row]!);
  if (!Number.isFinite(x) || !Number.isFinite(y)) {
    out[at] = 1;
    return;
  }
  // Bounded functions of the direction and the log distance: a polynomial would diverge at the fringe.
  const distance = Math.sqrt(x * x + y * y);
  const a = x / (1 + distance);
  const b = y / (1 + distance);
  out[at + 1] = 2 * a;
  out[at + 2] = 2 * b;
  out[at + 3] = 4 * a * a;
  out[at + 4] = 4 * a * b;
  out[at + 5] = 4 * b * b;
  out[at + 6] = Math.log(1 + distance);
}

/** Returns the properties' design rows, one after the other. Single precision halves the memory and is far finer than the data. */
export function designRows(design: Design, homes: HomeTable): Float32Array {
  const rows = new Float32Array(homes.length * design.columns);
  const row = new Float64Array(design.columns);
  for (let i = 0; i < homes.length; i++) {
    writeRow(design, homes, i, row);
    rows.set(row, i * design.columns);
  }
  return rows;
}
