/**
 * What separates a candidate from the text: each costs part of the score of 1, and together they name the rule. Costs are set so
 * that one slip, or two small ones, stay above the threshold of 0.8, and that whatever would be another address falls below it.
 */
const COSTS = {
  /** The text gives one end of a G-NAF range. */
  range_end: 0.05,
  /** The text gives an alias of the address. */
  alias_address: 0,
  street_alias: 0.03,
  missing_street_type: 0.06,
  type_not_in_gnaf: 0.05,
  missing_suffix: 0.06,
  type_typo: 0.04,
  /** Cost by edits and length. */
  street_typo: 0,
  locality_alias: 0.03,
  /** A bordering suburb; the stated one has no such street. */
  locality_neighbour: 0.1,
  /** The stated suburb has the street too, with numbers that do not reach so far. */
  street_crosses_border: 0.06,
  /** By the postcode alone: neither the stated suburb nor those beside it have such an address. */
  locality_by_postcode: 0.15,
  /** Cost by edits and length. */
  locality_typo: 0,
  /** No suburb is stated; the postcode stands for it. */
  no_suburb: 0.08,
  /** The suburb is unknown; the postcode stands for it. */
  postcode_only: 0.14,
  /** Neither suburb nor postcode; the coordinates stand for them. */
  place_by_coordinates: 0.1,
  postcode_conflict: 0.08,
  /** The unit is listed under another number of its building. */
  unit_of_parent: 0.06,
  /** `12A` for unit A of 12, or the other way round. */
  letter_unit: 0.08,
  unit_type_differs: 0.05,
  level_not_in_gnaf: 0.02,
  lot: 0.05,
  building: 0.08,
  lot_plan: 0.06,
  /** The part of the text before the suburb may belong to its name. */
  shorter_suburb: 0.06,
  // From here on: another address, or none that can be told. Each is enough to fall below the threshold.
  neighbour_not_certain: 0.25,
  /** A neighbour of a neighbour, and no postcode of its own: the coordinates must confirm it, and then they do. */
  locality_further: 0.28,
  unit_absent: 0.4,
  unit_not_stated: 0.4,
  range_differs: 0.35,
  inside_range: 0.45,
  other_street_type: 0.3,
  other_suffix: 0.3,
  lot_plan_conflict: 0.25,
  far_away: 0.3,
  /** No suburb, postcode or coordinates: the street is somewhere in the index. */
  no_locality: 0.3,
  /** Confidence -1, or a retirement date; it is not served. */
  retired: 0.4,
  /** Told apart by the coordinates; nearness is counted by distance. */
  coordinates: 0,
} as const;

/** Name of a difference between text and address. */
export type Reason = keyof typeof COSTS;

const ORDER = Object.keys(COSTS) as Reason[];

/** How a search came to a candidate: what it cost so far, and why. */
export interface Path {
  readonly cost: number;
  readonly reasons: readonly Reason[];
}

/** The path of a text that says exactly what the register says. */
export const EXACT: Path = { cost: 0, reasons: [] };

/** A path with one more reason; the cost of a typing error is given with it. */
export function step(path: Path, reason: Reason, cost: number = COSTS[reason]): Path {
  if (path.reasons.includes(reason)) return path;
  return { cost: path.cost + cost, reasons: [...path.reasons, reason] };
}

/** Cost of edits in a name: half their share of its letters. */
export const typoCost = (edits: number, length: number): number => (0.5 * edits) / length;

/** The rule in a word: the reasons in a fixed order joined by `+`, or `exact`. */
export function ruleName(reasons: readonly Reason[]): string {
  if (reasons.length === 0) return 'exact';
  return ORDER.filter((name) => reasons.includes(name)).join('+');
}
