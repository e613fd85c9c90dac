import { TYPES_WITHOUT_LAND } from '../cma/distance.ts';
import type { HomeTable } from '../property/home_table.ts';

/** Attributes whose range among the sales bounds what can be valued by them. */
const AREAS = ['land_area_sqm', 'floor_area_sqm'] as const;
const ROOMS = ['bedrooms', 'bathrooms'] as const;
type Bounded = (typeof AREAS)[number] | (typeof ROOMS)[number];

/** The number of the zone category among the extra features: homes are valued where their type has sold in such zones. */
const ZONE = 'zoning.category';

/** Sales that must reach a bound: fewer may be mistakes. */
const REACHED_BY = 5;
/** Sales that must state an attribute before it bounds anything. */
const STATED_BY = 50;
/** How far beyond the reached bound a home may lie: areas by this factor, rooms by this number. */
const AREA_FACTOR = 1.5;
const ROOM_STEP = 1;
/** Sales of the type with a zone before zones bound anything, and those that a zone must have among them. */
const ZONED_BY = 300;
const SOLD_IN_ZONE = 3;

/** What the sales of one type were: nothing is known of homes beyond it. */
interface Hull {
  bounds: Partial<Record<Bounded, readonly [low: number, high: number]>>;
  /** Zone categories in which the type has sold; null: too few zones are known. */
  zones: readonly number[] | null;
}

/** The hull of the evidence by dwelling type. */
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
  let known = 0;
  for (const row of rows) {
    const own = zone?.[row] ?? Number.NaN;
    if (Number.isNaN(own)) continue;
    known++;
    sold.set(own, (sold.get(own) ?? 0) + 1);
  }
  if (known < ZONED_BY) return null;
  return [...sold]
    .filter(([, n]) => n >= SOLD_IN_ZONE)
    .map(([own]) => own)
    .sort((a, b) => a - b);
}

/** The hull of sales; their order does not matter. */
export function hullsOf(sales: HomeTable): Hulls {
  const rowsOf = new Map<string, number[]>();
  sales.dwelling_type.forEach((type, row) => {
    const rows = rowsOf.get(type);
    if (rows) rows.push(row);
    else rowsOf.set(type, [row]);
  });
  const types = [...rowsOf.keys()].sort();
  return new Map(
    types.map((type) => {
      const rows = rowsOf.get(type)!;
      const bounds: Hull['bounds'] = {};
      for (const name of [...AREAS, ...ROOMS]) {
        // Recorded land of a flat is that of the whole lot.
        if (name === 'land_area_sqm' && TYPES_WITHOUT_LAND.has(type)) continue;
        const own = boundsOf(rows.map((row) => sales[name][row]!).filter(Number.isFinite), name);
        if (own) bounds[name] = own;
      }
      return [type, { bounds, zones: zonesOf(sales.extra[ZONE], rows) }];
    }),
  );
}

/** Whether a home lies outside the hull of its type: in an attribute, or in a zone where none has sold. What is unknown does not tell. */
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
