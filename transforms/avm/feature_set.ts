import { byCodeUnit, type HomeTable } from '../property/home_table.ts';
import { type Described, EVIDENCE_FEATURES } from './describe_homes.ts';
import { type Design, placeOf } from './design.ts';
import type { FeatureMatrix } from './gbt/bins.ts';

/**
 * Reference that prices are relative to, in features and target. `relative`: the property's hedonic value; trees learn what it
 * misses. `level`: the market's level; trees see whole prices. Their errors differ, so models average both.
 */
export type View = 'relative' | 'level';
export const VIEWS: readonly View[] = ['relative', 'level'];

/** Dwelling types in the order in which splits cut them: most land first. */
const TYPE_ORDER = [
  'rural',
  'land',
  'house',
  'duplex',
  'townhouse',
  'villa',
  'retirement',
  'unit',
  'other',
] as const;

/** Features from a property's own attributes. */
const ATTRIBUTES = [
  'dwelling_type',
  'bedrooms',
  'bathrooms',
  'parking',
  'ln_land',
  'ln_floor',
  'year_built',
] as const;

/** Location features, in units of 10 km from the centre of the sales. With the diagonals one split can cut along them. */
const PLACE = ['place_x', 'place_y', 'place_x_plus_y', 'place_x_minus_y', 'centre_distance'] as const;

/** Evidence features that are log prices relative to the hedonic value. */
const PRICES: ReadonlySet<string> = new Set([
  'area_median',
  'nearest_5',
  'nearest_15',
  'comparables',
  'own_previous',
]);

/** Returns the names of all columns; extras come last, in code-unit order. */
export function featureNames(extra: readonly string[]): string[] {
  return [...ATTRIBUTES, ...PLACE, ...EVIDENCE_FEATURES, ...[...extra].sort(byCodeUnit)];
}

/** Returns a feature's group: attributes, place, evidence, or the part of an extra name before its first dot. */
export function featureGroup(name: string): string {
  if ((ATTRIBUTES as readonly string[]).includes(name)) return 'attributes';
  if ((PLACE as readonly string[]).includes(name)) return 'place';
  if ((EVIDENCE_FEATURES as readonly string[]).includes(name)) return 'evidence';
  return name.split('.')[0]!;
}

const logOf = (value: number): number => (value > 0 ? Math.log(value) : NaN);

function writePlace(design: Design, homes: HomeTable, row: number, put: (value: number) => void): void {
  const { x, y } = placeOf(design, homes.lon[row]!, homes.lat[row]!);
  put(x);
  put(y);
  put(x + y);
  put(x - y);
  put(Math.sqrt(x * x + y * y));
}

/**
 * Builds the feature matrix of properties in one view. `described` must describe the same properties. `extra`: names of the extra
 * features in use.
 */
export function featureMatrix(
  design: Design,
  homes: HomeTable,
  described: Described,
  extra: readonly string[],
  view: View,
): FeatureMatrix {
  const names = featureNames(extra);
  const n = homes.length;
  const values = new Float64Array(n * names.length);
  const sorted = [...extra].sort(byCodeUnit).map((name) => homes.extra[name]);
  for (let row = 0; row < n; row++) {
    let at = row;
    const put = (value: number): void => {
      values[at] = Number.isFinite(value) ? value : NaN;
      at += n;
    };
    put((TYPE_ORDER as readonly string[]).indexOf(homes.dwelling_type[row]!));
    put(homes.bedrooms[row]!);
    put(homes.bathrooms[row]!);
    put(homes.parking[row]!);
    put(logOf(homes.land_area_sqm[row]!));
    put(logOf(homes.floor_area_sqm[row]!));
    put(homes.year_built[row]!);
    writePlace(design, homes, row, put);
    const hedonic = described.values[row]!;
    EVIDENCE_FEATURES.forEach((name, k) => {
      const featureValue = described.values[k * n + row]!;
      put(view === 'level' && PRICES.has(name) ? featureValue + hedonic : featureValue);
    });
    for (const column of sorted) put(column ? column[row]! : NaN);
  }
  return { names, rows: n, values };
}

/** Returns the log dollars to add to a view's predictions: the hedonic value, or the market's level. NaN: no evidence. */
export function viewOffset(described: Described, view: View): Float64Array {
  if (view === 'relative') return described.anchor;
  // The first evidence feature is the hedonic value above the market's level.
  return described.anchor.map((anchor, row) => anchor - described.values[row]!);
}
