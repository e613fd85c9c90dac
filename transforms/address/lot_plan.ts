const withoutSpaces = (text: string): string => text.replace(/\s+/g, '');
const singleSpaces = (text: string): string => text.trim().replace(/\s+/g, ' ');

const PLAN = /^[A-Z]{1,4}\d{2,}$/;

/** Returns whether only the first part is a plan: `RP602276/3`, which the address file writes as `3/RP602276`. */
const isPlanFirst = (first: string, second: string): boolean => PLAN.test(first) && !PLAN.test(second);

/** Queensland: G-NAF writes `2/RP20457`, the state's cadastre `2RP20457`, and councils also `RP20457/2`. */
function qld(text: string): string {
  const fields = withoutSpaces(text).split('/');
  const [first, second] = fields;
  if (fields.length === 2 && second && isPlanFirst(first!, second)) return second + first;
  return fields.join('');
}

/**
 * NSW: `lot/section/plan`, usually without a section. `381/DP1061794` has no section, and a bare plan number is a deposited plan.
 * All lots of a strata plan share one ground polygon, which the cadastre calls `//SP65328`, so the lot of an SP plan is left out on
 * both sides.
 */
function nsw(text: string): string | null {
  const fields = text.replace(/\s+/g, '').split('/');
  if (fields.length < 2 || fields.length > 3) return null;
  const [lot, section, plan] = fields.length === 3 ? fields : [fields[0], '', fields[1]];
  if (fields.length === 2 && isPlanFirst(lot!, plan!)) return nsw(`${plan}//${lot}`);
  if (!plan) return null;
  const fullPlan = /^\d+$/.test(plan) ? `DP${plan}` : plan;
  return fullPlan.startsWith('SP') ? `//${fullPlan}` : `${lot}/${section}/${fullPlan}`;
}

/** One rule per state, for upper-case text. A state that is not listed gives null. */
const RULES: Readonly<Record<string, (text: string) => string | null>> = {
  NSW: nsw,
  // Equal on both sides, including the backslash and, on Crown land, the tilde: `1\PS908944`, `1~A\PP1234`, `PC366537`.
  VIC: withoutSpaces,
  QLD: qld,
  // The cadastre pads with several spaces: `C21367 F1`.
  SA: singleSpaces,
  // Volume and folio, `123456/1`.
  TAS: withoutSpaces,
  WA: singleSpaces,
  NT: singleSpaces,
  OT: singleSpaces,
};

/**
 * Returns the key that joins G-NAF's LEGAL_PARCEL_ID to the parcel identifier of the same state's cadastre. Idempotent.
 * Null: no identifier, an unreadable one, or the ACT. There G-NAF abbreviates the district (`CANB/GRIF/25/14`) and the cadastre
 * numbers it, so only the position can match. The rules of SA, TAS, WA and NT only tidy spaces: the published formats are not
 * verified.
 */
export function normaliseLotPlan(state: string, text: string | null): string | null {
  if (text === null) return null;
  const rule = RULES[state];
  if (rule === undefined) return null;
  return rule(text.toUpperCase()) || null;
}
