import { append } from '../../schema/group_by.ts';
import { TYPES_WITHOUT_LAND } from '../cma/comparable_distance.ts';
import type { HomeTable } from '../property/home_table.ts';

/** Attributes whose range among the sales limits which properties can be valued. */
const AREAS = ['land_area_sqm', 'floor_area_sqm'] as const;
const ROOMS = ['bedrooms', 'bathrooms'] as const;
type Bounded = (typeof AREAS)[number] | (typeof ROOMS)[number];

/** Extra feature with the zone category. A property is valued if its type has sold in its zone. */
const ZONE = 'zoning.category';

/** Minimum sales at or beyond a bound: fewer may be mistakes. */
const REACHED_BY = 5;
/** Minimum sales that state an attribute before it has bounds. */
const STATED_BY = 50;
/** Tolerance beyond a bound: a factor for areas, a number for rooms. */
const AREA_FACTOR = 1.5;
const ROOM_STEP = 1;
/** Minimum sales of the type with a zone before zones are limited, and minimum sales of each accepted zone. */
const ZONED_BY = 300;
const SOLD_IN_ZONE = 3;

/** Ranges of the sales of one type: beyond them the model has no evidence. */
interface Hull {
  bounds: Partial<Record<Bounded, readonly [low: number, high: number]>>;
  /** Zone categories in which the type has sold. Null: too few zones are known. */
  zones: readonly number[] | null;
}

/** Ranges of the training sales by dwelling type. */
export type Hulls = ReadonlyMap<string, Hull>;

function boundsOf(values: number[], name: Bounded): readonly [number, number] | null {
  if (values.length < STATED_BY) return null;
  values.sort((a, b) => a - b);
  const [low, high] = [values[REACHED_BY - 1]!, values[values.length - REACHED_BY]!];
  return (AREAS as readonly string[]).includes(name)
    ? [low / AREA_FACTOR, high * AREA_FACTOR]
    : [low - ROOM_STEP, high + ROOM_STEP];
}

function zonesOf(zone: Float64Array | undefined, rows: readonly number[]): number[] | null {
  const sold = new Map<number, number>();
  let knownValues = 0;
  for (const row of rows) {
    const ownZone = zone?.[row] ?? Number.NaN;
    if (Number.isNaN(ownZone)) continue;
    knownValues++;
    sold.set(ownZone, (sold.get(ownZone) ?? 0) + 1);
  }
  if (knownValues < ZONED_BY) return null;
  return [...sold]
    .filter(([, n]) => n >= SOLD_IN_ZONE)
    .map(([own]) => own)
    .sort((a, b) => a - b);
}

/** Returns the ranges of sales, in any order. */
export function hullsOf(sales: HomeTable): Hulls {
  const rowsOf = new Map<string, number[]>();
  sales.dwelling_type.forEach((type, row) => {
    append(rowsOf, type, row);
  });
  const types = [...rowsOf.keys()].sort();
  return new Map(
    types.map((type) => {
      const rows = rowsOf.get(type)!;
      const bounds: Hull['bounds'] = {};
      for (const name of [...AREAS, ...ROOMS]) {
        // Recorded land of a flat is the land of the whole lot.
        if (name === 'land_area_sqm' && TYPES_WITHOUT_LAND.has(type)) continue;
        const range = boundsOf(rows.map((row) => sales[name][row]!).filter(Number.isFinite), name);
        if (range) bounds[name] = range;
      }
      return [type, { bounds, zones: zonesOf(sales.extra[ZONE], rows) }];
    }),
  );
}

/**
 * Returns whether a property is outside the ranges of its type: in an attribute, or in a zone without such sales. Unknown values
 * are never outside.
 */
export function isOutside(hulls: Hulls, homes: HomeTable, row: number): boolean {
  const hull = hulls.get(homes.dwelling_type[row]!);
  if (!hull) return false;
  for (const [name, [low, high]] of Object.entries(hull.bounds)) {
    const value = homes[name as Bounded][row]!;
    if (value < low || value > high) return true;
  }
  const zone = homes.extra[ZONE]?.[row] ?? Number.NaN;
  return hull.zones !== null && !Number.isNaN(zone) && !hull.zones.includes(zone);
}
