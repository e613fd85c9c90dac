/** Metres to the coordinates of the text beyond which they speak against an address, by how surely the text names it. */
const SURE_M = 2_000;
const LOOSE_M = 1_000;
const WEAK_M = 300;

interface ReasonWeight {
  /** What it takes from the score of 1. */
  readonly cost: number;
  /** How far from the text's own coordinates the address may lie, metres. */
  readonly reach_m: number;
  /** The address is the parent of what the text names: its building, or the range that its number lies in. */
  readonly isParent?: true;
}

const sure = (cost: number): ReasonWeight => ({ cost, reach_m: SURE_M });
const loose = (cost: number): ReasonWeight => ({ cost, reach_m: LOOSE_M });
const weak = (cost: number): ReasonWeight => ({ cost, reach_m: WEAK_M });
const parent = (cost: number): ReasonWeight => ({ cost, reach_m: WEAK_M, isParent: true });

/**
 * What separates a candidate from the text: each costs part of the score of 1 and has a reach; together they name the rule. Costs are
 * set so that one slip, or two small ones, stay above the threshold of 0.8, and that whatever would be another address falls below it.
 * `sure`: the register says the same in other words. `loose`: the text leaves out or changes a part. `weak`: it names another
 * street or suburb than the address has.
 */
const METHODS = {
  /** The text gives one end of a G-NAF range. */
  range_end: sure(0.05),
  /** The text gives an alias of the address. */
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
  /** The stated suburb has the street too, with numbers that do not reach so far. */
  street_crosses_border: weak(0.06),
  /** By the postcode alone: neither the stated suburb nor those beside it have such an address. */
  locality_by_postcode: weak(0.15),
  /** Cost by edits and length. */
  locality_typo: weak(0),
  /** No suburb is stated; the postcode stands for it. */
  no_suburb: loose(0.08),
  /** The suburb is unknown; the postcode stands for it. */
  postcode_only: weak(0.14),
  /** Neither suburb nor postcode; the coordinates stand for them. */
  place_by_coordinates: weak(0.1),
  postcode_conflict: loose(0.08),
  /** The unit is listed under another number of its building. */
  unit_of_parent: sure(0.06),
  /** `12A` for unit A of 12, or the other way round. */
  letter_unit: sure(0.08),
  unit_type_differs: sure(0.05),
  level_not_in_gnaf: sure(0.02),
  lot: loose(0.05),
  building: loose(0.08),
  lot_plan: sure(0.06),
  /** The part of the text before the suburb may belong to its name. */
  shorter_suburb: loose(0.06),
  // From here on: another address, or none that can be told. Each is enough to fall below the threshold.
  neighbour_not_certain: weak(0.25),
  /** A suburb within two borders, and nothing that speaks for it: the coordinates must confirm it, and then they do. */
  locality_further: weak(0.28),
  /** The building is there, and not the unit. */
  unit_absent: parent(0.4),
  unit_not_stated: weak(0.4),
  range_differs: weak(0.35),
  /** The number lies inside a G-NAF range. */
  inside_range: parent(0.45),
  other_street_type: weak(0.3),
  other_suffix: weak(0.3),
  lot_plan_conflict: sure(0.25),
  far_away: weak(0.3),
  /** No suburb, postcode or coordinates: the street is somewhere in the index. */
  no_locality: weak(0.3),
  /** Confidence -1, or a retirement date; it is not served. */
  retired: sure(0.4),
  /** Told apart by the coordinates; nearness is counted by distance. */
  coordinates: sure(0),
} as const satisfies Readonly<Record<string, ReasonWeight>>;

/** Name of a difference between text and address. */
export type Reason = keyof typeof METHODS;

const ORDER = Object.keys(METHODS) as Reason[];

/** How a search came to a candidate: what it cost so far, and why. */
export interface MatchPath {
  readonly cost: number;
  readonly reasons: readonly Reason[];
}

/** The path of a text that says exactly what the register says. */
export const EXACT: MatchPath = { cost: 0, reasons: [] };

/** A path with one more reason; the cost of a typing error is given with it. */
export function step(path: MatchPath, reason: Reason, cost: number = METHODS[reason].cost): MatchPath {
  if (path.reasons.includes(reason)) return path;
  return { cost: path.cost + cost, reasons: [...path.reasons, reason] };
}

/** How far an address may lie from the coordinates of the text, metres: as far as the weakest of the reasons reaches. */
export const reachOf = ({ reasons }: MatchPath): number =>
  Math.min(SURE_M, ...reasons.map((reason) => METHODS[reason].reach_m));

const costOf = ({ reasons }: MatchPath, counts: (reason: Reason) => boolean): number =>
  reasons.filter(counts).reduce((sum, reason) => sum + METHODS[reason].cost, 0);

/** The cost of being the parent of what the text names, part of the cost of a path; 0: the address is not its parent. */
export const parentCost = (path: MatchPath): number =>
  costOf(path, (reason) => 'isParent' in METHODS[reason]);

/** The cost of what coordinates and parcel say against an address, part of the cost of a path. */
export const outvotedCost = (path: MatchPath): number =>
  costOf(path, (reason) => reason === 'far_away' || reason === 'lot_plan_conflict');

/** Cost of edits in a name: half their share of its letters. */
export const typoCost = (edits: number, length: number): number => (0.5 * edits) / length;

/** The rule in a word: the reasons in a fixed order joined by `+`, or `exact`. */
export function ruleName(reasons: readonly Reason[]): string {
  if (reasons.length === 0) return 'exact';
  return ORDER.filter((name) => reasons.includes(name)).join('+');
}
