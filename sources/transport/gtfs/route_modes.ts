import { TRANSPORT_MODES, type TransportMode } from '../../../schema/records/stop.ts';
import type { KeptRoutes } from './options.ts';

/** Ranges of basic and extended route types for each of our modes, both ends included. Aerial lifts, air and taxis have none. */
const ROUTE_TYPES: readonly (readonly [from: number, to: number, mode: TransportMode])[] = [
  [0, 0, 'tram'],
  [1, 2, 'train'],
  [3, 3, 'bus'],
  [4, 4, 'ferry'],
  [5, 5, 'tram'],
  [11, 11, 'bus'],
  [12, 12, 'train'],
  [100, 199, 'train'],
  [200, 299, 'bus'],
  [300, 699, 'train'],
  [700, 899, 'bus'],
  [900, 999, 'tram'],
  [1000, 1099, 'ferry'],
  [1200, 1299, 'ferry'],
];
const SCHOOL_BUS = 712;
const RAIL_REPLACEMENT = 714;
/** Names of replacement buses that are published with the route type of the trains they replace, as in Victoria. */
const REPLACEMENT_NAME = /\b(rail|train|tram)?\s*replacement\s+(bus|coach)|\bbus\s+replacement\b/i;

/** Long names or descriptions of services for pupils: `School - Darwin`, `School Bus`; not a service that only passes a school. */
const SCHOOL_SERVICE =
  /^schools?\s*($|[-–—:(])|\bschools?\s+(bus|buses|services?|specials?|runs?|routes?|only|days?)\b|\bstudents?\s+only\b/i;
/** Names of runs without passengers, which a feed lists with its services. */
const NO_SERVICE = /\b(out of service|non[- ]?revenue|not in service|empty running)\b/i;

/** Returns true if a text of a route, or a supported mode of a stop, means a school service. */
export const isSchoolService = (texts: readonly string[]): boolean =>
  texts.some((text) => SCHOOL_SERVICE.test(text.trim()));

/** Returns the mode of a route type; null: not served. */
export const modeOfRouteType = (type: number): TransportMode | null =>
  ROUTE_TYPES.find(([from, to]) => type >= from && type <= to)?.[2] ?? null;

/** Reasons to leave out a route: the names of the drops. */
export const ROUTE_DROPS = [
  { drop: 'school_bus' },
  { drop: 'rail_replacement' },
  { drop: 'no_service' },
  { drop: 'other_mode' },
] as const;
export type RouteDrop = (typeof ROUTE_DROPS)[number]['drop'];

/**
 * Returns the mode of a route, or the drop. `folder` is the configured mode of the feed's folder, which overrides the route type. School
 * and replacement buses, and runs without passengers, are decided before both.
 */
export function modeOfRoute(
  type: number,
  names: string,
  folder: TransportMode | null,
  keptMode: KeptRoutes,
  isForSchools = false,
): TransportMode | RouteDrop {
  if (NO_SERVICE.test(names)) return 'no_service';
  if ((type === SCHOOL_BUS || isForSchools) && !keptMode.school_buses) return 'school_bus';
  const isReplacement = type === RAIL_REPLACEMENT || REPLACEMENT_NAME.test(names);
  if (isReplacement) return keptMode.rail_replacement ? 'bus' : 'rail_replacement';
  return folder ?? modeOfRouteType(type) ?? 'other_mode';
}

/** Returns the bit of a mode, in the order of TRANSPORT_MODES. */
export const bitOf = (mode: TransportMode): number => 1 << TRANSPORT_MODES.indexOf(mode);

export const modesOfBits = (bits: number): TransportMode[] =>
  TRANSPORT_MODES.filter((_, i) => (bits & (1 << i)) !== 0);
