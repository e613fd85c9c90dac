import { TRANSPORT_MODES, type TransportMode } from '../../../schema/records/stop.ts';
import type { KeptRoutes } from './options.ts';

/** Basic and extended route types that are a mode of ours, both ends included. Aerial lifts, air and taxis are none. */
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
/** Buses for trains under the route type of the trains that they stand for, as Victoria publishes them. */
const REPLACEMENT_NAME = /\b(rail|train|tram)?\s*replacement\s+(bus|coach)|\bbus\s+replacement\b/i;

/** A long name or description that says that the service is for pupils: `School - Darwin`, `School Bus`; not one that goes by a school. */
const SCHOOL_SERVICE =
  /^schools?\s*($|[-–—:(])|\bschools?\s+(bus|buses|services?|specials?|runs?|routes?|only|days?)\b|\bstudents?\s+only\b/i;
/** Runs that carry nobody, which a feed lists with its services. */
const NO_SERVICE = /\b(out of service|non[- ]?revenue|not in service|empty running)\b/i;

/** True where one of the texts of a route, or the modes that a stop is said to have, is that of a school service. */
export const isSchoolService = (texts: readonly string[]): boolean =>
  texts.some((text) => SCHOOL_SERVICE.test(text.trim()));

/** Mode of a route type; null: none that is served. */
export const modeOfRouteType = (type: number): TransportMode | null =>
  ROUTE_TYPES.find(([from, to]) => type >= from && type <= to)?.[2] ?? null;

/** Why a route is left out: the name of its drop. */
export const ROUTE_DROPS = [
  { drop: 'school_bus' },
  { drop: 'rail_replacement' },
  { drop: 'no_service' },
  { drop: 'other_mode' },
] as const;
export type RouteDrop = (typeof ROUTE_DROPS)[number]['drop'];

/**
 * Mode of a route, or why it is left out. `folder` is the mode that the configuration gives to the folder of the feed: it comes
 * before the route type, but school and replacement buses, and runs that carry nobody, are told apart first.
 */
export function modeOfRoute(
  type: number,
  names: string,
  folder: TransportMode | null,
  kept: KeptRoutes,
  isForSchools = false,
): TransportMode | RouteDrop {
  if (NO_SERVICE.test(names)) return 'no_service';
  if ((type === SCHOOL_BUS || isForSchools) && !kept.school_buses) return 'school_bus';
  const isReplacement = type === RAIL_REPLACEMENT || REPLACEMENT_NAME.test(names);
  if (isReplacement) return kept.rail_replacement ? 'bus' : 'rail_replacement';
  return folder ?? modeOfRouteType(type) ?? 'other_mode';
}

/** Modes of a stop as bits, in the order of TRANSPORT_MODES. */
export const bitOf = (mode: TransportMode): number => 1 << TRANSPORT_MODES.indexOf(mode);

/** The modes of a set of bits. */
export const modesOfBits = (bits: number): TransportMode[] =>
  TRANSPORT_MODES.filter((_, i) => (bits & (1 << i)) !== 0);
