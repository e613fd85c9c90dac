/** Maximum distance in metres between an address and the text's coordinates, by how surely the text names the address. */
const SURE_M = 2_000;
const LOOSE_M = 1_000;
const WEAK_M = 300;

interface ReasonWeight {
  /** Reduction of the score of 1. */
  readonly cost: number;
  /** Maximum distance of the address from the text's coordinates, metres. */
  readonly reach_m: number;
  /** The address is the parent of the address in the text: its building, or the range that contains its number. */
  readonly isParent?: true;
}

const sure = (cost: number): ReasonWeight => ({ cost, reach_m: SURE_M });
const loose = (cost: number): ReasonWeight => ({ cost, reach_m: LOOSE_M });
const weak = (cost: number): ReasonWeight => ({ cost, reach_m: WEAK_M });
const parent = (cost: number): ReasonWeight => ({ cost, reach_m: WEAK_M, isParent: true });

/**
 * Differences between a candidate and the text. Each costs part of the score of 1 and has a search radius; together they name the
 * rule. One typo, or two small ones, stay above the threshold of 0.8; a difference that means another address falls below it.
 * `sure`: the register has the same in other words. `loose`: the text leaves out or changes a part. `weak`: the text names another
 * street or suburb.
 */
const METHODS = {
  /** The text has one end of a G-NAF range. */
  range_end: sure(0.05),
  /** The text has an alias of the address. */
  alias_address: sure(0),
  street_alias: sure(0.03),
  missing_street_type: loose(0.06),
  type_not_in_gnaf: loose(0.05),
  missing_suffix: loose(0.06),
  type_typo: loose(0.04),
  /** Cost by edits and length. */
  street_typo: weak(0),
  locality_alias: loose(0.03),
  /** A bordering suburb; the stated one has no such street. */
  locality_neighbour: weak(0.1),
  /** The stated suburb also has the street, but its numbers do not extend to this one. */
  street_crosses_border: weak(0.06),
  /** By postcode alone: neither the stated suburb nor its neighbours have such an address. */
  locality_by_postcode: weak(0.15),
  /** Cost by edits and length. */
  locality_typo: weak(0),
  /** No suburb is stated; the postcode is used instead. */
  no_suburb: loose(0.08),
  /** The suburb is unknown; the postcode is used instead. */
  postcode_only: weak(0.14),
  /** Neither suburb nor postcode; the coordinates are used instead. */
  place_by_coordinates: weak(0.1),
  postcode_conflict: loose(0.08),
  /** The unit is listed under another number of its building. */
  unit_of_parent: sure(0.06),
  /** `12A` for unit A of 12, or the reverse. */
  letter_unit: sure(0.08),
  unit_type_differs: sure(0.05),
  level_not_in_gnaf: sure(0.02),
  lot: loose(0.05),
  building: loose(0.08),
  lot_plan: sure(0.06),
  /** The part of the text before the suburb may belong to its name. */
  shorter_suburb: loose(0.06),
  // Below: another address, or an uncertain one. Each alone falls below the threshold.
  neighbour_not_certain: weak(0.25),
  /** A suburb within two borders without other evidence: it must be confirmed by coordinates, and they are enough. */
  locality_further: weak(0.28),
  /** The register has the building but not the unit. */
  unit_absent: parent(0.4),
  unit_not_stated: weak(0.4),
  range_differs: weak(0.35),
  /** The number is inside a G-NAF range. */
  inside_range: parent(0.45),
  other_street_type: weak(0.3),
  other_suffix: weak(0.3),
  lot_plan_conflict: sure(0.25),
  far_away: weak(0.3),
  /** No suburb, postcode or coordinates: the street is somewhere in the index. */
  no_locality: weak(0.3),
  /** Confidence -1, or a retirement date; it is not served. */
  retired: sure(0.4),
  /** Chosen by the coordinates; closeness is scored by distance. */
  coordinates: sure(0),
} as const satisfies Readonly<Record<string, ReasonWeight>>;

/** Name of a difference between text and address. */
export type Reason = keyof typeof METHODS;

const ORDER = Object.keys(METHODS) as Reason[];

/** Search path to a candidate: its cost so far, and the reasons. */
export interface MatchPath {
  readonly cost: number;
  readonly reasons: readonly Reason[];
}

/** Path of a text that equals the register. */
export const EXACT: MatchPath = { cost: 0, reasons: [] };

/** Adds a reason to a path; the cost of a typo is passed in. */
export function step(path: MatchPath, reason: Reason, cost: number = METHODS[reason].cost): MatchPath {
  if (path.reasons.includes(reason)) return path;
  return { cost: path.cost + cost, reasons: [...path.reasons, reason] };
}

/** Returns the maximum distance of an address from the text's coordinates, metres: the smallest of its reasons' distances. */
export const pathReach = ({ reasons }: MatchPath): number =>
  Math.min(SURE_M, ...reasons.map((reason) => METHODS[reason].reach_m));

const costOf = ({ reasons }: MatchPath, counts: (reason: Reason) => boolean): number =>
  reasons.filter(counts).reduce((sum, reason) => sum + METHODS[reason].cost, 0);

/** Returns the part of a path's cost for being the parent of the address in the text; 0: not a parent. */
export const parentCost = (path: MatchPath): number =>
  costOf(path, (reason) => 'isParent' in METHODS[reason]);

/** Returns the part of a path's cost for contradicting coordinates and parcel. */
export const outvotedCost = (path: MatchPath): number =>
  costOf(path, (reason) => reason === 'far_away' || reason === 'lot_plan_conflict');

/** Returns the cost of edits in a name: half their share of its letters. */
export const typoCost = (edits: number, length: number): number => (0.5 * edits) / length;

/** Returns the rule: the reasons in a fixed order joined by `+`, or `exact`. */
export function ruleName(reasons: readonly Reason[]): string {
  if (reasons.length === 0) return 'exact';
  return ORDER.filter((name) => reasons.includes(name)).join('+');
}
